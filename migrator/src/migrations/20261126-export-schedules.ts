import type { Migration } from '../migration.js'

/**
 * - AppExportRuns: no table → 18 columns
 * - AppExportSchedules: no table → 37 columns
 */
export const exportSchedulesMigration: Migration = {
  name: '20261126-export-schedules',
  up: /* sql */ `
create table "AppExportRuns" (
  "Id" uuid not null,
  "ExportScheduleId" uuid not null,
  "UserId" uuid not null,
  "EntitySet" varchar(64) not null,
  "ScheduledTime" timestamp with time zone not null,
  "StartTime" timestamp with time zone,
  "EndTime" timestamp with time zone,
  "Status" smallint not null default 0,
  "RowCount" integer,
  "IsTruncated" boolean not null default false,
  "FileName" varchar(255),
  "BlobName" varchar(255),
  "FileSize" bigint,
  "Error" varchar(2000),
  "DeliveryStatus" smallint not null default 0,
  "Attempt" smallint not null default 0,
  "DeliveryAttempt" smallint not null default 0,
  "ExpirationTime" timestamp with time zone not null,
  constraint "PK_AppExportRuns" primary key ("Id"),
  constraint "CK_AppExportRuns_Status" check ("Status" between 0 and 4),
  constraint "CK_AppExportRuns_DeliveryStatus" check ("DeliveryStatus" between 0 and 3)
);
create unique index "IX_AppExportRuns_ExportScheduleId_ScheduledTime" on "AppExportRuns" ("ExportScheduleId", "ScheduledTime");
create index "IX_AppExportRuns_UserId_ScheduledTime" on "AppExportRuns" ("UserId", "ScheduledTime");
create index "IX_AppExportRuns_ExpirationTime" on "AppExportRuns" ("ExpirationTime") where "BlobName" is not null;
create index "IX_AppExportRuns_ScheduledTime" on "AppExportRuns" ("ScheduledTime");

create table "AppExportSchedules" (
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
  "ApiKeyId" uuid,
  "ImpersonatorId" uuid,
  "Name" varchar(100) not null,
  "EntitySet" varchar(64) not null,
  "Query" varchar(4000),
  "Columns" jsonb,
  "Format" smallint not null,
  "CsvDelimiter" varchar(1) not null,
  "Frequency" varchar(10) not null,
  "TimeOfDay" varchar(5) not null,
  "TimeZone" varchar(50) not null,
  "DayOfWeek" smallint,
  "DayOfMonth" smallint,
  "StartDate" date not null,
  "EndDate" date,
  "Delivery" smallint not null,
  "EmailRecipients" jsonb,
  "WebhookUrl" varchar(500),
  "WebhookSecret" text,
  "SkipEmpty" boolean not null default false,
  "MaxRows" integer not null,
  "Culture" varchar(10) not null,
  "Status" smallint not null default 0,
  "NextRunTime" timestamp with time zone,
  "LastRunTime" timestamp with time zone,
  "LastRunStatus" smallint,
  "ConsecutiveFailures" integer not null default 0,
  constraint "PK_AppExportSchedules" primary key ("Id"),
  constraint "CK_AppExportSchedules_Format" check ("Format" between 0 and 1),
  constraint "CK_AppExportSchedules_Delivery" check ("Delivery" between 0 and 2),
  constraint "CK_AppExportSchedules_Status" check ("Status" between 0 and 3),
  constraint "CK_AppExportSchedules_Days" check (case "Frequency" when 'Weekly' then "DayOfWeek" between 1 and 7 when 'Monthly' then "DayOfMonth" between 1 and 31 else "Frequency" = 'Daily' end)
);
create unique index "IX_AppExportSchedules_UserId_Name" on "AppExportSchedules" ("UserId", "Name") where "IsDeleted" = false;
create index "IX_AppExportSchedules_Due" on "AppExportSchedules" ("NextRunTime") where "Status" = 0 and "IsDeleted" = false;
`,
  down: /* sql */ `
drop table "AppExportSchedules";
drop table "AppExportRuns";
`,
}
