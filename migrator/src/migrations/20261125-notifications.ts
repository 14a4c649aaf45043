import type { Migration } from '../migration.js'

/**
 * - AppNotificationPreferences: no table → 5 columns
 * - AppNotificationSubscriptions: no table → 4 columns
 * - AppNotifications: no table → 15 columns
 */
export const notificationsMigration: Migration = {
  name: '20261125-notifications',
  up: /* sql */ `
create table "AppNotificationPreferences" (
  "Id" uuid not null,
  "UserId" uuid not null,
  "QuietFrom" varchar(5),
  "QuietUntil" varchar(5),
  "DigestTime" varchar(5) not null,
  constraint "PK_AppNotificationPreferences" primary key ("Id")
);
create unique index "IX_AppNotificationPreferences_UserId" on "AppNotificationPreferences" ("UserId");

create table "AppNotificationSubscriptions" (
  "Id" uuid not null,
  "UserId" uuid not null,
  "Kind" varchar(64) not null,
  "Mail" smallint not null,
  constraint "PK_AppNotificationSubscriptions" primary key ("Id"),
  constraint "CK_AppNotificationSubscriptions_Mail" check ("Mail" between 0 and 2)
);
create unique index "IX_AppNotificationSubscriptions_UserId_Kind" on "AppNotificationSubscriptions" ("UserId", "Kind");
create index "IX_AppNotificationSubscriptions_Kind_UserId" on "AppNotificationSubscriptions" ("Kind", "UserId");

create table "AppNotifications" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "UserId" uuid not null,
  "EventId" uuid not null,
  "Kind" varchar(64) not null,
  "Severity" smallint not null default 0,
  "Title" varchar(200) not null,
  "EntityType" varchar(64),
  "EntityId" uuid,
  "IsRead" boolean not null default false,
  "ReadTime" timestamp with time zone,
  "MailDueTime" timestamp with time zone,
  "MailTime" timestamp with time zone,
  constraint "PK_AppNotifications" primary key ("Id"),
  constraint "CK_AppNotifications_Severity" check ("Severity" between 0 and 2)
);
create unique index "IX_AppNotifications_UserId_EventId_Kind" on "AppNotifications" ("UserId", "EventId", "Kind");
create index "IX_AppNotifications_UserId_CreationTime" on "AppNotifications" ("UserId", "CreationTime");
create index "IX_AppNotifications_Unread" on "AppNotifications" ("UserId") where not "IsRead";
create index "IX_AppNotifications_MailDueTime" on "AppNotifications" ("MailDueTime") where "MailDueTime" is not null;
create index "IX_AppNotifications_CreationTime" on "AppNotifications" ("CreationTime");
`,
  down: /* sql */ `
drop table "AppNotifications";
drop table "AppNotificationSubscriptions";
drop table "AppNotificationPreferences";
`,
}
