import type { Migration } from '../migration.js'

/**
 * - AbpSettings: no table → 5 columns
 */
export const settingManagementMigration: Migration = {
  name: '20261121-setting-management',
  up: /* sql */ `
create table "AbpSettings" (
  "Id" uuid not null,
  "Name" varchar(128) not null,
  "Value" varchar(2048) not null,
  "ProviderName" varchar(64),
  "ProviderKey" varchar(64),
  constraint "PK_AbpSettings" primary key ("Id")
);
create unique index "IX_AbpSettings_Name_ProviderName_ProviderKey" on "AbpSettings" ("Name", "ProviderName", "ProviderKey") nulls not distinct;
create trigger "TR_AbpSettings_NotifyChange" after insert or update or delete on "AbpSettings"
  for each statement execute function keel_notify_change();
`,
  down: /* sql */ `
drop table "AbpSettings";
`,
}
