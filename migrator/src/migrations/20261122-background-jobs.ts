import type { Migration } from '../migration.js'

/**
 * - AbpBackgroundJobs: no table → 20 columns
 */
export const backgroundJobsMigration: Migration = {
  name: '20261122-background-jobs',
  up: /* sql */ `
create table "AbpBackgroundJobs" (
  "Id" uuid not null,
  "ApplicationName" varchar(96),
  "JobName" varchar(128) not null,
  "JobArgs" varchar(1048576) not null,
  "TryCount" smallint not null default 0,
  "CreationTime" timestamp without time zone not null,
  "NextTryTime" timestamp without time zone not null,
  "LastTryTime" timestamp without time zone,
  "CompletionTime" timestamp without time zone,
  "IsAbandoned" boolean not null default false,
  "Priority" smallint not null default 15,
  "ExtraProperties" text not null default '{}',
  "ConcurrencyStamp" varchar(40) not null default '',
  "LockId" uuid,
  "LockedUntil" timestamp without time zone,
  "Progress" smallint,
  "ProgressText" varchar(256),
  "IsCancelled" boolean not null default false,
  "LastError" varchar(1000),
  "RecurringName" varchar(128),
  constraint "PK_AbpBackgroundJobs" primary key ("Id")
);
create index "IX_AbpBackgroundJobs_IsAbandoned_NextTryTime" on "AbpBackgroundJobs" ("IsAbandoned", "NextTryTime");
create unique index "IX_AbpBackgroundJobs_RecurringName" on "AbpBackgroundJobs" ("RecurringName") where "RecurringName" is not null and "CompletionTime" is null and "IsAbandoned" = false;
`,
  down: /* sql */ `
drop table "AbpBackgroundJobs";
`,
}
