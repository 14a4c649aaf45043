-- Companies, and the users who see the world through them.

create table "HubOrganizations" (
  "Id" uuid not null,
  "TenantId" uuid,
  "Code" varchar(20) not null,
  "FullName" varchar(200) not null,
  "ShortName" varchar(50),
  "ParentOrganizationId" uuid,
  "HierarchyPath" varchar(400) not null,
  "IsConsignor" boolean not null default false,
  "IsConsignee" boolean not null default false,
  "IsControllingCustomer" boolean not null default false,
  "IsForwarder" boolean not null default false,
  "IsCarrier" boolean not null default false,
  "IsBroker" boolean not null default false,
  "CountryCode" char(2) not null,
  "ClosestPortId" uuid,
  "TaxNumber" varchar(30),
  "EoriNumber" varchar(17),
  "DunsNumber" varchar(9),
  "DefaultCurrencyCode" char(3),
  "Language" varchar(10),
  "WebSite" varchar(200),
  "CreditStatus" smallint not null default 0,
  "SalesOwnerUserId" uuid,
  "ExternalId" varchar(100),
  "IsActive" boolean not null default true,
  "CreationTime" timestamptz not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamptz,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamptz,
  "ConcurrencyStamp" varchar(40) not null,
  "ExtraProperties" jsonb not null default '{}',
  constraint "PK_HubOrganizations" primary key ("Id"),
  constraint "FK_HubOrganizations_HubOrganizations_ParentOrganizationId" foreign key ("ParentOrganizationId") references "HubOrganizations" ("Id"),
  constraint "FK_HubOrganizations_HubPorts_ClosestPortId" foreign key ("ClosestPortId") references "HubPorts" ("Id"),
  constraint "CK_HubOrganizations_Code" check ("Code" ~ '^[A-Z0-9]+$'),
  constraint "CK_HubOrganizations_ParentOrganizationId" check ("ParentOrganizationId" <> "Id"),
  constraint "CK_HubOrganizations_CreditStatus" check ("CreditStatus" between 0 and 2)
);

create unique index "IX_HubOrganizations_Code" on "HubOrganizations" ("Code") where "IsDeleted" = false;
create unique index "IX_HubOrganizations_ExternalId" on "HubOrganizations" ("ExternalId")
  where "IsDeleted" = false and "ExternalId" is not null;
create index "IX_HubOrganizations_HierarchyPath" on "HubOrganizations" ("HierarchyPath" text_pattern_ops);
create index "IX_HubOrganizations_ParentOrganizationId" on "HubOrganizations" ("ParentOrganizationId");
create index "IX_HubOrganizations_ClosestPortId" on "HubOrganizations" ("ClosestPortId");

create table "HubOrganizationMembers" (
  "Id" uuid not null,
  "TenantId" uuid,
  "OrganizationId" uuid not null,
  "UserId" uuid not null,
  "UserName" varchar(256) not null,
  "AccessScope" smallint not null default 1,
  "IsDefault" boolean not null default false,
  "ValidUntil" timestamptz,
  "CreationTime" timestamptz not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamptz,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamptz,
  constraint "PK_HubOrganizationMembers" primary key ("Id"),
  constraint "FK_HubOrganizationMembers_HubOrganizations_OrganizationId" foreign key ("OrganizationId") references "HubOrganizations" ("Id") on delete cascade,
  constraint "CK_HubOrganizationMembers_AccessScope" check ("AccessScope" between 0 and 1)
);

create unique index "IX_HubOrganizationMembers_UserId_OrganizationId" on "HubOrganizationMembers" ("UserId", "OrganizationId")
  where "IsDeleted" = false;
create unique index "IX_HubOrganizationMembers_UserId_Default" on "HubOrganizationMembers" ("UserId")
  where "IsDeleted" = false and "IsDefault";
create index "IX_HubOrganizationMembers_OrganizationId" on "HubOrganizationMembers" ("OrganizationId");

do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index "IX_HubOrganizations_FullName" on "HubOrganizations" using gin ("FullName" gin_trgm_ops);
  end if;
end
$$;

create trigger "TR_HubOrganizations_NotifyChange" after insert or update or delete on "HubOrganizations"
  for each statement execute function keel_notify_change();
create trigger "TR_HubOrganizationMembers_NotifyChange" after insert or update or delete on "HubOrganizationMembers"
  for each statement execute function keel_notify_change();
