import type { Migration } from '../migration.js'

/**
 * - AbpFeatureValues: no table → 5 columns
 */
export const featureManagementMigration: Migration = {
  name: '20261121-feature-management',
  up: /* sql */ `
create table "AbpFeatureValues" (
  "Id" uuid not null,
  "Name" varchar(128) not null,
  "Value" varchar(128) not null,
  "ProviderName" varchar(64),
  "ProviderKey" varchar(64),
  constraint "PK_AbpFeatureValues" primary key ("Id")
);
create unique index "IX_AbpFeatureValues_Name_ProviderName_ProviderKey" on "AbpFeatureValues" ("Name", "ProviderName", "ProviderKey") nulls not distinct;
create trigger "TR_AbpFeatureValues_NotifyChange" after insert or update or delete on "AbpFeatureValues"
  for each statement execute function keel_notify_change();
`,
  down: /* sql */ `
drop table "AbpFeatureValues";
`,
}
