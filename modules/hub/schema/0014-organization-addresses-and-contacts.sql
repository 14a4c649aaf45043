-- Addresses and contacts of organizations.

create table "HubOrganizationAddresses" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "OrganizationId" uuid not null,
  "AddressType" smallint not null,
  "Code" varchar(20) not null,
  "Line1" varchar(200) not null,
  "Line2" varchar(200),
  "City" varchar(100) not null,
  "StateProvince" varchar(100),
  "PostalCode" varchar(20),
  "CountryCode" char(2) not null,
  "PortId" uuid,
  "Latitude" double precision,
  "Longitude" double precision,
  "IsDefault" boolean not null default false,
  constraint "PK_HubOrganizationAddresses" primary key ("Id"),
  constraint "FK_HubOrganizationAddresses_HubOrganizations_OrganizationId" foreign key ("OrganizationId") references "HubOrganizations" ("Id") on delete cascade,
  constraint "FK_HubOrganizationAddresses_HubPorts_PortId" foreign key ("PortId") references "HubPorts" ("Id"),
  constraint "CK_HubOrganizationAddresses_AddressType" check ("AddressType" between 0 and 4),
  constraint "CK_HubOrganizationAddresses_Latitude" check ("Latitude" between -90 and 90),
  constraint "CK_HubOrganizationAddresses_Longitude" check ("Longitude" between -180 and 180)
);
--  locks HubOrganizations: ShareRowExclusiveLock, blocks writes
--  locks HubPorts: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubOrganizationAddresses_OrganizationId_Code" on "HubOrganizationAddresses" ("OrganizationId", "Code") where "IsDeleted" = false;
create unique index "IX_HubOrganizationAddresses_OrganizationId_Default" on "HubOrganizationAddresses" ("OrganizationId", "AddressType") where "IsDeleted" = false and "IsDefault";
create index "IX_HubOrganizationAddresses_PortId" on "HubOrganizationAddresses" ("PortId");

create table "HubOrganizationContacts" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "OrganizationId" uuid not null,
  "OrganizationAddressId" uuid,
  "FullName" varchar(100) not null,
  "JobTitle" varchar(100),
  "Email" varchar(256),
  "Phone" varchar(50),
  "Mobile" varchar(50),
  "Department" smallint,
  "ReceivesNotifications" boolean not null default false,
  "IsPrimary" boolean not null default false,
  constraint "PK_HubOrganizationContacts" primary key ("Id"),
  constraint "FK_HubOrganizationContacts_HubOrganizations_OrganizationId" foreign key ("OrganizationId") references "HubOrganizations" ("Id") on delete cascade,
  constraint "CK_HubOrganizationContacts_Department" check ("Department" between 0 and 6)
);
--  locks HubOrganizations: ShareRowExclusiveLock, blocks writes
create index "IX_HubOrganizationContacts_OrganizationId_IsPrimary" on "HubOrganizationContacts" ("OrganizationId", "IsPrimary");
create index "IX_HubOrganizationContacts_OrganizationAddressId" on "HubOrganizationContacts" ("OrganizationAddressId");
create index "IX_HubOrganizationContacts_LowerEmail" on "HubOrganizationContacts" ((lower("Email")));
