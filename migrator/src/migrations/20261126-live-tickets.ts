import type { Migration } from '../migration.js'

/**
 * - KeelLiveTickets: no table → 5 columns
 */
export const liveTicketsMigration: Migration = {
  name: '20261126-live-tickets',
  up: /* sql */ `
create table "KeelLiveTickets" (
  "Id" uuid not null,
  "UserId" uuid not null,
  "Digest" char(64) not null,
  "Claims" text not null,
  "ExpirationTime" timestamp with time zone not null,
  constraint "PK_KeelLiveTickets" primary key ("Id")
);
create index "IX_KeelLiveTickets_UserId" on "KeelLiveTickets" ("UserId");
create index "IX_KeelLiveTickets_ExpirationTime" on "KeelLiveTickets" ("ExpirationTime");
create unique index "IX_KeelLiveTickets_Digest" on "KeelLiveTickets" ("Digest");
`,
  down: /* sql */ `
drop table "KeelLiveTickets";
`,
}
