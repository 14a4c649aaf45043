import type { Migration } from '../migration.js'

/**
 * The unique guard of grants, prohibitions and the history of both.
 *
 * - AbpPermissionGrants.IX_AbpPermissionGrants_ProviderName_ProviderKey_Name: none → unique index ("ProviderName", "ProviderKey", "Name") where "TenantId" is null
 * - AppPermissionGrantChanges: no table → 12 columns
 * - AppPermissionProhibitions: no table → 5 columns
 */
export const permissionManagementMigration: Migration = {
  name: '20261121-permission-management',
  up: /* sql */ `
create table "AppPermissionGrantChanges" (
  "Id" uuid not null,
  "TenantId" uuid,
  "ChangeTime" timestamp with time zone not null,
  "PermissionName" varchar(128) not null,
  "ProviderName" varchar(64) not null,
  "ProviderKey" varchar(64) not null,
  "Kind" varchar(20) not null,
  "Cause" varchar(20) not null,
  "UserId" uuid,
  "UserName" varchar(256),
  "ClientId" varchar(100),
  "CorrelationId" varchar(64),
  constraint "PK_AppPermissionGrantChanges" primary key ("Id")
);
create index "IX_AppPermissionGrantChanges_ProviderName_ProviderKey_ChangeTi~" on "AppPermissionGrantChanges" ("ProviderName", "ProviderKey", "ChangeTime");
create index "IX_AppPermissionGrantChanges_PermissionName_ChangeTime" on "AppPermissionGrantChanges" ("PermissionName", "ChangeTime");
create index "IX_AppPermissionGrantChanges_ChangeTime" on "AppPermissionGrantChanges" ("ChangeTime");

create table "AppPermissionProhibitions" (
  "Id" uuid not null,
  "TenantId" uuid,
  "Name" varchar(128) not null,
  "ProviderName" varchar(64) not null,
  "ProviderKey" varchar(64) not null,
  constraint "PK_AppPermissionProhibitions" primary key ("Id")
);
create unique index "IX_AppPermissionProhibitions_TenantId_Name_ProviderName_Provid~" on "AppPermissionProhibitions" ("TenantId", "Name", "ProviderName", "ProviderKey");
create unique index "IX_AppPermissionProhibitions_ProviderName_ProviderKey_Name" on "AppPermissionProhibitions" ("ProviderName", "ProviderKey", "Name") where "TenantId" is null;
create trigger "TR_AppPermissionProhibitions_NotifyChange" after insert or update or delete on "AppPermissionProhibitions"
  for each statement execute function keel_notify_change();

-- ABP's own index lets rows of the host stand twice, for their null tenants differ: of each grant one row stays.
delete from "AbpPermissionGrants" g using "AbpPermissionGrants" other
where g."TenantId" is null and other."TenantId" is null and other."Id" < g."Id"
  and g."Name" = other."Name" and g."ProviderName" = other."ProviderName" and g."ProviderKey" = other."ProviderKey";
create unique index "IX_AbpPermissionGrants_ProviderName_ProviderKey_Name" on "AbpPermissionGrants" ("ProviderName", "ProviderKey", "Name") where "TenantId" is null;
`,
  down: /* sql */ `
drop index "IX_AbpPermissionGrants_ProviderName_ProviderKey_Name";

drop table "AppPermissionProhibitions";
drop table "AppPermissionGrantChanges";
`,
}
