import type { Migration } from '../migration.js'

/**
 * - AppUserInvitations: no table → 8 columns
 */
export const userInvitationsMigration: Migration = {
  name: '20261123-user-invitations',
  up: /* sql */ `
create table "AppUserInvitations" (
  "Id" uuid not null,
  "InviteeEmail" varchar(256) not null,
  "NormalizedEmail" varchar(256) not null,
  "InvitationDate" timestamp with time zone not null,
  "AssignedRoles" text,
  "TokenHash" varchar(64) not null,
  "ExpirationTime" timestamp with time zone not null,
  "InviterId" uuid not null,
  constraint "PK_AppUserInvitations" primary key ("Id"),
  constraint "FK_AppUserInvitations_AbpUsers_InviterId" foreign key ("InviterId") references "AbpUsers" ("Id") on delete cascade
);
create unique index "IX_AppUserInvitations_NormalizedEmail" on "AppUserInvitations" ("NormalizedEmail");
create unique index "IX_AppUserInvitations_TokenHash" on "AppUserInvitations" ("TokenHash");
create index "IX_AppUserInvitations_ExpirationTime" on "AppUserInvitations" ("ExpirationTime");
`,
  down: /* sql */ `
drop table "AppUserInvitations";
`,
}
