import type { Migration } from '../migration.js'

/**
 * The change triggers of earlier releases fired neither for truncate nor in sessions that replicate or restore (`session_replication_role`):
 * each is replaced.
 */
export const triggersFireAlwaysMigration: Migration = {
  name: '20261123-triggers-fire-always',
  up: /* sql */ `
-- Announces that rows of a table changed, so that every process drops what it cached of that table. The key is random: a copy of this
-- database that gets its rows by replication makes rows of its own, which must not be in the way of those that come.
create or replace function keel_notify_change() returns trigger language plpgsql as $$
begin
  update "KeelTableVersions" set "Version" = "Version" + 1
  where "Id" = (select "Id" from "KeelTableVersions" where "TableName" = TG_TABLE_NAME limit 1 for update skip locked);
  if not found then
    insert into "KeelTableVersions" ("Id", "TableName", "Version") overriding system value
    values ((random() * 9007199254740991)::bigint, TG_TABLE_NAME, 1);
  end if;
  perform pg_notify('keel_changes', TG_TABLE_NAME);
  return null;
end
$$;

create or replace trigger "TR_AbpFeatureValues_NotifyChange" after insert or update or delete or truncate on "AbpFeatureValues"
  for each statement execute function keel_notify_change();
alter table "AbpFeatureValues" enable always trigger "TR_AbpFeatureValues_NotifyChange";
create or replace trigger "TR_AbpOrganizationUnitRoles_NotifyChange" after insert or update or delete or truncate on "AbpOrganizationUnitRoles"
  for each statement execute function keel_notify_change();
alter table "AbpOrganizationUnitRoles" enable always trigger "TR_AbpOrganizationUnitRoles_NotifyChange";
create or replace trigger "TR_AbpOrganizationUnits_NotifyChange" after insert or update or delete or truncate on "AbpOrganizationUnits"
  for each statement execute function keel_notify_change();
alter table "AbpOrganizationUnits" enable always trigger "TR_AbpOrganizationUnits_NotifyChange";
create or replace trigger "TR_AbpPermissionGrants_NotifyChange" after insert or update or delete or truncate on "AbpPermissionGrants"
  for each statement execute function keel_notify_change();
alter table "AbpPermissionGrants" enable always trigger "TR_AbpPermissionGrants_NotifyChange";
create or replace trigger "TR_AbpRoleClaims_NotifyChange" after insert or update or delete or truncate on "AbpRoleClaims"
  for each statement execute function keel_notify_change();
alter table "AbpRoleClaims" enable always trigger "TR_AbpRoleClaims_NotifyChange";
create or replace trigger "TR_AbpRoles_NotifyChange" after insert or update or delete or truncate on "AbpRoles"
  for each statement execute function keel_notify_change();
alter table "AbpRoles" enable always trigger "TR_AbpRoles_NotifyChange";
create or replace trigger "TR_AbpSessions_NotifyChange" after delete or truncate on "AbpSessions"
  for each statement execute function keel_notify_change();
alter table "AbpSessions" enable always trigger "TR_AbpSessions_NotifyChange";
create or replace trigger "TR_AbpSettings_NotifyChange" after insert or update or delete or truncate on "AbpSettings"
  for each statement execute function keel_notify_change();
alter table "AbpSettings" enable always trigger "TR_AbpSettings_NotifyChange";
create or replace trigger "TR_AbpUserClaims_NotifyChange" after insert or update or delete or truncate on "AbpUserClaims"
  for each statement execute function keel_notify_change();
alter table "AbpUserClaims" enable always trigger "TR_AbpUserClaims_NotifyChange";
create or replace trigger "TR_AbpUserOrganizationUnits_NotifyChange" after insert or update or delete or truncate on "AbpUserOrganizationUnits"
  for each statement execute function keel_notify_change();
alter table "AbpUserOrganizationUnits" enable always trigger "TR_AbpUserOrganizationUnits_NotifyChange";
create or replace trigger "TR_AbpUserRoles_NotifyChange" after insert or update or delete or truncate on "AbpUserRoles"
  for each statement execute function keel_notify_change();
alter table "AbpUserRoles" enable always trigger "TR_AbpUserRoles_NotifyChange";
create or replace trigger "TR_AbpUsers_NotifyChange" after insert or update of "Id", "TenantId", "UserName", "NormalizedUserName", "Name", "Surname", "Email", "NormalizedEmail", "EmailConfirmed", "PasswordHash", "SecurityStamp", "IsExternal", "PhoneNumber", "PhoneNumberConfirmed", "IsActive", "TwoFactorEnabled", "LockoutEnd", "LockoutEnabled", "ShouldChangePasswordOnNextLogin", "EntityVersion", "LastPasswordChangeTime", "Leaved", "ExtraProperties", "ConcurrencyStamp", "CreationTime", "CreatorId", "LastModificationTime", "LastModifierId", "IsDeleted", "DeleterId", "DeletionTime" or delete or truncate on "AbpUsers"
  for each statement execute function keel_notify_change();
alter table "AbpUsers" enable always trigger "TR_AbpUsers_NotifyChange";
create or replace trigger "TR_AppApiKeys_NotifyChange" after insert or update or delete or truncate on "AppApiKeys"
  for each statement execute function keel_notify_change();
alter table "AppApiKeys" enable always trigger "TR_AppApiKeys_NotifyChange";
create or replace trigger "TR_AppPermissionProhibitions_NotifyChange" after insert or update or delete or truncate on "AppPermissionProhibitions"
  for each statement execute function keel_notify_change();
alter table "AppPermissionProhibitions" enable always trigger "TR_AppPermissionProhibitions_NotifyChange";
create or replace trigger "TR_AuthRevokedTokens_NotifyChange" after insert or update or delete or truncate on "AuthRevokedTokens"
  for each statement execute function keel_notify_change();
alter table "AuthRevokedTokens" enable always trigger "TR_AuthRevokedTokens_NotifyChange";
create or replace trigger "TR_KeelDataProtectionKeys_NotifyChange" after insert or update or delete or truncate on "KeelDataProtectionKeys"
  for each statement execute function keel_notify_change();
alter table "KeelDataProtectionKeys" enable always trigger "TR_KeelDataProtectionKeys_NotifyChange";
create or replace trigger "TR_OpenIddictApplications_NotifyChange" after insert or update or delete or truncate on "OpenIddictApplications"
  for each statement execute function keel_notify_change();
alter table "OpenIddictApplications" enable always trigger "TR_OpenIddictApplications_NotifyChange";
create or replace trigger "TR_OpenIddictScopes_NotifyChange" after insert or update or delete or truncate on "OpenIddictScopes"
  for each statement execute function keel_notify_change();
alter table "OpenIddictScopes" enable always trigger "TR_OpenIddictScopes_NotifyChange";
`,
  down: /* sql */ `
-- Announces that rows of a table changed, so that every process drops what it cached of that table.
create or replace function keel_notify_change() returns trigger language plpgsql as $$
begin
  update "KeelTableVersions" set "Version" = "Version" + 1
  where "Id" = (select "Id" from "KeelTableVersions" where "TableName" = TG_TABLE_NAME limit 1 for update skip locked);
  if not found then
    insert into "KeelTableVersions" ("TableName", "Version") values (TG_TABLE_NAME, 1);
  end if;
  perform pg_notify('keel_changes', TG_TABLE_NAME);
  return null;
end
$$;

create or replace trigger "TR_AbpFeatureValues_NotifyChange" after insert or update or delete on "AbpFeatureValues"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_AbpOrganizationUnitRoles_NotifyChange" after insert or update or delete on "AbpOrganizationUnitRoles"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_AbpOrganizationUnits_NotifyChange" after insert or update or delete on "AbpOrganizationUnits"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_AbpPermissionGrants_NotifyChange" after insert or update or delete on "AbpPermissionGrants"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_AbpRoleClaims_NotifyChange" after insert or update or delete on "AbpRoleClaims"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_AbpRoles_NotifyChange" after insert or update or delete on "AbpRoles"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_AbpSessions_NotifyChange" after delete on "AbpSessions"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_AbpSettings_NotifyChange" after insert or update or delete on "AbpSettings"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_AbpUserClaims_NotifyChange" after insert or update or delete on "AbpUserClaims"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_AbpUserOrganizationUnits_NotifyChange" after insert or update or delete on "AbpUserOrganizationUnits"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_AbpUserRoles_NotifyChange" after insert or update or delete on "AbpUserRoles"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_AbpUsers_NotifyChange" after insert or update of "Id", "TenantId", "UserName", "NormalizedUserName", "Name", "Surname", "Email", "NormalizedEmail", "EmailConfirmed", "PasswordHash", "SecurityStamp", "IsExternal", "PhoneNumber", "PhoneNumberConfirmed", "IsActive", "TwoFactorEnabled", "LockoutEnd", "LockoutEnabled", "ShouldChangePasswordOnNextLogin", "EntityVersion", "LastPasswordChangeTime", "Leaved", "ExtraProperties", "ConcurrencyStamp", "CreationTime", "CreatorId", "LastModificationTime", "LastModifierId", "IsDeleted", "DeleterId", "DeletionTime" or delete on "AbpUsers"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_AppApiKeys_NotifyChange" after insert or update or delete on "AppApiKeys"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_AppPermissionProhibitions_NotifyChange" after insert or update or delete on "AppPermissionProhibitions"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_AuthRevokedTokens_NotifyChange" after insert or update or delete on "AuthRevokedTokens"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_KeelDataProtectionKeys_NotifyChange" after insert or update or delete on "KeelDataProtectionKeys"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_OpenIddictApplications_NotifyChange" after insert or update or delete on "OpenIddictApplications"
  for each statement execute function keel_notify_change();
create or replace trigger "TR_OpenIddictScopes_NotifyChange" after insert or update or delete on "OpenIddictScopes"
  for each statement execute function keel_notify_change();
`,
}
