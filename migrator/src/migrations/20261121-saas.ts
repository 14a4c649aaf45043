import type { Migration } from '../migration.js'

/**
 * - SaasEditions: no table → 13 columns
 * - SaasTenantConnectionStrings: no table → 3 columns
 * - SaasTenants: no table → 17 columns
 */
export const saasMigration: Migration = {
  name: '20261121-saas',
  up: /* sql */ `
create table "SaasEditions" (
  "Id" uuid not null,
  "DisplayName" varchar(128) not null,
  "PlanId" uuid,
  "EntityVersion" integer not null default 0,
  "ExtraProperties" text not null default '{}',
  "ConcurrencyStamp" varchar(40) not null,
  "CreationTime" timestamp without time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  constraint "PK_SaasEditions" primary key ("Id")
);
create index "IX_SaasEditions_DisplayName" on "SaasEditions" ("DisplayName");
create unique index "IX_SaasEditions_DisplayName_IsDeleted" on "SaasEditions" ("DisplayName", "IsDeleted") where "IsDeleted" = false;

create table "SaasTenants" (
  "Id" uuid not null,
  "Name" varchar(64) not null,
  "NormalizedName" varchar(64) not null,
  "EditionId" uuid,
  "EditionEndDateUtc" timestamp without time zone,
  "ActivationState" smallint not null,
  "ActivationEndDate" timestamp without time zone,
  "EntityVersion" integer not null default 0,
  "ExtraProperties" text not null default '{}',
  "ConcurrencyStamp" varchar(40) not null,
  "CreationTime" timestamp without time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  constraint "PK_SaasTenants" primary key ("Id"),
  constraint "FK_SaasTenants_SaasEditions_EditionId" foreign key ("EditionId") references "SaasEditions" ("Id")
);
create index "IX_SaasTenants_Name" on "SaasTenants" ("Name");
create index "IX_SaasTenants_NormalizedName" on "SaasTenants" ("NormalizedName");
create index "IX_SaasTenants_EditionId" on "SaasTenants" ("EditionId");
create unique index "IX_SaasTenants_NormalizedName_IsDeleted" on "SaasTenants" ("NormalizedName", "IsDeleted") where "IsDeleted" = false;

create table "SaasTenantConnectionStrings" (
  "TenantId" uuid not null,
  "Name" varchar(64) not null,
  "Value" varchar(1024) not null,
  constraint "PK_SaasTenantConnectionStrings" primary key ("TenantId", "Name"),
  constraint "FK_SaasTenantConnectionStrings_SaasTenants_TenantId" foreign key ("TenantId") references "SaasTenants" ("Id") on delete cascade
);
`,
  down: /* sql */ `
drop table "SaasTenantConnectionStrings";
drop table "SaasTenants";
drop table "SaasEditions";
`,
}
