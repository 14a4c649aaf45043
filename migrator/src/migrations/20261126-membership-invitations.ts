import type { Migration } from '../migration.js'

/**
 * - AppMembershipInvitations: no table → 12 columns
 */
export const membershipInvitationsMigration: Migration = {
  name: '20261126-membership-invitations',
  up: /* sql */ `
create table "AppMembershipInvitations" (
  "Id" uuid not null,
  "Kind" varchar(64) not null,
  "GroupId" uuid not null,
  "GroupName" varchar(200) not null,
  "InviteeEmail" varchar(256) not null,
  "NormalizedEmail" varchar(256) not null,
  "Terms" text not null,
  "Permission" varchar(128) not null,
  "InvitationDate" timestamp with time zone not null,
  "TokenHash" varchar(64) not null,
  "ExpirationTime" timestamp with time zone not null,
  "InviterId" uuid not null,
  constraint "PK_AppMembershipInvitations" primary key ("Id"),
  constraint "FK_AppMembershipInvitations_AbpUsers_InviterId" foreign key ("InviterId") references "AbpUsers" ("Id") on delete cascade
);
create unique index "IX_AppMembershipInvitations_Kind_GroupId_NormalizedEmail" on "AppMembershipInvitations" ("Kind", "GroupId", "NormalizedEmail");
create unique index "IX_AppMembershipInvitations_TokenHash" on "AppMembershipInvitations" ("TokenHash");
create index "IX_AppMembershipInvitations_ExpirationTime" on "AppMembershipInvitations" ("ExpirationTime");
create index "IX_AppMembershipInvitations_InviterId" on "AppMembershipInvitations" ("InviterId");
`,
  down: /* sql */ `
drop table "AppMembershipInvitations";
`,
}
