-- The table HubWebhookDeliveries is missing.
-- The table HubWebhooks is missing.

create table "HubWebhooks" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "OrganizationId" uuid,
  "OwnerId" uuid not null,
  "ApiKeyId" uuid,
  "ImpersonatorId" uuid,
  "Name" varchar(100) not null,
  "Url" varchar(500) not null,
  "EventTypes" jsonb not null,
  "Status" smallint not null default 0,
  "Secret" text not null,
  "PreviousSecret" text,
  "PreviousSecretEndTime" timestamp with time zone,
  "FailingSince" timestamp with time zone,
  "LastModificationTime" timestamp with time zone,
  "ConcurrencyStamp" varchar(40) not null,
  constraint "PK_HubWebhooks" primary key ("Id"),
  constraint "FK_HubWebhooks_HubOrganizations_OrganizationId" foreign key ("OrganizationId") references "HubOrganizations" ("Id") on delete cascade,
  constraint "CK_HubWebhooks_Status" check ("Status" between 0 and 2)
);
--  locks HubOrganizations: ShareRowExclusiveLock, blocks writes
create index "IX_HubWebhooks_OrganizationId" on "HubWebhooks" ("OrganizationId");
create index "IX_HubWebhooks_OwnerId" on "HubWebhooks" ("OwnerId");
create or replace trigger "TR_HubWebhooks_NotifyChange" after insert or update or delete or truncate on "HubWebhooks"
  for each statement execute function keel_notify_change();
alter table "HubWebhooks" enable always trigger "TR_HubWebhooks_NotifyChange";

create table "HubWebhookDeliveries" (
  "Id" uuid not null,
  "WebhookId" uuid not null,
  "EventId" uuid not null,
  "EventType" varchar(100) not null,
  "EntityId" uuid,
  "EventTime" timestamp with time zone not null,
  "EventData" jsonb not null,
  "Status" smallint not null default 0,
  "Attempt" smallint not null default 0,
  "NextAttemptTime" timestamp with time zone,
  "LastAttemptTime" timestamp with time zone,
  "LockedUntil" timestamp with time zone,
  "ResponseStatus" smallint,
  "DurationMs" integer,
  "Failure" smallint,
  "CreationTime" timestamp with time zone not null,
  constraint "PK_HubWebhookDeliveries" primary key ("Id"),
  constraint "FK_HubWebhookDeliveries_HubWebhooks_WebhookId" foreign key ("WebhookId") references "HubWebhooks" ("Id") on delete cascade,
  constraint "CK_HubWebhookDeliveries_Status" check ("Status" between 0 and 3),
  constraint "CK_HubWebhookDeliveries_Failure" check ("Failure" between 0 and 4)
);
create index "IX_HubWebhookDeliveries_WebhookId_CreationTime" on "HubWebhookDeliveries" ("WebhookId", "CreationTime" desc);
create index "IX_HubWebhookDeliveries_Due" on "HubWebhookDeliveries" ("WebhookId", "NextAttemptTime") where "Status" = 0;
create index "IX_HubWebhookDeliveries_CreationTime" on "HubWebhookDeliveries" ("CreationTime");
