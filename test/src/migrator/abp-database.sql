-- The tables of an ABP application of release 10 on PostgreSQL, as its Entity Framework migrations leave them.

CREATE TABLE "__EFMigrationsHistory" (
  "MigrationId" character varying(150) NOT NULL,
  "ProductVersion" character varying(32) NOT NULL,
  CONSTRAINT "PK___EFMigrationsHistory" PRIMARY KEY ("MigrationId")
);

CREATE TABLE "AbpUsers" (
  "Id" uuid NOT NULL,
  "TenantId" uuid,
  "UserName" character varying(256) NOT NULL,
  "NormalizedUserName" character varying(256) NOT NULL,
  "Name" character varying(64),
  "Surname" character varying(64),
  "Email" character varying(256) NOT NULL,
  "NormalizedEmail" character varying(256) NOT NULL,
  "EmailConfirmed" boolean NOT NULL DEFAULT FALSE,
  "PasswordHash" character varying(256),
  "SecurityStamp" character varying(256) NOT NULL,
  "IsExternal" boolean NOT NULL DEFAULT FALSE,
  "PhoneNumber" character varying(16),
  "PhoneNumberConfirmed" boolean NOT NULL DEFAULT FALSE,
  "IsActive" boolean NOT NULL,
  "TwoFactorEnabled" boolean NOT NULL DEFAULT FALSE,
  "LockoutEnd" timestamp with time zone,
  "LockoutEnabled" boolean NOT NULL DEFAULT FALSE,
  "AccessFailedCount" integer NOT NULL DEFAULT 0,
  "ShouldChangePasswordOnNextLogin" boolean NOT NULL,
  "EntityVersion" integer NOT NULL,
  "LastPasswordChangeTime" timestamp with time zone,
  "LastSignInTime" timestamp with time zone,
  "Leaved" boolean NOT NULL DEFAULT FALSE,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean NOT NULL DEFAULT FALSE,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  CONSTRAINT "PK_AbpUsers" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpUserClaims" (
  "Id" uuid NOT NULL,
  "UserId" uuid NOT NULL,
  "TenantId" uuid,
  "ClaimType" character varying(256) NOT NULL,
  "ClaimValue" character varying(1024),
  CONSTRAINT "PK_AbpUserClaims" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpUserLogins" (
  "UserId" uuid NOT NULL,
  "LoginProvider" character varying(64) NOT NULL,
  "TenantId" uuid,
  "ProviderKey" character varying(196) NOT NULL,
  "ProviderDisplayName" character varying(128),
  CONSTRAINT "PK_AbpUserLogins" PRIMARY KEY ("UserId", "LoginProvider")
);

CREATE TABLE "AbpUserTokens" (
  "UserId" uuid NOT NULL,
  "LoginProvider" character varying(64) NOT NULL,
  "Name" character varying(128) NOT NULL,
  "TenantId" uuid,
  "Value" text,
  CONSTRAINT "PK_AbpUserTokens" PRIMARY KEY ("UserId", "LoginProvider", "Name")
);

CREATE TABLE "AbpUserRoles" (
  "UserId" uuid NOT NULL,
  "RoleId" uuid NOT NULL,
  "TenantId" uuid,
  CONSTRAINT "PK_AbpUserRoles" PRIMARY KEY ("UserId", "RoleId")
);

CREATE TABLE "AbpUserOrganizationUnits" (
  "OrganizationUnitId" uuid NOT NULL,
  "UserId" uuid NOT NULL,
  "TenantId" uuid,
  "CreationTime" timestamp without time zone NOT NULL,
  "CreatorId" uuid,
  CONSTRAINT "PK_AbpUserOrganizationUnits" PRIMARY KEY ("OrganizationUnitId", "UserId")
);

CREATE TABLE "AbpUserDelegations" (
  "Id" uuid NOT NULL,
  "TenantId" uuid,
  "SourceUserId" uuid NOT NULL,
  "TargetUserId" uuid NOT NULL,
  "StartTime" timestamp without time zone NOT NULL,
  "EndTime" timestamp without time zone NOT NULL,
  CONSTRAINT "PK_AbpUserDelegations" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpUserPasskeys" (
  "CredentialId" bytea NOT NULL,
  "TenantId" uuid,
  "UserId" uuid NOT NULL,
  "Data" jsonb,
  CONSTRAINT "PK_AbpUserPasskeys" PRIMARY KEY ("CredentialId")
);

CREATE TABLE "AbpUserPasswordHistories" (
  "UserId" uuid NOT NULL,
  "Password" character varying(256) NOT NULL,
  "TenantId" uuid,
  "CreatedAt" timestamp with time zone NOT NULL,
  CONSTRAINT "PK_AbpUserPasswordHistories" PRIMARY KEY ("UserId", "Password")
);

CREATE TABLE "AbpUserInvitations" (
  "Id" uuid NOT NULL,
  "InviterTenantId" uuid,
  "InviteeEmail" text,
  "InvitationDate" timestamp with time zone NOT NULL,
  "AssignedRoles" text,
  "Status" integer NOT NULL,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  CONSTRAINT "PK_AbpUserInvitations" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpRoles" (
  "Id" uuid NOT NULL,
  "TenantId" uuid,
  "Name" character varying(256) NOT NULL,
  "NormalizedName" character varying(256) NOT NULL,
  "IsDefault" boolean NOT NULL,
  "IsStatic" boolean NOT NULL,
  "IsPublic" boolean NOT NULL,
  "EntityVersion" integer NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  CONSTRAINT "PK_AbpRoles" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpRoleClaims" (
  "Id" uuid NOT NULL,
  "RoleId" uuid NOT NULL,
  "TenantId" uuid,
  "ClaimType" character varying(256) NOT NULL,
  "ClaimValue" character varying(1024),
  CONSTRAINT "PK_AbpRoleClaims" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpClaimTypes" (
  "Id" uuid NOT NULL,
  "Name" character varying(256) NOT NULL,
  "Required" boolean NOT NULL,
  "IsStatic" boolean NOT NULL,
  "Regex" character varying(512),
  "RegexDescription" character varying(128),
  "Description" character varying(256),
  "ValueType" integer NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  CONSTRAINT "PK_AbpClaimTypes" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpOrganizationUnits" (
  "Id" uuid NOT NULL,
  "TenantId" uuid,
  "ParentId" uuid,
  "Code" character varying(95) NOT NULL,
  "DisplayName" character varying(128) NOT NULL,
  "EntityVersion" integer NOT NULL,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean NOT NULL DEFAULT FALSE,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  CONSTRAINT "PK_AbpOrganizationUnits" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpOrganizationUnitRoles" (
  "OrganizationUnitId" uuid NOT NULL,
  "RoleId" uuid NOT NULL,
  "TenantId" uuid,
  "CreationTime" timestamp without time zone NOT NULL,
  "CreatorId" uuid,
  CONSTRAINT "PK_AbpOrganizationUnitRoles" PRIMARY KEY ("OrganizationUnitId", "RoleId")
);

CREATE TABLE "AbpLinkUsers" (
  "Id" uuid NOT NULL,
  "SourceUserId" uuid NOT NULL,
  "SourceTenantId" uuid,
  "TargetUserId" uuid NOT NULL,
  "TargetTenantId" uuid,
  CONSTRAINT "PK_AbpLinkUsers" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpSecurityLogs" (
  "Id" uuid NOT NULL,
  "TenantId" uuid,
  "ApplicationName" character varying(96),
  "Identity" character varying(96),
  "Action" character varying(96),
  "UserId" uuid,
  "UserName" character varying(256),
  "TenantName" character varying(64),
  "ClientId" character varying(64),
  "CorrelationId" character varying(64),
  "ClientIpAddress" character varying(64),
  "BrowserInfo" character varying(512),
  "CreationTime" timestamp without time zone NOT NULL,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  CONSTRAINT "PK_AbpSecurityLogs" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpSessions" (
  "Id" uuid NOT NULL,
  "SessionId" character varying(128) NOT NULL,
  "Device" character varying(64) NOT NULL,
  "DeviceInfo" character varying(256),
  "TenantId" uuid,
  "UserId" uuid NOT NULL,
  "ClientId" character varying(64),
  "IpAddresses" character varying(2048),
  "SignedIn" timestamp without time zone NOT NULL,
  "LastAccessed" timestamp without time zone,
  "ExtraProperties" text,
  CONSTRAINT "PK_AbpSessions" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpPermissionGrants" (
  "Id" uuid NOT NULL,
  "TenantId" uuid,
  "Name" character varying(128) NOT NULL,
  "ProviderName" character varying(64) NOT NULL,
  "ProviderKey" character varying(64) NOT NULL,
  CONSTRAINT "PK_AbpPermissionGrants" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpResourcePermissionGrants" (
  "Id" uuid NOT NULL,
  "TenantId" uuid,
  "Name" character varying(128) NOT NULL,
  "ProviderName" character varying(64) NOT NULL,
  "ProviderKey" character varying(64) NOT NULL,
  "ResourceName" character varying(256) NOT NULL,
  "ResourceKey" character varying(256) NOT NULL,
  CONSTRAINT "PK_AbpResourcePermissionGrants" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpPermissionGroups" (
  "Id" uuid NOT NULL,
  "Name" character varying(128) NOT NULL,
  "DisplayName" character varying(256) NOT NULL,
  "ExtraProperties" text,
  CONSTRAINT "PK_AbpPermissionGroups" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpPermissions" (
  "Id" uuid NOT NULL,
  "GroupName" character varying(128),
  "Name" character varying(128) NOT NULL,
  "ResourceName" character varying(256),
  "ManagementPermissionName" character varying(128),
  "ParentName" character varying(128),
  "DisplayName" character varying(256) NOT NULL,
  "IsEnabled" boolean NOT NULL,
  "MultiTenancySide" smallint NOT NULL,
  "Providers" character varying(128),
  "StateCheckers" character varying(256),
  "ExtraProperties" text,
  CONSTRAINT "PK_AbpPermissions" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpSettings" (
  "Id" uuid NOT NULL,
  "Name" character varying(128) NOT NULL,
  "Value" character varying(2048) NOT NULL,
  "ProviderName" character varying(64),
  "ProviderKey" character varying(64),
  CONSTRAINT "PK_AbpSettings" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpSettingDefinitions" (
  "Id" uuid NOT NULL,
  "Name" character varying(128) NOT NULL,
  "DisplayName" character varying(256) NOT NULL,
  "Description" character varying(512),
  "DefaultValue" character varying(2048),
  "IsVisibleToClients" boolean NOT NULL,
  "Providers" character varying(1024),
  "IsInherited" boolean NOT NULL,
  "IsEncrypted" boolean NOT NULL,
  "ExtraProperties" text,
  CONSTRAINT "PK_AbpSettingDefinitions" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpFeatureValues" (
  "Id" uuid NOT NULL,
  "Name" character varying(128) NOT NULL,
  "Value" character varying(128) NOT NULL,
  "ProviderName" character varying(64),
  "ProviderKey" character varying(64),
  CONSTRAINT "PK_AbpFeatureValues" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpFeatureGroups" (
  "Id" uuid NOT NULL,
  "Name" character varying(128) NOT NULL,
  "DisplayName" character varying(256) NOT NULL,
  "ExtraProperties" text,
  CONSTRAINT "PK_AbpFeatureGroups" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpFeatures" (
  "Id" uuid NOT NULL,
  "GroupName" character varying(128) NOT NULL,
  "Name" character varying(128) NOT NULL,
  "ParentName" character varying(128),
  "DisplayName" character varying(256) NOT NULL,
  "Description" character varying(256),
  "DefaultValue" character varying(256),
  "IsVisibleToClients" boolean NOT NULL,
  "IsAvailableToHost" boolean NOT NULL,
  "AllowedProviders" character varying(256),
  "ValueType" character varying(2048),
  "ExtraProperties" text,
  CONSTRAINT "PK_AbpFeatures" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpTenants" (
  "Id" uuid NOT NULL,
  "Name" character varying(64) NOT NULL,
  "NormalizedName" character varying(64) NOT NULL,
  "EntityVersion" integer NOT NULL,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean NOT NULL DEFAULT FALSE,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  CONSTRAINT "PK_AbpTenants" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpTenantConnectionStrings" (
  "TenantId" uuid NOT NULL,
  "Name" character varying(64) NOT NULL,
  "Value" character varying(1024) NOT NULL,
  CONSTRAINT "PK_AbpTenantConnectionStrings" PRIMARY KEY ("TenantId", "Name")
);

CREATE TABLE "AbpAuditLogs" (
  "Id" uuid NOT NULL,
  "ApplicationName" character varying(96),
  "UserId" uuid,
  "UserName" character varying(256),
  "TenantId" uuid,
  "TenantName" character varying(64),
  "ImpersonatorUserId" uuid,
  "ImpersonatorUserName" character varying(256),
  "ImpersonatorTenantId" uuid,
  "ImpersonatorTenantName" character varying(64),
  "ExecutionTime" timestamp without time zone NOT NULL,
  "ExecutionDuration" integer NOT NULL,
  "ClientIpAddress" character varying(64),
  "ClientName" character varying(128),
  "ClientId" character varying(64),
  "CorrelationId" character varying(64),
  "BrowserInfo" character varying(512),
  "HttpMethod" character varying(16),
  "Url" character varying(256),
  "Exceptions" text,
  "Comments" character varying(256),
  "HttpStatusCode" integer,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  CONSTRAINT "PK_AbpAuditLogs" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpAuditLogActions" (
  "Id" uuid NOT NULL,
  "TenantId" uuid,
  "AuditLogId" uuid NOT NULL,
  "ServiceName" character varying(256),
  "MethodName" character varying(128),
  "Parameters" character varying(2000),
  "ExecutionTime" timestamp without time zone NOT NULL,
  "ExecutionDuration" integer NOT NULL,
  "ExtraProperties" text,
  CONSTRAINT "PK_AbpAuditLogActions" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpEntityChanges" (
  "Id" uuid NOT NULL,
  "AuditLogId" uuid NOT NULL,
  "TenantId" uuid,
  "ChangeTime" timestamp without time zone NOT NULL,
  "ChangeType" smallint NOT NULL,
  "EntityTenantId" uuid,
  "EntityId" character varying(128),
  "EntityTypeFullName" character varying(512) NOT NULL,
  "ExtraProperties" text,
  CONSTRAINT "PK_AbpEntityChanges" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpEntityPropertyChanges" (
  "Id" uuid NOT NULL,
  "TenantId" uuid,
  "EntityChangeId" uuid NOT NULL,
  "NewValue" character varying(512),
  "OriginalValue" character varying(512),
  "PropertyName" character varying(128) NOT NULL,
  "PropertyTypeFullName" character varying(512) NOT NULL,
  CONSTRAINT "PK_AbpEntityPropertyChanges" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpAuditLogExcelFiles" (
  "Id" uuid NOT NULL,
  "TenantId" uuid,
  "FileName" character varying(256),
  "CreationTime" timestamp without time zone NOT NULL,
  "CreatorId" uuid,
  CONSTRAINT "PK_AbpAuditLogExcelFiles" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpBackgroundJobs" (
  "Id" uuid NOT NULL,
  "ApplicationName" character varying(96),
  "JobName" character varying(128) NOT NULL,
  "JobArgs" character varying(1048576) NOT NULL,
  "TryCount" smallint NOT NULL DEFAULT 0,
  "CreationTime" timestamp without time zone NOT NULL,
  "NextTryTime" timestamp without time zone NOT NULL,
  "LastTryTime" timestamp without time zone,
  "CompletionTime" timestamp without time zone,
  "IsAbandoned" boolean NOT NULL DEFAULT FALSE,
  "Priority" smallint NOT NULL DEFAULT 15,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  CONSTRAINT "PK_AbpBackgroundJobs" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpBlobContainers" (
  "Id" uuid NOT NULL,
  "TenantId" uuid,
  "Name" character varying(128) NOT NULL,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  CONSTRAINT "PK_AbpBlobContainers" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpBlobs" (
  "Id" uuid NOT NULL,
  "ContainerId" uuid NOT NULL,
  "TenantId" uuid,
  "Name" character varying(256) NOT NULL,
  "Content" bytea,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  CONSTRAINT "PK_AbpBlobs" PRIMARY KEY ("Id")
);

CREATE TABLE "OpenIddictApplications" (
  "Id" uuid NOT NULL,
  "ApplicationType" character varying(50),
  "ClientId" character varying(100),
  "ClientSecret" text,
  "ClientType" character varying(50),
  "ConsentType" character varying(50),
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
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean NOT NULL DEFAULT FALSE,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  CONSTRAINT "PK_OpenIddictApplications" PRIMARY KEY ("Id")
);

CREATE TABLE "OpenIddictScopes" (
  "Id" uuid NOT NULL,
  "Description" text,
  "Descriptions" text,
  "DisplayName" text,
  "DisplayNames" text,
  "Name" character varying(200),
  "Properties" text,
  "Resources" text,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean NOT NULL DEFAULT FALSE,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  CONSTRAINT "PK_OpenIddictScopes" PRIMARY KEY ("Id")
);

CREATE TABLE "OpenIddictAuthorizations" (
  "Id" uuid NOT NULL,
  "ApplicationId" uuid,
  "CreationDate" timestamp without time zone,
  "Properties" text,
  "Scopes" text,
  "Status" character varying(50),
  "Subject" character varying(400),
  "Type" character varying(50),
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  CONSTRAINT "PK_OpenIddictAuthorizations" PRIMARY KEY ("Id")
);

CREATE TABLE "OpenIddictTokens" (
  "Id" uuid NOT NULL,
  "ApplicationId" uuid,
  "AuthorizationId" uuid,
  "CreationDate" timestamp without time zone,
  "ExpirationDate" timestamp without time zone,
  "Payload" text,
  "Properties" text,
  "RedemptionDate" timestamp without time zone,
  "ReferenceId" character varying(100),
  "Status" character varying(50),
  "Subject" character varying(400),
  "Type" character varying(150),
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  CONSTRAINT "PK_OpenIddictTokens" PRIMARY KEY ("Id")
);

CREATE TABLE "SaasEditions" (
  "Id" uuid NOT NULL,
  "DisplayName" character varying(128) NOT NULL,
  "PlanId" uuid,
  "EntityVersion" integer NOT NULL,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean NOT NULL DEFAULT FALSE,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  CONSTRAINT "PK_SaasEditions" PRIMARY KEY ("Id")
);

CREATE TABLE "SaasTenants" (
  "Id" uuid NOT NULL,
  "Name" character varying(64) NOT NULL,
  "NormalizedName" character varying(64) NOT NULL,
  "EditionId" uuid,
  "EditionEndDateUtc" timestamp without time zone,
  "ActivationState" smallint NOT NULL,
  "ActivationEndDate" timestamp without time zone,
  "EntityVersion" integer NOT NULL,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean NOT NULL DEFAULT FALSE,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  CONSTRAINT "PK_SaasTenants" PRIMARY KEY ("Id")
);

CREATE TABLE "SaasTenantConnectionStrings" (
  "TenantId" uuid NOT NULL,
  "Name" character varying(64) NOT NULL,
  "Value" character varying(1024) NOT NULL,
  CONSTRAINT "PK_SaasTenantConnectionStrings" PRIMARY KEY ("TenantId", "Name")
);

CREATE TABLE "AbpLanguages" (
  "Id" uuid NOT NULL,
  "CultureName" character varying(10) NOT NULL,
  "UiCultureName" character varying(10) NOT NULL,
  "DisplayName" character varying(32) NOT NULL,
  "IsEnabled" boolean NOT NULL,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean NOT NULL DEFAULT FALSE,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  CONSTRAINT "PK_AbpLanguages" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpLanguageTexts" (
  "Id" uuid NOT NULL,
  "TenantId" uuid,
  "ResourceName" character varying(128) NOT NULL,
  "CultureName" character varying(10) NOT NULL,
  "Name" character varying(512) NOT NULL,
  "Value" text NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  CONSTRAINT "PK_AbpLanguageTexts" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpLocalizationResources" (
  "Id" uuid NOT NULL,
  "Name" character varying(128) NOT NULL,
  "DefaultCulture" character varying(10),
  "BaseResources" character varying(1280),
  "SupportedCultures" character varying(640),
  "CreationTime" timestamp without time zone NOT NULL,
  "LastModificationTime" timestamp without time zone,
  CONSTRAINT "PK_AbpLocalizationResources" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpLocalizationTexts" (
  "Id" uuid NOT NULL,
  "ResourceName" character varying(128) NOT NULL,
  "CultureName" character varying(10) NOT NULL,
  "Value" text NOT NULL,
  "CreationTime" uuid NOT NULL,
  "LastModificationTime" uuid,
  CONSTRAINT "PK_AbpLocalizationTexts" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpTextTemplateContents" (
  "Id" uuid NOT NULL,
  "TenantId" uuid,
  "Name" character varying(128) NOT NULL,
  "CultureName" character varying(10),
  "Content" text NOT NULL,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  "CreatorId" uuid,
  "LastModificationTime" timestamp without time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean NOT NULL DEFAULT FALSE,
  "DeleterId" uuid,
  "DeletionTime" timestamp without time zone,
  CONSTRAINT "PK_AbpTextTemplateContents" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpTextTemplateDefinitionRecords" (
  "Id" uuid NOT NULL,
  "Name" character varying(128) NOT NULL,
  "DisplayName" character varying(256),
  "IsLayout" boolean NOT NULL,
  "Layout" character varying(256),
  "LocalizationResourceName" character varying(256),
  "IsInlineLocalized" boolean NOT NULL,
  "DefaultCultureName" character varying(10),
  "RenderEngine" character varying(64),
  "ExtraProperties" text,
  CONSTRAINT "PK_AbpTextTemplateDefinitionRecords" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpTextTemplateDefinitionContentRecords" (
  "Id" uuid NOT NULL,
  "DefinitionId" uuid NOT NULL,
  "FileName" character varying(256) NOT NULL,
  "FileContent" text,
  CONSTRAINT "PK_AbpTextTemplateDefinitionContentRecords" PRIMARY KEY ("Id")
);

CREATE TABLE "GdprRequests" (
  "Id" uuid NOT NULL,
  "UserId" uuid NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  "ReadyTime" timestamp without time zone NOT NULL,
  "ExtraProperties" text NOT NULL,
  "ConcurrencyStamp" character varying(40) NOT NULL,
  CONSTRAINT "PK_GdprRequests" PRIMARY KEY ("Id")
);

CREATE TABLE "GdprInfo" (
  "Id" uuid NOT NULL,
  "RequestId" uuid NOT NULL,
  "Data" text NOT NULL,
  "Provider" character varying(256) NOT NULL,
  CONSTRAINT "PK_GdprInfo" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpEventOutbox" (
  "Id" uuid NOT NULL,
  "ExtraProperties" text NOT NULL,
  "EventName" character varying(256) NOT NULL,
  "EventData" bytea NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  CONSTRAINT "PK_AbpEventOutbox" PRIMARY KEY ("Id")
);

CREATE TABLE "AbpEventInbox" (
  "Id" uuid NOT NULL,
  "ExtraProperties" text NOT NULL,
  "MessageId" text NOT NULL,
  "EventName" character varying(256) NOT NULL,
  "EventData" bytea NOT NULL,
  "CreationTime" timestamp without time zone NOT NULL,
  "Status" integer NOT NULL,
  "HandledTime" timestamp without time zone,
  "RetryCount" integer NOT NULL,
  "NextRetryTime" timestamp without time zone,
  CONSTRAINT "PK_AbpEventInbox" PRIMARY KEY ("Id")
);

ALTER TABLE "AbpUserClaims" ADD CONSTRAINT "FK_AbpUserClaims_AbpUsers_UserId" FOREIGN KEY ("UserId") REFERENCES "AbpUsers" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpUserRoles" ADD CONSTRAINT "FK_AbpUserRoles_AbpRoles_RoleId" FOREIGN KEY ("RoleId") REFERENCES "AbpRoles" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpUserPasskeys" ADD CONSTRAINT "FK_AbpUserPasskeys_AbpUsers_UserId" FOREIGN KEY ("UserId") REFERENCES "AbpUsers" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpUserPasswordHistories" ADD CONSTRAINT "FK_AbpUserPasswordHistories_AbpUsers_UserId" FOREIGN KEY ("UserId") REFERENCES "AbpUsers" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpRoleClaims" ADD CONSTRAINT "FK_AbpRoleClaims_AbpRoles_RoleId" FOREIGN KEY ("RoleId") REFERENCES "AbpRoles" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpOrganizationUnits" ADD CONSTRAINT "FK_AbpOrganizationUnits_AbpOrganizationUnits_ParentId" FOREIGN KEY ("ParentId") REFERENCES "AbpOrganizationUnits" ("Id");
ALTER TABLE "AbpTenantConnectionStrings" ADD CONSTRAINT "FK_AbpTenantConnectionStrings_AbpTenants_TenantId" FOREIGN KEY ("TenantId") REFERENCES "AbpTenants" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpAuditLogActions" ADD CONSTRAINT "FK_AbpAuditLogActions_AbpAuditLogs_AuditLogId" FOREIGN KEY ("AuditLogId") REFERENCES "AbpAuditLogs" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpEntityChanges" ADD CONSTRAINT "FK_AbpEntityChanges_AbpAuditLogs_AuditLogId" FOREIGN KEY ("AuditLogId") REFERENCES "AbpAuditLogs" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpEntityPropertyChanges" ADD CONSTRAINT "FK_AbpEntityPropertyChanges_AbpEntityChanges_EntityChangeId" FOREIGN KEY ("EntityChangeId") REFERENCES "AbpEntityChanges" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpBlobs" ADD CONSTRAINT "FK_AbpBlobs_AbpBlobContainers_ContainerId" FOREIGN KEY ("ContainerId") REFERENCES "AbpBlobContainers" ("Id") ON DELETE CASCADE;
ALTER TABLE "OpenIddictAuthorizations" ADD CONSTRAINT "FK_OpenIddictAuthorizations_OpenIddictApplications_Application~" FOREIGN KEY ("ApplicationId") REFERENCES "OpenIddictApplications" ("Id");
ALTER TABLE "SaasTenantConnectionStrings" ADD CONSTRAINT "FK_SaasTenantConnectionStrings_SaasTenants_TenantId" FOREIGN KEY ("TenantId") REFERENCES "SaasTenants" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpTextTemplateDefinitionContentRecords" ADD CONSTRAINT "FK_AbpTextTemplateDefinitionContentRecords_AbpTextTemplateDefi~" FOREIGN KEY ("DefinitionId") REFERENCES "AbpTextTemplateDefinitionRecords" ("Id") ON DELETE CASCADE;
ALTER TABLE "GdprInfo" ADD CONSTRAINT "FK_GdprInfo_GdprRequests_RequestId" FOREIGN KEY ("RequestId") REFERENCES "GdprRequests" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpUserLogins" ADD CONSTRAINT "FK_AbpUserLogins_AbpUsers_UserId" FOREIGN KEY ("UserId") REFERENCES "AbpUsers" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpUserTokens" ADD CONSTRAINT "FK_AbpUserTokens_AbpUsers_UserId" FOREIGN KEY ("UserId") REFERENCES "AbpUsers" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpUserRoles" ADD CONSTRAINT "FK_AbpUserRoles_AbpUsers_UserId" FOREIGN KEY ("UserId") REFERENCES "AbpUsers" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpUserOrganizationUnits" ADD CONSTRAINT "FK_AbpUserOrganizationUnits_AbpUsers_UserId" FOREIGN KEY ("UserId") REFERENCES "AbpUsers" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpUserOrganizationUnits" ADD CONSTRAINT "FK_AbpUserOrganizationUnits_AbpOrganizationUnits_OrganizationU~" FOREIGN KEY ("OrganizationUnitId") REFERENCES "AbpOrganizationUnits" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpOrganizationUnitRoles" ADD CONSTRAINT "FK_AbpOrganizationUnitRoles_AbpOrganizationUnits_OrganizationU~" FOREIGN KEY ("OrganizationUnitId") REFERENCES "AbpOrganizationUnits" ("Id") ON DELETE CASCADE;
ALTER TABLE "AbpOrganizationUnitRoles" ADD CONSTRAINT "FK_AbpOrganizationUnitRoles_AbpRoles_RoleId" FOREIGN KEY ("RoleId") REFERENCES "AbpRoles" ("Id") ON DELETE CASCADE;
ALTER TABLE "OpenIddictTokens" ADD CONSTRAINT "FK_OpenIddictTokens_OpenIddictApplications_ApplicationId" FOREIGN KEY ("ApplicationId") REFERENCES "OpenIddictApplications" ("Id");
ALTER TABLE "OpenIddictTokens" ADD CONSTRAINT "FK_OpenIddictTokens_OpenIddictAuthorizations_AuthorizationId" FOREIGN KEY ("AuthorizationId") REFERENCES "OpenIddictAuthorizations" ("Id");

CREATE INDEX "IX_AbpUsers_NormalizedEmail" ON "AbpUsers" ("NormalizedEmail");
CREATE INDEX "IX_AbpUsers_UserName" ON "AbpUsers" ("UserName");
CREATE INDEX "IX_AbpUsers_Email" ON "AbpUsers" ("Email");
CREATE INDEX "IX_AbpUserClaims_UserId" ON "AbpUserClaims" ("UserId");
CREATE INDEX "IX_AbpUserLogins_LoginProvider_ProviderKey" ON "AbpUserLogins" ("LoginProvider", "ProviderKey");
CREATE INDEX "IX_AbpUserRoles_RoleId_UserId" ON "AbpUserRoles" ("RoleId", "UserId");
CREATE INDEX "IX_AbpUserOrganizationUnits_UserId_OrganizationUnitId" ON "AbpUserOrganizationUnits" ("UserId", "OrganizationUnitId");
CREATE INDEX "IX_AbpUserPasskeys_UserId" ON "AbpUserPasskeys" ("UserId");
CREATE INDEX "IX_AbpRoles_NormalizedName" ON "AbpRoles" ("NormalizedName");
CREATE INDEX "IX_AbpRoleClaims_RoleId" ON "AbpRoleClaims" ("RoleId");
CREATE INDEX "IX_AbpOrganizationUnits_Code" ON "AbpOrganizationUnits" ("Code");
CREATE INDEX "IX_AbpOrganizationUnits_ParentId" ON "AbpOrganizationUnits" ("ParentId");
CREATE INDEX "IX_AbpOrganizationUnitRoles_RoleId_OrganizationUnitId" ON "AbpOrganizationUnitRoles" ("RoleId", "OrganizationUnitId");
CREATE UNIQUE INDEX "IX_AbpLinkUsers_SourceUserId_SourceTenantId_TargetUserId_Targe~" ON "AbpLinkUsers" ("SourceUserId", "SourceTenantId", "TargetUserId", "TargetTenantId");
CREATE INDEX "IX_AbpSecurityLogs_TenantId_ApplicationName" ON "AbpSecurityLogs" ("TenantId", "ApplicationName");
CREATE INDEX "IX_AbpSecurityLogs_TenantId_Identity" ON "AbpSecurityLogs" ("TenantId", "Identity");
CREATE INDEX "IX_AbpSecurityLogs_TenantId_Action" ON "AbpSecurityLogs" ("TenantId", "Action");
CREATE INDEX "IX_AbpSecurityLogs_TenantId_UserId" ON "AbpSecurityLogs" ("TenantId", "UserId");
CREATE INDEX "IX_AbpSessions_SessionId" ON "AbpSessions" ("SessionId");
CREATE INDEX "IX_AbpSessions_Device" ON "AbpSessions" ("Device");
CREATE INDEX "IX_AbpSessions_TenantId_UserId" ON "AbpSessions" ("TenantId", "UserId");
CREATE UNIQUE INDEX "IX_AbpPermissionGrants_TenantId_Name_ProviderName_ProviderKey" ON "AbpPermissionGrants" ("TenantId", "Name", "ProviderName", "ProviderKey");
CREATE UNIQUE INDEX "IX_AbpResourcePermissionGrants_TenantId_Name_ResourceName_Reso~" ON "AbpResourcePermissionGrants" ("TenantId", "Name", "ResourceName", "ResourceKey", "ProviderName", "ProviderKey");
CREATE UNIQUE INDEX "IX_AbpPermissionGroups_Name" ON "AbpPermissionGroups" ("Name");
CREATE INDEX "IX_AbpPermissions_GroupName" ON "AbpPermissions" ("GroupName");
CREATE UNIQUE INDEX "IX_AbpPermissions_ResourceName_Name" ON "AbpPermissions" ("ResourceName", "Name");
CREATE UNIQUE INDEX "IX_AbpSettings_Name_ProviderName_ProviderKey" ON "AbpSettings" ("Name", "ProviderName", "ProviderKey");
CREATE UNIQUE INDEX "IX_AbpSettingDefinitions_Name" ON "AbpSettingDefinitions" ("Name");
CREATE UNIQUE INDEX "IX_AbpFeatureValues_Name_ProviderName_ProviderKey" ON "AbpFeatureValues" ("Name", "ProviderName", "ProviderKey");
CREATE UNIQUE INDEX "IX_AbpFeatureGroups_Name" ON "AbpFeatureGroups" ("Name");
CREATE INDEX "IX_AbpFeatures_GroupName" ON "AbpFeatures" ("GroupName");
CREATE UNIQUE INDEX "IX_AbpFeatures_Name" ON "AbpFeatures" ("Name");
CREATE INDEX "IX_AbpTenants_Name" ON "AbpTenants" ("Name");
CREATE INDEX "IX_AbpTenants_NormalizedName" ON "AbpTenants" ("NormalizedName");
CREATE INDEX "IX_AbpAuditLogs_TenantId_ExecutionTime" ON "AbpAuditLogs" ("TenantId", "ExecutionTime");
CREATE INDEX "IX_AbpAuditLogs_TenantId_UserId_ExecutionTime" ON "AbpAuditLogs" ("TenantId", "UserId", "ExecutionTime");
CREATE INDEX "IX_AbpAuditLogActions_AuditLogId" ON "AbpAuditLogActions" ("AuditLogId");
CREATE INDEX "IX_AbpAuditLogActions_TenantId_ServiceName_MethodName_Executio~" ON "AbpAuditLogActions" ("TenantId", "ServiceName", "MethodName", "ExecutionTime");
CREATE INDEX "IX_AbpEntityChanges_AuditLogId" ON "AbpEntityChanges" ("AuditLogId");
CREATE INDEX "IX_AbpEntityChanges_TenantId_EntityTypeFullName_EntityId" ON "AbpEntityChanges" ("TenantId", "EntityTypeFullName", "EntityId");
CREATE INDEX "IX_AbpEntityPropertyChanges_EntityChangeId" ON "AbpEntityPropertyChanges" ("EntityChangeId");
CREATE INDEX "IX_AbpBackgroundJobs_IsAbandoned_NextTryTime" ON "AbpBackgroundJobs" ("IsAbandoned", "NextTryTime");
CREATE INDEX "IX_AbpBlobContainers_TenantId_Name" ON "AbpBlobContainers" ("TenantId", "Name");
CREATE INDEX "IX_AbpBlobs_ContainerId" ON "AbpBlobs" ("ContainerId");
CREATE INDEX "IX_AbpBlobs_TenantId_ContainerId_Name" ON "AbpBlobs" ("TenantId", "ContainerId", "Name");
CREATE INDEX "IX_OpenIddictApplications_ClientId" ON "OpenIddictApplications" ("ClientId");
CREATE INDEX "IX_OpenIddictScopes_Name" ON "OpenIddictScopes" ("Name");
CREATE INDEX "IX_OpenIddictAuthorizations_ApplicationId_Status_Subject_Type" ON "OpenIddictAuthorizations" ("ApplicationId", "Status", "Subject", "Type");
CREATE INDEX "IX_OpenIddictTokens_ReferenceId" ON "OpenIddictTokens" ("ReferenceId");
CREATE INDEX "IX_OpenIddictTokens_ApplicationId_Status_Subject_Type" ON "OpenIddictTokens" ("ApplicationId", "Status", "Subject", "Type");
CREATE INDEX "IX_SaasEditions_DisplayName" ON "SaasEditions" ("DisplayName");
CREATE INDEX "IX_SaasTenants_Name" ON "SaasTenants" ("Name");
CREATE INDEX "IX_SaasTenants_NormalizedName" ON "SaasTenants" ("NormalizedName");
CREATE INDEX "IX_AbpLanguages_CultureName" ON "AbpLanguages" ("CultureName");
CREATE INDEX "IX_AbpLanguageTexts_TenantId_ResourceName_CultureName" ON "AbpLanguageTexts" ("TenantId", "ResourceName", "CultureName");
CREATE UNIQUE INDEX "IX_AbpLocalizationResources_Name" ON "AbpLocalizationResources" ("Name");
CREATE UNIQUE INDEX "IX_AbpLocalizationTexts_ResourceName_CultureName" ON "AbpLocalizationTexts" ("ResourceName", "CultureName");
CREATE UNIQUE INDEX "IX_AbpTextTemplateDefinitionRecords_Name" ON "AbpTextTemplateDefinitionRecords" ("Name");
CREATE INDEX "IX_AbpTextTemplateDefinitionContentRecords_DefinitionId" ON "AbpTextTemplateDefinitionContentRecords" ("DefinitionId");
CREATE INDEX "IX_GdprRequests_UserId" ON "GdprRequests" ("UserId");
CREATE INDEX "IX_GdprInfo_RequestId" ON "GdprInfo" ("RequestId");
CREATE INDEX "IX_AbpUsers_NormalizedUserName" ON "AbpUsers" ("NormalizedUserName");
CREATE INDEX "IX_AbpEventOutbox_CreationTime" ON "AbpEventOutbox" ("CreationTime");
CREATE INDEX "IX_AbpEventInbox_MessageId" ON "AbpEventInbox" ("MessageId");
CREATE INDEX "IX_AbpEventInbox_Status_CreationTime" ON "AbpEventInbox" ("Status", "CreationTime");

-- Rows as such an application writes them.

INSERT INTO "__EFMigrationsHistory" VALUES ('20240110081424_Initial', '9.0.0'), ('20250714093511_Upgraded_To_Abp_10', '10.0.0');
INSERT INTO "AbpUsers" ("Id", "UserName", "NormalizedUserName", "Name", "Email", "NormalizedEmail", "PasswordHash", "SecurityStamp", "IsActive", "LockoutEnabled", "ShouldChangePasswordOnNextLogin", "EntityVersion", "ExtraProperties", "ConcurrencyStamp", "CreationTime", "IsDeleted") VALUES
  ('3a1ae17a-0000-7000-8000-000000000001', 'mette', 'METTE', 'Mette', 'mette@fjord.example', 'METTE@FJORD.EXAMPLE', 'AQAAAAIAAYagAAAAEJ7cOVmnQ2bxG2wPp0v0cHh6l3tYpS0cH9k2v2Qm0Yw4m7o5mX0Yk5aJm3n4o5p6qA==', 'QWERTYUIOPASDFGHJKLZXCVBNM234567', true, true, false, 3, '{"Badge":"17"}', '0123456789abcdef0123456789abcdef', '2025-01-10 08:14:24', false),
  ('3a1ae17a-0000-7000-8000-000000000002', 'olav', 'OLAV', 'Olav', 'olav@fjord.example', 'OLAV@FJORD.EXAMPLE', NULL, 'ZWERTYUIOPASDFGHJKLZXCVBNM234567', false, true, true, 0, '{}', '1123456789abcdef0123456789abcdef', '2025-02-11 09:15:25', true);
INSERT INTO "AbpRoles" ("Id", "Name", "NormalizedName", "IsDefault", "IsStatic", "IsPublic", "EntityVersion", "ExtraProperties", "ConcurrencyStamp", "CreationTime") VALUES
  ('3a1ae17a-0000-7000-8000-000000000011', 'Dispatcher', 'DISPATCHER', false, false, true, 1, '{}', '2123456789abcdef0123456789abcdef', '2025-01-10 08:14:25');
INSERT INTO "AbpUserRoles" ("UserId", "RoleId") VALUES ('3a1ae17a-0000-7000-8000-000000000001', '3a1ae17a-0000-7000-8000-000000000011');
INSERT INTO "AbpUserClaims" ("Id", "UserId", "ClaimType", "ClaimValue") VALUES ('3a1ae17a-0000-7000-8000-000000000021', '3a1ae17a-0000-7000-8000-000000000001', 'desk', '4');
INSERT INTO "AbpOrganizationUnits" ("Id", "Code", "DisplayName", "EntityVersion", "ExtraProperties", "ConcurrencyStamp", "CreationTime") VALUES
  ('3a1ae17a-0000-7000-8000-000000000031', '00001', 'Bergen', 0, '{}', '3123456789abcdef0123456789abcdef', '2025-01-10 08:14:26');
INSERT INTO "AbpUserOrganizationUnits" ("OrganizationUnitId", "UserId", "CreationTime") VALUES ('3a1ae17a-0000-7000-8000-000000000031', '3a1ae17a-0000-7000-8000-000000000001', '2025-01-10 08:14:27');
INSERT INTO "AbpPermissionGrants" ("Id", "Name", "ProviderName", "ProviderKey") VALUES
  ('3a1ae17a-0000-7000-8000-000000000041', 'AbpIdentity.Users', 'R', 'Dispatcher'),
  ('3a1ae17a-0000-7000-8000-000000000042', 'AbpIdentity.Roles', 'U', '3a1ae17a-0000-7000-8000-000000000001');
INSERT INTO "AbpSettings" ("Id", "Name", "Value", "ProviderName") VALUES ('3a1ae17a-0000-7000-8000-000000000051', 'Abp.Localization.DefaultLanguage', 'nb', 'G');
INSERT INTO "AbpFeatureValues" ("Id", "Name", "Value", "ProviderName") VALUES ('3a1ae17a-0000-7000-8000-000000000061', 'SettingManagement.Enable', 'true', 'E');
INSERT INTO "OpenIddictScopes" ("Id", "Name", "Resources", "ExtraProperties", "ConcurrencyStamp", "CreationTime") VALUES
  ('3a1ae17a-0000-7000-8000-000000000071', 'Fjord', '["Fjord"]', '{}', '4123456789abcdef0123456789abcdef', '2025-01-10 08:14:28');
INSERT INTO "OpenIddictApplications" ("Id", "ApplicationType", "ClientId", "ClientType", "ConsentType", "DisplayName", "Permissions", "RedirectUris", "ExtraProperties", "ConcurrencyStamp", "CreationTime") VALUES
  ('3a1ae17a-0000-7000-8000-000000000081', 'web', 'Fjord_App', 'public', 'implicit', 'Fjord', '["ept:token","gt:authorization_code","scp:Fjord"]', '["http://localhost:4200"]', '{}', '5123456789abcdef0123456789abcdef', '2025-01-10 08:14:29');
INSERT INTO "OpenIddictAuthorizations" ("Id", "ApplicationId", "CreationDate", "Scopes", "Status", "Subject", "Type", "ExtraProperties", "ConcurrencyStamp") VALUES
  ('3a1ae17a-0000-7000-8000-000000000091', '3a1ae17a-0000-7000-8000-000000000081', '2025-01-10 08:14:30', '["openid"]', 'valid', '3a1ae17a-0000-7000-8000-000000000001', 'permanent', '{}', '6123456789abcdef0123456789abcdef');
INSERT INTO "OpenIddictTokens" ("Id", "ApplicationId", "AuthorizationId", "CreationDate", "ExpirationDate", "Status", "Subject", "Type", "ExtraProperties", "ConcurrencyStamp") VALUES
  ('3a1ae17a-0000-7000-8000-0000000000a1', '3a1ae17a-0000-7000-8000-000000000081', '3a1ae17a-0000-7000-8000-000000000091', '2025-01-10 08:14:31', '2025-01-10 09:14:31', 'valid', '3a1ae17a-0000-7000-8000-000000000001', 'access_token', '{}', '7123456789abcdef0123456789abcdef');
INSERT INTO "AbpAuditLogs" ("Id", "UserId", "ExecutionTime", "ExecutionDuration", "HttpMethod", "Url", "HttpStatusCode", "ExtraProperties", "ConcurrencyStamp") VALUES
  ('3a1ae17a-0000-7000-8000-0000000000b1', '3a1ae17a-0000-7000-8000-000000000001', '2025-01-10 08:14:32', 12, 'GET', '/api/app/book', 200, '{}', '8123456789abcdef0123456789abcdef');
INSERT INTO "AbpAuditLogActions" ("Id", "AuditLogId", "ServiceName", "MethodName", "ExecutionTime", "ExecutionDuration") VALUES
  ('3a1ae17a-0000-7000-8000-0000000000b2', '3a1ae17a-0000-7000-8000-0000000000b1', 'BookAppService', 'GetList', '2025-01-10 08:14:32', 9);
INSERT INTO "AbpSecurityLogs" ("Id", "ApplicationName", "Identity", "Action", "UserName", "CreationTime", "ExtraProperties", "ConcurrencyStamp") VALUES
  ('3a1ae17a-0000-7000-8000-0000000000c1', 'Fjord', 'OpenIddict', 'LoginSucceeded', 'mette', '2025-01-10 08:14:33', '{}', '9123456789abcdef0123456789abcdef');
INSERT INTO "AbpSessions" ("Id", "SessionId", "Device", "UserId", "SignedIn") VALUES ('3a1ae17a-0000-7000-8000-0000000000d1', 's-1', 'Web', '3a1ae17a-0000-7000-8000-000000000001', '2025-01-10 08:14:34');
INSERT INTO "SaasTenants" ("Id", "Name", "NormalizedName", "ActivationState", "EntityVersion", "ExtraProperties", "ConcurrencyStamp", "CreationTime") VALUES
  ('3a1ae17a-0000-7000-8000-0000000000e1', 'fjord', 'FJORD', 0, 0, '{}', 'a123456789abcdef0123456789abcdef', '2025-01-10 08:14:35');
INSERT INTO "AbpBackgroundJobs" ("Id", "JobName", "JobArgs", "CreationTime", "NextTryTime", "TryCount", "ExtraProperties", "ConcurrencyStamp") VALUES
  ('3a1ae17a-0000-7000-8000-0000000000f1', 'SendMail', '{"to":"mette@fjord.example"}', '2025-01-10 08:14:36', '2025-01-10 08:14:36', 0, '{}', 'b123456789abcdef0123456789abcdef');
INSERT INTO "AbpEventInbox" ("Id", "ExtraProperties", "MessageId", "EventName", "EventData", "CreationTime", "Status", "RetryCount") VALUES
  ('3a1ae17a-0000-7000-8000-0000000000f2', '{}', 'm-1', 'Fjord.Booked', 'x', '2025-01-10 08:14:37', 0, 0);
INSERT INTO "AbpBlobContainers" ("Id", "Name", "ExtraProperties", "ConcurrencyStamp") VALUES ('3a1ae17a-0000-7000-8000-0000000000f3', 'photos', '{}', 'c123456789abcdef0123456789abcdef');
-- An application's own column and table.
ALTER TABLE "AbpUsers" ADD COLUMN "Badge" integer;
UPDATE "AbpUsers" SET "Badge" = 17 WHERE "UserName" = 'mette';
CREATE TABLE "AppBooks" ("Id" uuid NOT NULL CONSTRAINT "PK_AppBooks" PRIMARY KEY, "Title" character varying(128) NOT NULL);
INSERT INTO "AppBooks" VALUES ('3a1ae17a-0000-7000-8000-0000000000f4', 'Sult');
