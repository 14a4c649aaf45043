import type { Migration } from '../migration.js'

/**
 * - AbpLinkUsers: no table → 5 columns
 * - AppAccountKeys: no table → 3 columns
 * - AppAccountLimits: no table → 3 columns
 * - AppAccountSecrets: no table → 4 columns
 */
export const accountMigration: Migration = {
  name: '20261121-account',
  up: /* sql */ `
create table "AbpLinkUsers" (
  "Id" uuid not null,
  "SourceUserId" uuid not null,
  "SourceTenantId" uuid,
  "TargetUserId" uuid not null,
  "TargetTenantId" uuid,
  constraint "PK_AbpLinkUsers" primary key ("Id")
);
create unique index "IX_AbpLinkUsers_SourceUserId_SourceTenantId_TargetUserId_Targe~" on "AbpLinkUsers" ("SourceUserId", "SourceTenantId", "TargetUserId", "TargetTenantId");
create unique index "IX_AbpLinkUsers_SourceUserId_TargetUserId" on "AbpLinkUsers" ("SourceUserId", "TargetUserId") where "SourceTenantId" is null and "TargetTenantId" is null;
create index "IX_AbpLinkUsers_TargetUserId" on "AbpLinkUsers" ("TargetUserId");

create table "AppAccountKeys" (
  "Id" uuid not null,
  "Content" varchar(64) not null,
  "CreationTime" timestamp with time zone not null,
  constraint "PK_AppAccountKeys" primary key ("Id")
);

create table "AppAccountLimits" (
  "Key" varchar(64) not null,
  "Count" integer not null,
  "ExpirationTime" timestamp with time zone not null,
  constraint "PK_AppAccountLimits" primary key ("Key")
);
create index "IX_AppAccountLimits_ExpirationTime" on "AppAccountLimits" ("ExpirationTime");

create table "AppAccountSecrets" (
  "UserId" uuid not null,
  "Purpose" varchar(32) not null,
  "Value" varchar(64) not null,
  "ExpirationTime" timestamp with time zone not null,
  constraint "PK_AppAccountSecrets" primary key ("UserId", "Purpose")
);
create index "IX_AppAccountSecrets_ExpirationTime" on "AppAccountSecrets" ("ExpirationTime");
`,
  down: /* sql */ `
drop table "AppAccountSecrets";
drop table "AppAccountLimits";
drop table "AppAccountKeys";
drop table "AbpLinkUsers";
`,
}
