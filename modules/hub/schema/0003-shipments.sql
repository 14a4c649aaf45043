-- Consignments, the parties on them, and the orders and documents that travel along.

create table "HubShipments" (
  "Id" uuid not null,
  "TenantId" uuid,
  "ShipmentReference" varchar(100) not null,
  "Status" smallint not null default 0,
  "IsOnHold" boolean not null default false,
  "HoldReason" varchar(256),
  "Direction" smallint,
  "CargoReadyDate" timestamptz,
  "EstimatedPickup" timestamptz,
  "EstimatedDeparture" timestamptz,
  "EstimatedArrival" timestamptz,
  "EstimatedDelivery" timestamptz,
  "ActualPickup" timestamptz,
  "ActualDeparture" timestamptz,
  "ActualArrival" timestamptz,
  "ActualDelivery" timestamptz,
  "FirstConsolLegDeparturePortId" uuid,
  "LastConsolLegArrivalPortId" uuid,
  "OriginPortId" uuid,
  "DestinationPortId" uuid,
  "TransportModeId" uuid,
  "ContainerModeId" uuid,
  "IncotermId" uuid,
  "ServiceLevelId" uuid,
  "ReleaseTypeId" uuid,
  "PackageTypeId" uuid,
  "CargoDescription" varchar(500),
  "TotalPackages" integer,
  "TotalGrossWeight" double precision,
  "TotalVolume" double precision,
  "TotalChargeableWeight" double precision,
  "Co2Emissions" double precision,
  "GoodsValue" numeric(18,2),
  "GoodsCurrencyCode" char(3),
  "HouseBillNumber" varchar(35),
  "MasterBillNumber" varchar(35),
  "BookingReference" varchar(35),
  "ControllingCustomerId" uuid,
  "CarrierId" uuid,
  "VesselName" varchar(50),
  "VoyageFlightNumber" varchar(20),
  "IsDangerousGoods" boolean not null default false,
  "IsTemperatureControlled" boolean not null default false,
  "IsRoutingOverridden" boolean not null default false,
  "VisibleOrganizationIds" uuid[] not null default '{}',
  "QuoteId" uuid,
  "QuoteReference" varchar(50),
  "SourceSystem" varchar(50),
  "ExternalId" varchar(100),
  "CreationTime" timestamptz not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamptz,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamptz,
  "ConcurrencyStamp" varchar(40) not null,
  "ExtraProperties" jsonb not null default '{}',
  constraint "PK_HubShipments" primary key ("Id"),
  constraint "FK_HubShipments_HubPorts_FirstConsolLegDeparturePortId" foreign key ("FirstConsolLegDeparturePortId") references "HubPorts" ("Id"),
  constraint "FK_HubShipments_HubPorts_LastConsolLegArrivalPortId" foreign key ("LastConsolLegArrivalPortId") references "HubPorts" ("Id"),
  constraint "FK_HubShipments_HubPorts_OriginPortId" foreign key ("OriginPortId") references "HubPorts" ("Id"),
  constraint "FK_HubShipments_HubPorts_DestinationPortId" foreign key ("DestinationPortId") references "HubPorts" ("Id"),
  constraint "FK_HubShipments_HubCodeEntities_TransportModeId" foreign key ("TransportModeId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubShipments_HubCodeEntities_ContainerModeId" foreign key ("ContainerModeId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubShipments_HubCodeEntities_IncotermId" foreign key ("IncotermId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubShipments_HubCodeEntities_ServiceLevelId" foreign key ("ServiceLevelId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubShipments_HubCodeEntities_ReleaseTypeId" foreign key ("ReleaseTypeId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubShipments_HubCodeEntities_PackageTypeId" foreign key ("PackageTypeId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubShipments_HubOrganizations_ControllingCustomerId" foreign key ("ControllingCustomerId") references "HubOrganizations" ("Id"),
  constraint "CK_HubShipments_Status" check ("Status" between 0 and 10),
  constraint "CK_HubShipments_Direction" check ("Direction" between 0 and 3),
  constraint "CK_HubShipments_TotalPackages" check ("TotalPackages" >= 0),
  -- The upper bound keeps out Infinity and NaN, which JSON cannot carry.
  constraint "CK_HubShipments_TotalGrossWeight" check ("TotalGrossWeight" between 0 and 1.7976931348623157e308::double precision),
  constraint "CK_HubShipments_TotalVolume" check ("TotalVolume" between 0 and 1.7976931348623157e308::double precision),
  constraint "CK_HubShipments_GoodsValue" check (("GoodsValue" is null) = ("GoodsCurrencyCode" is null))
);

create unique index "IX_HubShipments_TenantId_ShipmentReference" on "HubShipments" ("TenantId", "ShipmentReference")
  nulls not distinct where "IsDeleted" = false;
create unique index "IX_HubShipments_SourceSystem_ExternalId" on "HubShipments" ("SourceSystem", "ExternalId")
  where "IsDeleted" = false and "SourceSystem" is not null and "ExternalId" is not null;

-- Upcoming shipments
create index "IX_HubShipments_EstimatedDeparture_Id" on "HubShipments" ("EstimatedDeparture", "Id")
  where "IsDeleted" = false and "EstimatedArrival" is not null
    and "FirstConsolLegDeparturePortId" is not null and "LastConsolLegArrivalPortId" is not null
    and "TransportModeId" is not null and "ContainerModeId" is not null;

-- Default list order, arrival boards, delta sync
create index "IX_HubShipments_CreationTime_Id" on "HubShipments" ("CreationTime" desc, "Id") where "IsDeleted" = false;
-- The default order within a status: rows of a status lie together in time, so that the index above would be read for long
create index "IX_HubShipments_Status_CreationTime_Id" on "HubShipments" ("Status", "CreationTime" desc, "Id") where "IsDeleted" = false;
create index "IX_HubShipments_EstimatedArrival_Id" on "HubShipments" ("EstimatedArrival", "Id") where "IsDeleted" = false;
-- The orders that people choose in a list
create index "IX_HubShipments_EstimatedDeparture" on "HubShipments" ("EstimatedDeparture") where "IsDeleted" = false;
create index "IX_HubShipments_ShipmentReference_Id" on "HubShipments" ("ShipmentReference", "Id") where "IsDeleted" = false;
create index "IX_HubShipments_LastModificationTime" on "HubShipments" ("LastModificationTime");

-- All six facets from one index-only scan
create index "IX_HubShipments_Facets" on "HubShipments" (
  "Status", "TransportModeId", "ContainerModeId",
  "FirstConsolLegDeparturePortId", "LastConsolLegArrivalPortId", "ControllingCustomerId"
) where "IsDeleted" = false;

-- Filtered lists
create index "IX_HubShipments_ControllingCustomerId_EstimatedDeparture" on "HubShipments" ("ControllingCustomerId", "EstimatedDeparture");
create index "IX_HubShipments_TransportModeId_EstimatedDeparture" on "HubShipments" ("TransportModeId", "EstimatedDeparture");
create index "IX_HubShipments_FirstConsolLegDeparturePortId_EstimatedDepartu~" on "HubShipments" ("FirstConsolLegDeparturePortId", "EstimatedDeparture");
create index "IX_HubShipments_LastConsolLegArrivalPortId_EstimatedDeparture" on "HubShipments" ("LastConsolLegArrivalPortId", "EstimatedDeparture");
create index "IX_HubShipments_Status_EstimatedDeparture" on "HubShipments" ("Status", "EstimatedDeparture");

-- Organisation context: members by their organisations, everybody by their own drafts
create index "IX_HubShipments_VisibleOrganizationIds" on "HubShipments" using gin ("VisibleOrganizationIds");
create index "IX_HubShipments_CreatorId" on "HubShipments" ("CreatorId");

-- Search
create index "IX_HubShipments_HouseBillNumber" on "HubShipments" ("HouseBillNumber");
create index "IX_HubShipments_MasterBillNumber" on "HubShipments" ("MasterBillNumber");

-- The remaining foreign keys
create index "IX_HubShipments_OriginPortId" on "HubShipments" ("OriginPortId");
create index "IX_HubShipments_DestinationPortId" on "HubShipments" ("DestinationPortId");
create index "IX_HubShipments_ContainerModeId" on "HubShipments" ("ContainerModeId");
create index "IX_HubShipments_IncotermId" on "HubShipments" ("IncotermId");
create index "IX_HubShipments_ServiceLevelId" on "HubShipments" ("ServiceLevelId");
create index "IX_HubShipments_ReleaseTypeId" on "HubShipments" ("ReleaseTypeId");
create index "IX_HubShipments_PackageTypeId" on "HubShipments" ("PackageTypeId");

create table "HubShipmentAddresses" (
  "Id" uuid not null,
  "TenantId" uuid,
  "ShipmentId" uuid not null,
  "Role" smallint not null,
  "Sequence" smallint not null default 0,
  "OrganizationId" uuid,
  "OrganizationAddressId" uuid,
  "CompanyName" varchar(200) not null,
  "AddressLine1" varchar(200),
  "AddressLine2" varchar(200),
  "City" varchar(100),
  "StateProvince" varchar(100),
  "PostalCode" varchar(20),
  "CountryCode" char(2),
  "ContactName" varchar(100),
  "Phone" varchar(50),
  "Email" varchar(256),
  "TaxNumber" varchar(30),
  "IsOverridden" boolean not null default false,
  "CreationTime" timestamptz not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamptz,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamptz,
  constraint "PK_HubShipmentAddresses" primary key ("Id"),
  constraint "FK_HubShipmentAddresses_HubShipments_ShipmentId" foreign key ("ShipmentId") references "HubShipments" ("Id") on delete cascade,
  constraint "FK_HubShipmentAddresses_HubOrganizations_OrganizationId" foreign key ("OrganizationId") references "HubOrganizations" ("Id"),
  constraint "CK_HubShipmentAddresses_Role" check ("Role" between 0 and 14)
);

create unique index "IX_HubShipmentAddresses_ShipmentId_Role_Sequence" on "HubShipmentAddresses" ("ShipmentId", "Role", "Sequence")
  where "IsDeleted" = false;
-- Consignor, consignee and controlling customer at most once each
create unique index "IX_HubShipmentAddresses_ShipmentId_Role" on "HubShipmentAddresses" ("ShipmentId", "Role")
  where "IsDeleted" = false and "Role" in (0, 1, 4);
-- The organisation predicate from either side
create index "IX_HubShipmentAddresses_OrganizationId_ShipmentId_Role" on "HubShipmentAddresses" ("OrganizationId", "ShipmentId", "Role")
  where "IsDeleted" = false;
create index "IX_HubShipmentAddresses_ShipmentId_OrganizationId" on "HubShipmentAddresses" ("ShipmentId", "OrganizationId");

create table "HubOrders" (
  "Id" uuid not null,
  "TenantId" uuid,
  "OrderNumber" varchar(50) not null,
  "SplitNumber" smallint not null default 0,
  "BuyerId" uuid not null,
  "SupplierId" uuid not null,
  "ShipmentId" uuid,
  "OrderDate" date not null,
  "RequiredExWorksDate" date,
  "RequiredInStoreDate" date,
  "CargoReadyDate" date,
  "IncotermId" uuid,
  "TransportModeId" uuid,
  "OriginPortId" uuid,
  "DestinationPortId" uuid,
  "CurrencyCode" char(3) not null,
  "TotalAmount" numeric(18,2) not null default 0,
  "TotalQuantity" numeric(18,4) not null default 0,
  "Status" smallint not null default 0,
  "Description" varchar(500),
  "ExternalId" varchar(100),
  "CreationTime" timestamptz not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamptz,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamptz,
  "ConcurrencyStamp" varchar(40) not null,
  "ExtraProperties" jsonb not null default '{}',
  constraint "PK_HubOrders" primary key ("Id"),
  constraint "FK_HubOrders_HubOrganizations_BuyerId" foreign key ("BuyerId") references "HubOrganizations" ("Id"),
  constraint "FK_HubOrders_HubOrganizations_SupplierId" foreign key ("SupplierId") references "HubOrganizations" ("Id"),
  constraint "FK_HubOrders_HubShipments_ShipmentId" foreign key ("ShipmentId") references "HubShipments" ("Id"),
  constraint "FK_HubOrders_HubCodeEntities_IncotermId" foreign key ("IncotermId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubOrders_HubCodeEntities_TransportModeId" foreign key ("TransportModeId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubOrders_HubPorts_OriginPortId" foreign key ("OriginPortId") references "HubPorts" ("Id"),
  constraint "FK_HubOrders_HubPorts_DestinationPortId" foreign key ("DestinationPortId") references "HubPorts" ("Id"),
  constraint "CK_HubOrders_SupplierId" check ("SupplierId" <> "BuyerId"),
  constraint "CK_HubOrders_Status" check ("Status" between 0 and 7)
);

create unique index "IX_HubOrders_BuyerId_OrderNumber_SplitNumber" on "HubOrders" ("BuyerId", "OrderNumber", "SplitNumber")
  where "IsDeleted" = false;
create index "IX_HubOrders_SupplierId_Status" on "HubOrders" ("SupplierId", "Status");
create index "IX_HubOrders_ShipmentId" on "HubOrders" ("ShipmentId");
create index "IX_HubOrders_IncotermId" on "HubOrders" ("IncotermId");
create index "IX_HubOrders_TransportModeId" on "HubOrders" ("TransportModeId");
create index "IX_HubOrders_OriginPortId" on "HubOrders" ("OriginPortId");
create index "IX_HubOrders_DestinationPortId" on "HubOrders" ("DestinationPortId");

create table "HubDocuments" (
  "Id" uuid not null,
  "TenantId" uuid,
  "ShipmentId" uuid,
  "OrderId" uuid,
  "OrganizationId" uuid,
  "DocumentTypeId" uuid not null,
  "Title" varchar(200),
  "FileName" varchar(255) not null,
  "ContentType" varchar(100) not null,
  "FileSize" bigint not null,
  "FileDate" timestamptz not null default now(),
  "BlobName" varchar(255) not null,
  "Sha256" char(64) not null,
  "Version" smallint not null default 1,
  "ReplacesDocumentId" uuid,
  "Status" smallint not null default 0,
  "IsCustomerVisible" boolean not null default true,
  "Source" smallint not null default 0,
  "ExpiryDate" date,
  "CreationTime" timestamptz not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamptz,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamptz,
  "ConcurrencyStamp" varchar(40) not null,
  "ExtraProperties" jsonb not null default '{}',
  constraint "PK_HubDocuments" primary key ("Id"),
  constraint "FK_HubDocuments_HubShipments_ShipmentId" foreign key ("ShipmentId") references "HubShipments" ("Id"),
  constraint "FK_HubDocuments_HubOrders_OrderId" foreign key ("OrderId") references "HubOrders" ("Id"),
  constraint "FK_HubDocuments_HubOrganizations_OrganizationId" foreign key ("OrganizationId") references "HubOrganizations" ("Id"),
  constraint "FK_HubDocuments_HubCodeEntities_DocumentTypeId" foreign key ("DocumentTypeId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubDocuments_HubDocuments_ReplacesDocumentId" foreign key ("ReplacesDocumentId") references "HubDocuments" ("Id"),
  constraint "CK_HubDocuments_Parent" check (num_nonnulls("ShipmentId", "OrderId", "OrganizationId") >= 1),
  constraint "CK_HubDocuments_FileSize" check ("FileSize" between 1 and 104857600),
  constraint "CK_HubDocuments_Status" check ("Status" between 0 and 4),
  constraint "CK_HubDocuments_Source" check ("Source" between 0 and 3)
);

-- New documents: Status 1 is Published
create index "IX_HubDocuments_CreationTime" on "HubDocuments" ("CreationTime" desc)
  where "IsDeleted" = false and "Status" = 1 and "ShipmentId" is not null;
create index "IX_HubDocuments_ShipmentId_DocumentTypeId_Version" on "HubDocuments" ("ShipmentId", "DocumentTypeId", "Version" desc);
create index "IX_HubDocuments_Sha256" on "HubDocuments" ("Sha256");
create index "IX_HubDocuments_OrderId" on "HubDocuments" ("OrderId");
create index "IX_HubDocuments_OrganizationId" on "HubDocuments" ("OrganizationId");
create index "IX_HubDocuments_DocumentTypeId" on "HubDocuments" ("DocumentTypeId");
create index "IX_HubDocuments_ReplacesDocumentId" on "HubDocuments" ("ReplacesDocumentId");

do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index "IX_HubShipments_ShipmentReference" on "HubShipments" using gin ("ShipmentReference" gin_trgm_ops);
    create index "IX_HubOrders_OrderNumber" on "HubOrders" using gin ("OrderNumber" gin_trgm_ops);
  end if;
end
$$;

create trigger "TR_HubShipments_NotifyChange" after insert or update or delete on "HubShipments"
  for each statement execute function keel_notify_change();
create trigger "TR_HubDocuments_NotifyChange" after insert or update or delete on "HubDocuments"
  for each statement execute function keel_notify_change();
