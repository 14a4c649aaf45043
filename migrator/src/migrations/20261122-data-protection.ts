import type { Migration } from '../migration.js'

/**
 * - AppAccountKeys: 3 columns → no table
 * - KeelDataProtectionKeys: no table → 5 columns
 */
export const dataProtectionMigration: Migration = {
  name: '20261122-data-protection',
  up: /* sql */ `
create table "KeelDataProtectionKeys" (
  "Id" uuid not null,
  "Content" varchar(200) not null,
  "CreationTime" timestamp with time zone not null,
  "ActivationTime" timestamp with time zone not null,
  "ExpirationTime" timestamp with time zone not null,
  constraint "PK_KeelDataProtectionKeys" primary key ("Id")
);
create trigger "TR_KeelDataProtectionKeys_NotifyChange" after insert or update or delete on "KeelDataProtectionKeys"
  for each statement execute function keel_notify_change();

insert into "KeelDataProtectionKeys" ("Id", "Content", "CreationTime", "ActivationTime", "ExpirationTime")
select "Id", 'plain.' || rtrim(translate("Content", '+/', '-_'), '='), "CreationTime", "CreationTime", "CreationTime" + interval '90 days'
from "AppAccountKeys";

-- loses nothing: its keys are in KeelDataProtectionKeys
drop table "AppAccountKeys";
`,
  down: /* sql */ `
drop table "KeelDataProtectionKeys";

create table "AppAccountKeys" (
  "Id" uuid not null,
  "Content" varchar(64) not null,
  "CreationTime" timestamp with time zone not null,
  constraint "PK_AppAccountKeys" primary key ("Id")
);
`,
}
