import type { Migration } from '../migration.js'

/**
 * - AbpAuditLogActions: no table → 9 columns
 * - AbpAuditLogs: no table → 24 columns
 * - AbpEntityChanges: no table → 9 columns
 * - AbpEntityPropertyChanges: no table → 7 columns
 */
export const auditLoggingMigration: Migration = {
  name: '20261121-audit-logging',
  up: /* sql */ `
create table "AbpAuditLogs" (
  "Id" uuid not null,
  "ApplicationName" varchar(96),
  "UserId" uuid,
  "UserName" varchar(256),
  "TenantId" uuid,
  "TenantName" varchar(64),
  "ImpersonatorUserId" uuid,
  "ImpersonatorUserName" varchar(256),
  "ImpersonatorTenantId" uuid,
  "ImpersonatorTenantName" varchar(64),
  "ExecutionTime" timestamp without time zone not null,
  "ExecutionDuration" integer not null,
  "ClientIpAddress" varchar(64),
  "ClientName" varchar(128),
  "ClientId" varchar(64),
  "CorrelationId" varchar(64),
  "BrowserInfo" varchar(512),
  "HttpMethod" varchar(16),
  "Url" varchar(256),
  "Exceptions" text,
  "Comments" varchar(256),
  "HttpStatusCode" integer,
  "ExtraProperties" text not null,
  "ConcurrencyStamp" varchar(40) not null,
  constraint "PK_AbpAuditLogs" primary key ("Id")
);
create index "IX_AbpAuditLogs_TenantId_ExecutionTime" on "AbpAuditLogs" ("TenantId", "ExecutionTime");
create index "IX_AbpAuditLogs_TenantId_UserId_ExecutionTime" on "AbpAuditLogs" ("TenantId", "UserId", "ExecutionTime");

create table "AbpAuditLogActions" (
  "Id" uuid not null,
  "TenantId" uuid,
  "AuditLogId" uuid not null,
  "ServiceName" varchar(256),
  "MethodName" varchar(128),
  "Parameters" varchar(2000),
  "ExecutionTime" timestamp without time zone not null,
  "ExecutionDuration" integer not null,
  "ExtraProperties" text,
  constraint "PK_AbpAuditLogActions" primary key ("Id"),
  constraint "FK_AbpAuditLogActions_AbpAuditLogs_AuditLogId" foreign key ("AuditLogId") references "AbpAuditLogs" ("Id") on delete cascade
);
create index "IX_AbpAuditLogActions_AuditLogId" on "AbpAuditLogActions" ("AuditLogId");
create index "IX_AbpAuditLogActions_TenantId_ServiceName_MethodName_Executio~" on "AbpAuditLogActions" ("TenantId", "ServiceName", "MethodName", "ExecutionTime");

create table "AbpEntityChanges" (
  "Id" uuid not null,
  "AuditLogId" uuid not null,
  "TenantId" uuid,
  "ChangeTime" timestamp without time zone not null,
  "ChangeType" smallint not null,
  "EntityTenantId" uuid,
  "EntityId" varchar(128),
  "EntityTypeFullName" varchar(512) not null,
  "ExtraProperties" text,
  constraint "PK_AbpEntityChanges" primary key ("Id"),
  constraint "FK_AbpEntityChanges_AbpAuditLogs_AuditLogId" foreign key ("AuditLogId") references "AbpAuditLogs" ("Id") on delete cascade
);
create index "IX_AbpEntityChanges_AuditLogId" on "AbpEntityChanges" ("AuditLogId");
create index "IX_AbpEntityChanges_TenantId_EntityTypeFullName_EntityId" on "AbpEntityChanges" ("TenantId", "EntityTypeFullName", "EntityId");

create table "AbpEntityPropertyChanges" (
  "Id" uuid not null,
  "TenantId" uuid,
  "EntityChangeId" uuid not null,
  "NewValue" varchar(512),
  "OriginalValue" varchar(512),
  "PropertyName" varchar(128) not null,
  "PropertyTypeFullName" varchar(512) not null,
  constraint "PK_AbpEntityPropertyChanges" primary key ("Id"),
  constraint "FK_AbpEntityPropertyChanges_AbpEntityChanges_EntityChangeId" foreign key ("EntityChangeId") references "AbpEntityChanges" ("Id") on delete cascade
);
create index "IX_AbpEntityPropertyChanges_EntityChangeId" on "AbpEntityPropertyChanges" ("EntityChangeId");
`,
  down: /* sql */ `
drop table "AbpEntityPropertyChanges";
drop table "AbpEntityChanges";
drop table "AbpAuditLogActions";
drop table "AbpAuditLogs";
`,
}
