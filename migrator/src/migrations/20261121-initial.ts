import type { Migration } from '../migration.js'

/**
 * - AbpPermissionGrants: no table → 5 columns
 * - AbpRoles: no table → 11 columns
 * - AbpUserRoles: no table → 3 columns
 * - AbpUsers: no table → 33 columns
 * - AuthInteractions: no table → 3 columns
 * - AuthKeys: no table → 6 columns
 * - AuthRevokedTokens: no table → 2 columns
 * - AuthSessions: no table → 5 columns
 * - OpenIddictApplications: no table → 27 columns
 * - OpenIddictAuthorizations: no table → 10 columns
 * - OpenIddictScopes: no table → 17 columns
 * - OpenIddictTokens: no table → 14 columns
 */
export const initialMigration: Migration = {
  name: '20261121-initial',
  up: /* sql */ `
-- Announces that rows of a table changed, so that every process drops what it cached of that table.
create or replace function keel_notify_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('keel_changes', TG_TABLE_NAME);
  return null;
end
$$;

create table "AbpPermissionGrants" (
  "Id" uuid not null,
  "TenantId" uuid,
  "Name" varchar(128) not null,
  "ProviderName" varchar(64) not null,
  "ProviderKey" varchar(64) not null,
  constraint "PK_AbpPermissionGrants" primary key ("Id")
);
create unique index "IX_AbpPermissionGrants_TenantId_Name_ProviderName_ProviderKey" on "AbpPermissionGrants" ("TenantId", "Name", "ProviderName", "ProviderKey");
create trigger "TR_AbpPermissionGrants_NotifyChange" after insert or update or delete on "AbpPermissionGrants"
  for each statement execute function keel_notify_change();

create table "AbpRoles" (
  "Id" uuid not null,
  "TenantId" uuid,
  "Name" varchar(256) not null,
  "NormalizedName" varchar(256) not null,
  "IsDefault" boolean not null,
  "IsStatic" boolean not null,
  "IsPublic" boolean not null,
  "EntityVersion" integer not null,
  "CreationTime" timestamp without time zone not null,
  "ExtraProperties" text not null,
  "ConcurrencyStamp" varchar(40) not null,
  constraint "PK_AbpRoles" primary key ("Id")
);
create index "IX_AbpRoles_NormalizedName" on "AbpRoles" ("NormalizedName");
create trigger "TR_AbpRoles_NotifyChange" after insert or update or delete on "AbpRoles"
  for each statement execute function keel_notify_change();

create table "AbpUsers" (
  "Id" uuid not null,
  "TenantId" uuid,
  "UserName" varchar(256) not null,
  "NormalizedUserName" varchar(256) not null,
  "Name" varchar(64),
  "Surname" varchar(64),
  "Email" varchar(256) not null,
  "NormalizedEmail" varchar(256) not null,
  "EmailConfirmed" boolean not null default false,
  "PasswordHash" varchar(256),
  "SecurityStamp" varchar(256) not null,
  "IsExternal" boolean not null default false,
  "PhoneNumber" varchar(16),
  "PhoneNumberConfirmed" boolean not null default false,
  "IsActive" boolean not null,
  "TwoFactorEnabled" boolean not null default false,
  "LockoutEnd" timestamp with time zone,
  "LockoutEnabled" boolean not null default false,
  "AccessFailedCount" integer not null default 0,
  "ShouldChangePasswordOnNextLogin" boolean not null,
  "EntityVersion" integer not null,
  "LastPasswordChangeTime" timestamp with time zone,
  "LastSignInTime" timestamp with time zone,
  "Leaved" boolean not null default false,
  "ExtraProperties" text not null,
  "ConcurrencyStamp" varchar(40) not null,
  "CreationTime" timestamp without time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  constraint "PK_AbpUsers" primary key ("Id")
);
create index "IX_AbpUsers_NormalizedUserName" on "AbpUsers" ("NormalizedUserName");
create index "IX_AbpUsers_NormalizedEmail" on "AbpUsers" ("NormalizedEmail");
create index "IX_AbpUsers_UserName" on "AbpUsers" ("UserName");
create index "IX_AbpUsers_Email" on "AbpUsers" ("Email");
create unique index "IX_AbpUsers_NormalizedUserName_IsDeleted" on "AbpUsers" ("NormalizedUserName", "IsDeleted") where "IsDeleted" = false;
create unique index "IX_AbpUsers_NormalizedEmail_IsDeleted" on "AbpUsers" ("NormalizedEmail", "IsDeleted") where "IsDeleted" = false;
create trigger "TR_AbpUsers_NotifyChange" after insert or update or delete on "AbpUsers"
  for each statement execute function keel_notify_change();

create table "AbpUserRoles" (
  "UserId" uuid not null,
  "RoleId" uuid not null,
  "TenantId" uuid,
  constraint "PK_AbpUserRoles" primary key ("UserId", "RoleId"),
  constraint "FK_AbpUserRoles_AbpUsers_UserId" foreign key ("UserId") references "AbpUsers" ("Id") on delete cascade,
  constraint "FK_AbpUserRoles_AbpRoles_RoleId" foreign key ("RoleId") references "AbpRoles" ("Id") on delete cascade
);
create index "IX_AbpUserRoles_RoleId_UserId" on "AbpUserRoles" ("RoleId", "UserId");
create trigger "TR_AbpUserRoles_NotifyChange" after insert or update or delete on "AbpUserRoles"
  for each statement execute function keel_notify_change();

create table "AuthInteractions" (
  "Id" uuid not null,
  "Payload" text not null,
  "ExpirationTime" timestamp with time zone not null,
  constraint "PK_AuthInteractions" primary key ("Id")
);
create index "IX_AuthInteractions_ExpirationTime" on "AuthInteractions" ("ExpirationTime");

create table "AuthKeys" (
  "Id" uuid not null,
  "Purpose" varchar(20) not null,
  "Content" text not null,
  "CreationTime" timestamp with time zone not null,
  "ActiveFrom" timestamp with time zone not null,
  "ExpirationTime" timestamp with time zone,
  constraint "PK_AuthKeys" primary key ("Id")
);

create table "AuthRevokedTokens" (
  "Jti" varchar(64) not null,
  "ExpirationTime" timestamp with time zone not null,
  constraint "PK_AuthRevokedTokens" primary key ("Jti")
);
create index "IX_AuthRevokedTokens_ExpirationTime" on "AuthRevokedTokens" ("ExpirationTime");
create trigger "TR_AuthRevokedTokens_NotifyChange" after insert or update or delete on "AuthRevokedTokens"
  for each statement execute function keel_notify_change();

create table "AuthSessions" (
  "Id" uuid not null,
  "Uid" varchar(64) not null,
  "Subject" varchar(400),
  "Payload" text not null,
  "ExpirationTime" timestamp with time zone not null,
  constraint "PK_AuthSessions" primary key ("Id")
);
create unique index "IX_AuthSessions_Uid" on "AuthSessions" ("Uid");
create index "IX_AuthSessions_Subject" on "AuthSessions" ("Subject");
create index "IX_AuthSessions_ExpirationTime" on "AuthSessions" ("ExpirationTime");

create table "OpenIddictApplications" (
  "Id" uuid not null,
  "ExtraProperties" text not null,
  "ConcurrencyStamp" varchar(40) not null,
  "CreationTime" timestamp without time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  "ApplicationType" varchar(50),
  "ClientId" varchar(100),
  "ClientSecret" text,
  "ClientType" varchar(50),
  "ConsentType" varchar(50),
  "DisplayName" text,
  "DisplayNames" text,
  "JsonWebKeySet" text,
  "Permissions" text,
  "PostLogoutRedirectUris" text,
  "Properties" text,
  "RedirectUris" text,
  "Requirements" text,
  "Settings" text,
  "FrontChannelLogoutUri" text,
  "ClientUri" text,
  "LogoUri" text,
  constraint "PK_OpenIddictApplications" primary key ("Id")
);
create index "IX_OpenIddictApplications_ClientId" on "OpenIddictApplications" ("ClientId");
create trigger "TR_OpenIddictApplications_NotifyChange" after insert or update or delete on "OpenIddictApplications"
  for each statement execute function keel_notify_change();

create table "OpenIddictAuthorizations" (
  "Id" uuid not null,
  "ExtraProperties" text not null,
  "ConcurrencyStamp" varchar(40) not null,
  "ApplicationId" uuid,
  "CreationDate" timestamp without time zone,
  "Properties" text,
  "Scopes" text,
  "Status" varchar(50),
  "Subject" varchar(400),
  "Type" varchar(50),
  constraint "PK_OpenIddictAuthorizations" primary key ("Id"),
  constraint "FK_OpenIddictAuthorizations_OpenIddictApplications_Application~" foreign key ("ApplicationId") references "OpenIddictApplications" ("Id")
);
create index "IX_OpenIddictAuthorizations_ApplicationId_Status_Subject_Type" on "OpenIddictAuthorizations" ("ApplicationId", "Status", "Subject", "Type");

create table "OpenIddictScopes" (
  "Id" uuid not null,
  "ExtraProperties" text not null,
  "ConcurrencyStamp" varchar(40) not null,
  "CreationTime" timestamp without time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  "Description" text,
  "Descriptions" text,
  "DisplayName" text,
  "DisplayNames" text,
  "Name" varchar(200),
  "Properties" text,
  "Resources" text,
  constraint "PK_OpenIddictScopes" primary key ("Id")
);
create index "IX_OpenIddictScopes_Name" on "OpenIddictScopes" ("Name");
create trigger "TR_OpenIddictScopes_NotifyChange" after insert or update or delete on "OpenIddictScopes"
  for each statement execute function keel_notify_change();

create table "OpenIddictTokens" (
  "Id" uuid not null,
  "ExtraProperties" text not null,
  "ConcurrencyStamp" varchar(40) not null,
  "ApplicationId" uuid,
  "AuthorizationId" uuid,
  "CreationDate" timestamp without time zone,
  "ExpirationDate" timestamp without time zone,
  "Payload" text,
  "Properties" text,
  "RedemptionDate" timestamp without time zone,
  "ReferenceId" varchar(100),
  "Status" varchar(50),
  "Subject" varchar(400),
  "Type" varchar(150),
  constraint "PK_OpenIddictTokens" primary key ("Id"),
  constraint "FK_OpenIddictTokens_OpenIddictApplications_ApplicationId" foreign key ("ApplicationId") references "OpenIddictApplications" ("Id"),
  constraint "FK_OpenIddictTokens_OpenIddictAuthorizations_AuthorizationId" foreign key ("AuthorizationId") references "OpenIddictAuthorizations" ("Id")
);
create index "IX_OpenIddictTokens_AuthorizationId" on "OpenIddictTokens" ("AuthorizationId");
create index "IX_OpenIddictTokens_ReferenceId" on "OpenIddictTokens" ("ReferenceId");
create index "IX_OpenIddictTokens_ApplicationId_Status_Subject_Type" on "OpenIddictTokens" ("ApplicationId", "Status", "Subject", "Type");
create index "IX_OpenIddictTokens_ExpirationDate" on "OpenIddictTokens" ("ExpirationDate");
`,
  down: /* sql */ `
drop table "OpenIddictTokens";
drop table "OpenIddictScopes";
drop table "OpenIddictAuthorizations";
drop table "OpenIddictApplications";
drop table "AuthSessions";
drop table "AuthRevokedTokens";
drop table "AuthKeys";
drop table "AuthInteractions";
drop table "AbpUserRoles";
drop table "AbpUsers";
drop table "AbpRoles";
drop table "AbpPermissionGrants";

drop function keel_notify_change();
`,
}
