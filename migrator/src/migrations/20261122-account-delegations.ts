import type { Migration } from '../migration.js'

/**
 * - AbpUserDelegations: no table → 6 columns
 */
export const accountDelegationsMigration: Migration = {
  name: '20261122-account-delegations',
  up: /* sql */ `
create table "AbpUserDelegations" (
  "Id" uuid not null,
  "TenantId" uuid,
  "SourceUserId" uuid not null,
  "TargetUserId" uuid not null,
  "StartTime" timestamp without time zone not null,
  "EndTime" timestamp without time zone not null,
  constraint "PK_AbpUserDelegations" primary key ("Id")
);
create index "IX_AbpUserDelegations_SourceUserId" on "AbpUserDelegations" ("SourceUserId");
create index "IX_AbpUserDelegations_TargetUserId" on "AbpUserDelegations" ("TargetUserId");
`,
  down: /* sql */ `
drop table "AbpUserDelegations";
`,
}
