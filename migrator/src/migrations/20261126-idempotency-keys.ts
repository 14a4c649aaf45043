import type { Migration } from '../migration.js'

/**
 * - KeelIdempotencyKeys: no table → 6 columns
 */
export const idempotencyKeysMigration: Migration = {
  name: '20261126-idempotency-keys',
  up: /* sql */ `
create table "KeelIdempotencyKeys" (
  "Id" uuid not null,
  "CallerId" uuid not null,
  "Fingerprint" char(64) not null,
  "CreationTime" timestamp with time zone not null,
  "IsCompleted" boolean not null,
  "Answer" text,
  constraint "PK_KeelIdempotencyKeys" primary key ("Id")
);
create index "IX_KeelIdempotencyKeys_CreationTime" on "KeelIdempotencyKeys" ("CreationTime");
create index "IX_KeelIdempotencyKeys_CallerId_CreationTime" on "KeelIdempotencyKeys" ("CallerId", "CreationTime");
`,
  down: /* sql */ `
drop table "KeelIdempotencyKeys";
`,
}
