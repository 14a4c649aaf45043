import type { Migration } from '../migration.js'

/**
 * - AppApiKeyUsages: no table → 4 columns
 * - AppApiKeys: no table → 20 columns
 */
export const apiKeysMigration: Migration = {
  name: '20261121-api-keys',
  up: /* sql */ `
create table "AppApiKeys" (
  "Id" uuid not null,
  "TenantId" uuid,
  "Prefix" char(16) not null,
  "Hash" varchar(256) not null,
  "UserId" uuid not null,
  "IsActive" boolean not null default true,
  "ExpirationTime" timestamp with time zone,
  "Name" varchar(128) not null,
  "Description" varchar(512),
  "RotationTime" timestamp with time zone,
  "PreviousHash" varchar(256),
  "OverlapEndTime" timestamp with time zone,
  "ConcurrencyStamp" varchar(40) not null,
  "CreationTime" timestamp without time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  constraint "PK_AppApiKeys" primary key ("Id")
);
create unique index "IX_AppApiKeys_Prefix" on "AppApiKeys" ("Prefix");
create index "IX_AppApiKeys_UserId" on "AppApiKeys" ("UserId");
create trigger "TR_AppApiKeys_NotifyChange" after insert or update or delete on "AppApiKeys"
  for each statement execute function keel_notify_change();

create table "AppApiKeyUsages" (
  "ApiKeyId" uuid not null,
  "PermissionName" varchar(128) not null,
  "CallCount" bigint not null,
  "LastUsedTime" timestamp with time zone not null,
  constraint "PK_AppApiKeyUsages" primary key ("ApiKeyId", "PermissionName"),
  constraint "FK_AppApiKeyUsages_AppApiKeys_ApiKeyId" foreign key ("ApiKeyId") references "AppApiKeys" ("Id") on delete cascade
);
`,
  down: /* sql */ `
drop table "AppApiKeyUsages";
drop table "AppApiKeys";
`,
}
