import type { Migration } from '../migration.js'

/**
 * - AbpEventInbox: no table → 13 columns
 * - AbpEventOutbox: no table → 5 columns
 * - AppEventSubscriptions: no table → 6 columns
 */
export const eventBoxesMigration: Migration = {
  name: '20261122-event-boxes',
  up: /* sql */ `
create table "AbpEventInbox" (
  "Id" uuid not null,
  "ExtraProperties" text not null,
  "MessageId" varchar(64) not null,
  "EventName" varchar(256) not null,
  "EventData" bytea not null,
  "CreationTime" timestamp without time zone not null,
  "Status" integer not null,
  "HandledTime" timestamp without time zone,
  "RetryCount" integer not null default 0,
  "NextRetryTime" timestamp without time zone,
  "Consumer" varchar(256) not null,
  "OrderKey" varchar(128),
  "LastError" varchar(1000),
  constraint "PK_AbpEventInbox" primary key ("Id")
);
create index "IX_AbpEventInbox_Status_CreationTime" on "AbpEventInbox" ("Status", "CreationTime");
create unique index "IX_AbpEventInbox_MessageId_Consumer" on "AbpEventInbox" ("MessageId", "Consumer");
create index "IX_AbpEventInbox_Consumer_OrderKey_CreationTime" on "AbpEventInbox" ("Consumer", "OrderKey", "CreationTime") where "Status" = 0;

create table "AbpEventOutbox" (
  "Id" uuid not null,
  "ExtraProperties" text not null,
  "EventName" varchar(256) not null,
  "EventData" bytea not null,
  "CreationTime" timestamp without time zone not null,
  constraint "PK_AbpEventOutbox" primary key ("Id")
);
create index "IX_AbpEventOutbox_CreationTime" on "AbpEventOutbox" ("CreationTime");

create table "AppEventSubscriptions" (
  "Id" uuid not null,
  "EventName" varchar(256) not null,
  "Consumer" varchar(256) not null,
  "Database" varchar(64) not null,
  "Host" varchar(128) not null,
  "SeenTime" timestamp without time zone not null,
  constraint "PK_AppEventSubscriptions" primary key ("Id")
);
create unique index "IX_AppEventSubscriptions_EventName_Consumer" on "AppEventSubscriptions" ("EventName", "Consumer");
`,
  down: /* sql */ `
drop table "AppEventSubscriptions";
drop table "AbpEventOutbox";
drop table "AbpEventInbox";
`,
}
