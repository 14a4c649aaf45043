import type { Migration } from '../migration.js'

/**
 * - AbpRoles.IX_AbpRoles_NormalizedName: index ("NormalizedName") → none
 * - AbpRoles.IX_AbpRoles_NormalizedName: none → unique index ("NormalizedName") where "TenantId" is null
 * - AbpUsers.TR_AbpUsers_NotifyChange: change trigger → none
 * - AbpUsers.TR_AbpUsers_NotifyChange: none → change trigger ("Id", "TenantId", "UserName", "NormalizedUserName", "Name", "Surname", "Email", "NormalizedEmail", "EmailConfirmed", "PasswordHash", "SecurityStamp", "IsExternal", "PhoneNumber", "PhoneNumberConfirmed", "IsActive", "TwoFactorEnabled", "LockoutEnd", "LockoutEnabled", "ShouldChangePasswordOnNextLogin", "EntityVersion", "LastPasswordChangeTime", "Leaved", "ExtraProperties", "ConcurrencyStamp", "CreationTime", "CreatorId", "LastModificationTime", "LastModifierId", "IsDeleted", "DeleterId", "DeletionTime")
 * - AbpClaimTypes: no table → 11 columns
 * - AbpOrganizationUnitRoles: no table → 5 columns
 * - AbpOrganizationUnits: no table → 15 columns
 * - AbpRoleClaims: no table → 5 columns
 * - AbpSecurityLogs: no table → 15 columns
 * - AbpSessions: no table → 11 columns
 * - AbpUserClaims: no table → 5 columns
 * - and 4 more
 */
export const identityMigration: Migration = {
  name: '20261121-identity',
  up: /* sql */ `
drop trigger "TR_AbpUsers_NotifyChange" on "AbpUsers";
drop index "IX_AbpRoles_NormalizedName";

create table "AbpClaimTypes" (
  "Id" uuid not null,
  "Name" varchar(256) not null,
  "Required" boolean not null,
  "IsStatic" boolean not null,
  "Regex" varchar(512),
  "RegexDescription" varchar(128),
  "Description" varchar(256),
  "ValueType" integer not null,
  "CreationTime" timestamp without time zone not null,
  "ExtraProperties" text not null,
  "ConcurrencyStamp" varchar(40) not null,
  constraint "PK_AbpClaimTypes" primary key ("Id")
);
create unique index "IX_AbpClaimTypes_Name" on "AbpClaimTypes" ("Name");

create table "AbpOrganizationUnits" (
  "Id" uuid not null,
  "TenantId" uuid,
  "ParentId" uuid,
  "Code" varchar(95) not null,
  "DisplayName" varchar(128) not null,
  "EntityVersion" integer not null,
  "ExtraProperties" text not null,
  "ConcurrencyStamp" varchar(40) not null,
  "CreationTime" timestamp without time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  constraint "PK_AbpOrganizationUnits" primary key ("Id"),
  constraint "FK_AbpOrganizationUnits_AbpOrganizationUnits_ParentId" foreign key ("ParentId") references "AbpOrganizationUnits" ("Id")
);
create index "IX_AbpOrganizationUnits_Code" on "AbpOrganizationUnits" ("Code");
create index "IX_AbpOrganizationUnits_ParentId" on "AbpOrganizationUnits" ("ParentId");
create unique index "IX_AbpOrganizationUnits_Code_IsDeleted" on "AbpOrganizationUnits" ("Code", "IsDeleted") where "IsDeleted" = false;
create trigger "TR_AbpOrganizationUnits_NotifyChange" after insert or update or delete on "AbpOrganizationUnits"
  for each statement execute function keel_notify_change();

create table "AbpOrganizationUnitRoles" (
  "OrganizationUnitId" uuid not null,
  "RoleId" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp without time zone not null,
  "CreatorId" uuid,
  constraint "PK_AbpOrganizationUnitRoles" primary key ("OrganizationUnitId", "RoleId"),
  constraint "FK_AbpOrganizationUnitRoles_AbpOrganizationUnits_OrganizationU~" foreign key ("OrganizationUnitId") references "AbpOrganizationUnits" ("Id") on delete cascade,
  constraint "FK_AbpOrganizationUnitRoles_AbpRoles_RoleId" foreign key ("RoleId") references "AbpRoles" ("Id") on delete cascade
);
create index "IX_AbpOrganizationUnitRoles_RoleId_OrganizationUnitId" on "AbpOrganizationUnitRoles" ("RoleId", "OrganizationUnitId");
create trigger "TR_AbpOrganizationUnitRoles_NotifyChange" after insert or update or delete on "AbpOrganizationUnitRoles"
  for each statement execute function keel_notify_change();

create table "AbpRoleClaims" (
  "Id" uuid not null,
  "RoleId" uuid not null,
  "TenantId" uuid,
  "ClaimType" varchar(256) not null,
  "ClaimValue" varchar(1024),
  constraint "PK_AbpRoleClaims" primary key ("Id"),
  constraint "FK_AbpRoleClaims_AbpRoles_RoleId" foreign key ("RoleId") references "AbpRoles" ("Id") on delete cascade
);
create index "IX_AbpRoleClaims_RoleId" on "AbpRoleClaims" ("RoleId");

create table "AbpSecurityLogs" (
  "Id" uuid not null,
  "TenantId" uuid,
  "ApplicationName" varchar(96),
  "Identity" varchar(96),
  "Action" varchar(96),
  "UserId" uuid,
  "UserName" varchar(256),
  "TenantName" varchar(64),
  "ClientId" varchar(64),
  "CorrelationId" varchar(64),
  "ClientIpAddress" varchar(64),
  "BrowserInfo" varchar(512),
  "CreationTime" timestamp without time zone not null,
  "ExtraProperties" text not null,
  "ConcurrencyStamp" varchar(40) not null,
  constraint "PK_AbpSecurityLogs" primary key ("Id")
);
create index "IX_AbpSecurityLogs_TenantId_ApplicationName" on "AbpSecurityLogs" ("TenantId", "ApplicationName");
create index "IX_AbpSecurityLogs_TenantId_Identity" on "AbpSecurityLogs" ("TenantId", "Identity");
create index "IX_AbpSecurityLogs_TenantId_Action" on "AbpSecurityLogs" ("TenantId", "Action");
create index "IX_AbpSecurityLogs_TenantId_UserId" on "AbpSecurityLogs" ("TenantId", "UserId");
create index "IX_AbpSecurityLogs_CreationTime" on "AbpSecurityLogs" ("CreationTime");

create table "AbpSessions" (
  "Id" uuid not null,
  "SessionId" varchar(128) not null,
  "Device" varchar(64) not null,
  "DeviceInfo" varchar(256),
  "TenantId" uuid,
  "UserId" uuid not null,
  "ClientId" varchar(64),
  "IpAddresses" varchar(2048),
  "SignedIn" timestamp without time zone not null,
  "LastAccessed" timestamp without time zone,
  "ExtraProperties" text,
  constraint "PK_AbpSessions" primary key ("Id")
);
create unique index "IX_AbpSessions_SessionId" on "AbpSessions" ("SessionId");
create index "IX_AbpSessions_Device" on "AbpSessions" ("Device");
create index "IX_AbpSessions_TenantId_UserId" on "AbpSessions" ("TenantId", "UserId");
create trigger "TR_AbpSessions_NotifyChange" after insert or update of "Id", "SessionId", "Device", "DeviceInfo", "TenantId", "UserId", "ClientId", "SignedIn", "ExtraProperties" or delete on "AbpSessions"
  for each statement execute function keel_notify_change();

create table "AbpUserClaims" (
  "Id" uuid not null,
  "UserId" uuid not null,
  "TenantId" uuid,
  "ClaimType" varchar(256) not null,
  "ClaimValue" varchar(1024),
  constraint "PK_AbpUserClaims" primary key ("Id"),
  constraint "FK_AbpUserClaims_AbpUsers_UserId" foreign key ("UserId") references "AbpUsers" ("Id") on delete cascade
);
create index "IX_AbpUserClaims_UserId" on "AbpUserClaims" ("UserId");

create table "AbpUserLogins" (
  "UserId" uuid not null,
  "LoginProvider" varchar(64) not null,
  "TenantId" uuid,
  "ProviderKey" varchar(196) not null,
  "ProviderDisplayName" varchar(128),
  constraint "PK_AbpUserLogins" primary key ("UserId", "LoginProvider"),
  constraint "FK_AbpUserLogins_AbpUsers_UserId" foreign key ("UserId") references "AbpUsers" ("Id") on delete cascade
);
create unique index "IX_AbpUserLogins_LoginProvider_ProviderKey" on "AbpUserLogins" ("LoginProvider", "ProviderKey");

create table "AbpUserOrganizationUnits" (
  "OrganizationUnitId" uuid not null,
  "UserId" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp without time zone not null,
  "CreatorId" uuid,
  constraint "PK_AbpUserOrganizationUnits" primary key ("OrganizationUnitId", "UserId"),
  constraint "FK_AbpUserOrganizationUnits_AbpOrganizationUnits_OrganizationU~" foreign key ("OrganizationUnitId") references "AbpOrganizationUnits" ("Id") on delete cascade,
  constraint "FK_AbpUserOrganizationUnits_AbpUsers_UserId" foreign key ("UserId") references "AbpUsers" ("Id") on delete cascade
);
create index "IX_AbpUserOrganizationUnits_UserId_OrganizationUnitId" on "AbpUserOrganizationUnits" ("UserId", "OrganizationUnitId");
create trigger "TR_AbpUserOrganizationUnits_NotifyChange" after insert or update or delete on "AbpUserOrganizationUnits"
  for each statement execute function keel_notify_change();

create table "AbpUserPasswordHistories" (
  "UserId" uuid not null,
  "Password" varchar(256) not null,
  "TenantId" uuid,
  "CreatedAt" timestamp with time zone not null,
  constraint "PK_AbpUserPasswordHistories" primary key ("UserId", "Password"),
  constraint "FK_AbpUserPasswordHistories_AbpUsers_UserId" foreign key ("UserId") references "AbpUsers" ("Id") on delete cascade
);

create table "AbpUserTokens" (
  "UserId" uuid not null,
  "LoginProvider" varchar(64) not null,
  "Name" varchar(128) not null,
  "TenantId" uuid,
  "Value" text,
  constraint "PK_AbpUserTokens" primary key ("UserId", "LoginProvider", "Name"),
  constraint "FK_AbpUserTokens_AbpUsers_UserId" foreign key ("UserId") references "AbpUsers" ("Id") on delete cascade
);

create unique index "IX_AbpRoles_NormalizedName" on "AbpRoles" ("NormalizedName") where "TenantId" is null;
create trigger "TR_AbpUsers_NotifyChange" after insert or update of "Id", "TenantId", "UserName", "NormalizedUserName", "Name", "Surname", "Email", "NormalizedEmail", "EmailConfirmed", "PasswordHash", "SecurityStamp", "IsExternal", "PhoneNumber", "PhoneNumberConfirmed", "IsActive", "TwoFactorEnabled", "LockoutEnd", "LockoutEnabled", "ShouldChangePasswordOnNextLogin", "EntityVersion", "LastPasswordChangeTime", "Leaved", "ExtraProperties", "ConcurrencyStamp", "CreationTime", "CreatorId", "LastModificationTime", "LastModifierId", "IsDeleted", "DeleterId", "DeletionTime" or delete on "AbpUsers"
  for each statement execute function keel_notify_change();
`,
  down: /* sql */ `
drop trigger "TR_AbpUsers_NotifyChange" on "AbpUsers";
drop index "IX_AbpRoles_NormalizedName";

drop table "AbpUserTokens";
drop table "AbpUserPasswordHistories";
drop table "AbpUserOrganizationUnits";
drop table "AbpUserLogins";
drop table "AbpUserClaims";
drop table "AbpSessions";
drop table "AbpSecurityLogs";
drop table "AbpRoleClaims";
drop table "AbpOrganizationUnitRoles";
drop table "AbpOrganizationUnits";
drop table "AbpClaimTypes";

create index "IX_AbpRoles_NormalizedName" on "AbpRoles" ("NormalizedName");
create trigger "TR_AbpUsers_NotifyChange" after insert or update or delete on "AbpUsers"
  for each statement execute function keel_notify_change();
`,
}
