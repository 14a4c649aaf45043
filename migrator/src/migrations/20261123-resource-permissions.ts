import type { Migration } from '../migration.js'

/**
 * - AppPermissionGrantChanges.ResourceName: no column → varchar(256)
 * - AppPermissionGrantChanges.ResourceKey: no column → varchar(256)
 * - AbpResourcePermissionGrants: no table → 7 columns
 */
export const resourcePermissionsMigration: Migration = {
  name: '20261123-resource-permissions',
  up: /* sql */ `
create table "AbpResourcePermissionGrants" (
  "Id" uuid not null,
  "TenantId" uuid,
  "Name" varchar(128) not null,
  "ProviderName" varchar(64) not null,
  "ProviderKey" varchar(64) not null,
  "ResourceName" varchar(256) not null,
  "ResourceKey" varchar(256) not null,
  constraint "PK_AbpResourcePermissionGrants" primary key ("Id")
);
create unique index "IX_AbpResourcePermissionGrants_TenantId_Name_ResourceName_Reso~" on "AbpResourcePermissionGrants" ("TenantId", "Name", "ResourceName", "ResourceKey", "ProviderName", "ProviderKey");
create unique index "IX_AbpResourcePermissionGrants_ResourceName_ResourceKey_Provid~" on "AbpResourcePermissionGrants" ("ResourceName", "ResourceKey", "ProviderName", "ProviderKey", "Name") where "TenantId" is null;
create index "IX_AbpResourcePermissionGrants_ProviderName_ProviderKey" on "AbpResourcePermissionGrants" ("ProviderName", "ProviderKey");
create or replace trigger "TR_AbpResourcePermissionGrants_NotifyChange" after insert or update or delete or truncate on "AbpResourcePermissionGrants"
  for each statement execute function keel_notify_change();
alter table "AbpResourcePermissionGrants" enable always trigger "TR_AbpResourcePermissionGrants_NotifyChange";

alter table "AppPermissionGrantChanges" add column "ResourceName" varchar(256);
alter table "AppPermissionGrantChanges" add column "ResourceKey" varchar(256);
`,
  down: /* sql */ `
drop table "AbpResourcePermissionGrants";

alter table "AppPermissionGrantChanges" drop column "ResourceName";
alter table "AppPermissionGrantChanges" drop column "ResourceKey";
`,
}
