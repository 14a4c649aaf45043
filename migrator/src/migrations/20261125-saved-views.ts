import type { Migration } from '../migration.js'

/**
 * - AppSavedViews: no table → 19 columns
 */
export const savedViewsMigration: Migration = {
  name: '20261125-saved-views',
  up: /* sql */ `
create table "AppSavedViews" (
  "Id" uuid not null,
  "ConcurrencyStamp" varchar(40) not null,
  "CreationTime" timestamp without time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  "UserId" uuid not null,
  "Name" varchar(100) not null,
  "EntitySet" varchar(64) not null,
  "Filter" jsonb,
  "Query" varchar(4000),
  "Columns" jsonb,
  "Sorting" varchar(256),
  "IsDefault" boolean not null default false,
  "SharedRoleName" varchar(256),
  "SharedOrganizationId" uuid,
  constraint "PK_AppSavedViews" primary key ("Id"),
  constraint "CK_AppSavedViews_Shared" check ("SharedRoleName" is null or "SharedOrganizationId" is null)
);
create unique index "IX_AppSavedViews_UserId_EntitySet_Name" on "AppSavedViews" ("UserId", "EntitySet", "Name") where "IsDeleted" = false;
create unique index "IX_AppSavedViews_Default" on "AppSavedViews" ("UserId", "EntitySet") where "IsDeleted" = false and "IsDefault";
create index "IX_AppSavedViews_SharedRoleName" on "AppSavedViews" ("SharedRoleName") where "SharedRoleName" is not null;
create index "IX_AppSavedViews_SharedOrganizationId" on "AppSavedViews" ("SharedOrganizationId") where "SharedOrganizationId" is not null;
`,
  down: /* sql */ `
drop table "AppSavedViews";
`,
}
