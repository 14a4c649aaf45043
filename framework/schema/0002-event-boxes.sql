-- Outbox, inbox and subscriptions of distributed events.

-- What was published here and not sent yet; written in the transaction of what it tells of.
create table if not exists "AbpEventOutbox" (
  "Id" uuid not null,
  "ExtraProperties" text not null,
  "EventName" varchar(256) not null,
  "EventData" bytea not null,
  "CreationTime" timestamp without time zone not null,
  constraint "PK_AbpEventOutbox" primary key ("Id")
);
create index if not exists "IX_AbpEventOutbox_CreationTime" on "AbpEventOutbox" ("CreationTime");

-- What is on its way to the consumers that write to this database, and what they handled lately.
create table if not exists "AbpEventInbox" (
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
create index if not exists "IX_AbpEventInbox_Status_CreationTime" on "AbpEventInbox" ("Status", "CreationTime");
create unique index if not exists "IX_AbpEventInbox_MessageId_Consumer" on "AbpEventInbox" ("MessageId", "Consumer");
create index if not exists "IX_AbpEventInbox_Consumer_OrderKey_CreationTime" on "AbpEventInbox" ("Consumer", "OrderKey", "CreationTime")
  where "Status" = 0;

-- Who wants what is published here.
create table if not exists "AppEventSubscriptions" (
  "Id" uuid not null,
  "EventName" varchar(256) not null,
  "Consumer" varchar(256) not null,
  "Database" varchar(64) not null,
  "Host" varchar(128) not null,
  "SeenTime" timestamp without time zone not null,
  constraint "PK_AppEventSubscriptions" primary key ("Id")
);
create unique index if not exists "IX_AppEventSubscriptions_EventName_Consumer" on "AppEventSubscriptions" ("EventName", "Consumer");
