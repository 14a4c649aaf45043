import type { Migration } from '../migration.js'

/**
 * - AppBroadcasts: no table → 10 columns
 * - AppPersonalDataRequests: no table → 15 columns
 */
export const personalDataAndBroadcastsMigration: Migration = {
  name: '20261126-personal-data-and-broadcasts',
  up: /* sql */ `
create table "AppBroadcasts" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "Title" varchar(200) not null,
  "Severity" smallint not null default 0,
  "RoleName" varchar(256),
  "OrganizationId" uuid,
  "EndTime" timestamp with time zone,
  "RecipientCount" integer,
  constraint "PK_AppBroadcasts" primary key ("Id"),
  constraint "CK_AppBroadcasts_Severity" check ("Severity" between 0 and 2),
  constraint "CK_AppBroadcasts_Audience" check ("RoleName" is null or "OrganizationId" is null)
);
create index "IX_AppBroadcasts_CreatorId_CreationTime" on "AppBroadcasts" ("CreatorId", "CreationTime");

create table "AppPersonalDataRequests" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "UserId" uuid not null,
  "Kind" smallint not null,
  "Status" smallint not null default 0,
  "StartTime" timestamp with time zone,
  "EndTime" timestamp with time zone,
  "Result" jsonb,
  "Omitted" jsonb not null default '[]',
  "BlobName" varchar(255),
  "FileSize" bigint,
  "ExpirationTime" timestamp with time zone,
  "Error" varchar(200),
  constraint "PK_AppPersonalDataRequests" primary key ("Id"),
  constraint "CK_AppPersonalDataRequests_Kind" check ("Kind" between 0 and 2),
  constraint "CK_AppPersonalDataRequests_Status" check ("Status" between 0 and 3)
);
create unique index "IX_AppPersonalDataRequests_Open" on "AppPersonalDataRequests" ("UserId", "Kind") where "Status" < 2;
create index "IX_AppPersonalDataRequests_UserId_CreationTime" on "AppPersonalDataRequests" ("UserId", "CreationTime");
create index "IX_AppPersonalDataRequests_CreatorId_CreationTime" on "AppPersonalDataRequests" ("CreatorId", "CreationTime");
create index "IX_AppPersonalDataRequests_CreationTime" on "AppPersonalDataRequests" ("CreationTime");
create index "IX_AppPersonalDataRequests_ExpirationTime" on "AppPersonalDataRequests" ("ExpirationTime") where "BlobName" is not null;
`,
  down: /* sql */ `
drop table "AppPersonalDataRequests";
drop table "AppBroadcasts";
`,
}
