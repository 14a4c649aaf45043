-- The table HubCarriers is missing.
-- The table HubConsolLegs is missing.
-- The table HubConsolShipments is missing.
-- The table HubConsols is missing.
-- The table HubContainerTypes is missing.
-- The table HubContainers is missing.
-- The table HubDangerousSubstances is missing.
-- The table HubPackLineDangerousGoods is missing.
-- The table HubPackLines is missing.
-- The table HubSailingSchedules is missing.
-- The table HubShipmentContainers is missing.
-- The table HubTerminals is missing.
-- The table HubVessels is missing.

create table "HubCarriers" (
  "Id" uuid not null,
  "IsActive" boolean not null default true,
  "LastImportTime" timestamp with time zone,
  "Code" varchar(20) not null,
  "Name" varchar(150) not null,
  "CarrierType" smallint not null,
  "ScacCode" varchar(4),
  "IataCode" char(2),
  "AwbPrefix" char(3),
  "OrganizationId" uuid,
  "CountryCode" char(2),
  constraint "PK_HubCarriers" primary key ("Id"),
  constraint "FK_HubCarriers_HubOrganizations_OrganizationId" foreign key ("OrganizationId") references "HubOrganizations" ("Id"),
  constraint "CK_HubCarriers_CarrierType" check ("CarrierType" between 0 and 5)
);
--  locks HubOrganizations: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubCarriers_Code" on "HubCarriers" ("Code");
create unique index "IX_HubCarriers_ScacCode" on "HubCarriers" ("ScacCode") where "ScacCode" is not null;
create unique index "IX_HubCarriers_AwbPrefix" on "HubCarriers" ("AwbPrefix") where "AwbPrefix" is not null;
create index "IX_HubCarriers_OrganizationId" on "HubCarriers" ("OrganizationId");
create or replace trigger "TR_HubCarriers_NotifyChange" after insert or update or delete or truncate on "HubCarriers"
  for each statement execute function keel_notify_change();
alter table "HubCarriers" enable always trigger "TR_HubCarriers_NotifyChange";

create table "HubConsols" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "ConcurrencyStamp" varchar(40) not null,
  "ExtraProperties" jsonb not null default '{}',
  "ConsolNumber" varchar(35) not null,
  "TransportModeId" uuid not null,
  "ContainerModeId" uuid,
  "ConsolType" smallint not null,
  "Status" smallint not null default 0,
  "MasterBillNumber" varchar(35),
  "BookingReference" varchar(35),
  "CarrierId" uuid,
  "SendingAgentId" uuid,
  "ReceivingAgentId" uuid,
  "FirstLoadPortId" uuid,
  "LastDischargePortId" uuid,
  "EstimatedDeparture" timestamp with time zone,
  "EstimatedArrival" timestamp with time zone,
  "ActualDeparture" timestamp with time zone,
  "ActualArrival" timestamp with time zone,
  "CargoCutOff" timestamp with time zone,
  "DocumentCutOff" timestamp with time zone,
  "VgmCutOff" timestamp with time zone,
  "PaymentTerm" smallint not null default 0,
  constraint "PK_HubConsols" primary key ("Id"),
  constraint "FK_HubConsols_HubCodeEntities_TransportModeId" foreign key ("TransportModeId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubConsols_HubCodeEntities_ContainerModeId" foreign key ("ContainerModeId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubConsols_HubCarriers_CarrierId" foreign key ("CarrierId") references "HubCarriers" ("Id"),
  constraint "FK_HubConsols_HubOrganizations_SendingAgentId" foreign key ("SendingAgentId") references "HubOrganizations" ("Id"),
  constraint "FK_HubConsols_HubOrganizations_ReceivingAgentId" foreign key ("ReceivingAgentId") references "HubOrganizations" ("Id"),
  constraint "FK_HubConsols_HubPorts_FirstLoadPortId" foreign key ("FirstLoadPortId") references "HubPorts" ("Id"),
  constraint "FK_HubConsols_HubPorts_LastDischargePortId" foreign key ("LastDischargePortId") references "HubPorts" ("Id"),
  constraint "CK_HubConsols_Status" check ("Status" between 0 and 6),
  constraint "CK_HubConsols_ConsolType" check ("ConsolType" between 0 and 3),
  constraint "CK_HubConsols_PaymentTerm" check ("PaymentTerm" between 0 and 1)
);
--  locks HubCodeEntities: ShareRowExclusiveLock, blocks writes
--  locks HubOrganizations: ShareRowExclusiveLock, blocks writes
--  locks HubPorts: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubConsols_ConsolNumber" on "HubConsols" ("ConsolNumber");
create index "IX_HubConsols_CreationTime_Id" on "HubConsols" ("CreationTime" desc, "Id") where "IsDeleted" = false;
create index "IX_HubConsols_Status_EstimatedDeparture" on "HubConsols" ("Status", "EstimatedDeparture");
create index "IX_HubConsols_MasterBillNumber" on "HubConsols" ("MasterBillNumber");
create index "IX_HubConsols_CarrierId" on "HubConsols" ("CarrierId");
create index "IX_HubConsols_SendingAgentId" on "HubConsols" ("SendingAgentId");
create index "IX_HubConsols_ReceivingAgentId" on "HubConsols" ("ReceivingAgentId");
create index "IX_HubConsols_FirstLoadPortId" on "HubConsols" ("FirstLoadPortId");
create index "IX_HubConsols_LastDischargePortId" on "HubConsols" ("LastDischargePortId");
create index "IX_HubConsols_TransportModeId" on "HubConsols" ("TransportModeId");
create index "IX_HubConsols_ContainerModeId" on "HubConsols" ("ContainerModeId");

create table "HubTerminals" (
  "Id" uuid not null,
  "IsActive" boolean not null default true,
  "LastImportTime" timestamp with time zone,
  "PortId" uuid not null,
  "Code" varchar(20) not null,
  "Name" varchar(150) not null,
  "FacilityTypeCode" char(4) not null,
  "BicFacilityCode" varchar(9),
  "SmdgCode" varchar(6),
  "Latitude" double precision,
  "Longitude" double precision,
  constraint "PK_HubTerminals" primary key ("Id"),
  constraint "FK_HubTerminals_HubPorts_PortId" foreign key ("PortId") references "HubPorts" ("Id"),
  constraint "CK_HubTerminals_Latitude" check ("Latitude" between -90 and 90),
  constraint "CK_HubTerminals_Longitude" check ("Longitude" between -180 and 180)
);
--  locks HubPorts: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubTerminals_PortId_Code" on "HubTerminals" ("PortId", "Code");

create table "HubVessels" (
  "Id" uuid not null,
  "IsActive" boolean not null default true,
  "LastImportTime" timestamp with time zone,
  "ImoNumber" char(7),
  "Name" varchar(100) not null,
  "CallSign" varchar(10),
  "Mmsi" char(9),
  "FlagCountryCode" char(2),
  "CarrierId" uuid,
  "TeuCapacity" integer,
  "YearBuilt" smallint,
  "VesselType" smallint not null,
  constraint "PK_HubVessels" primary key ("Id"),
  constraint "FK_HubVessels_HubCarriers_CarrierId" foreign key ("CarrierId") references "HubCarriers" ("Id"),
  constraint "CK_HubVessels_VesselType" check ("VesselType" between 0 and 4),
  constraint "CK_HubVessels_TeuCapacity" check ("TeuCapacity" >= 0),
  constraint "CK_HubVessels_YearBuilt" check ("YearBuilt" between 1950 and 2100)
);
create unique index "IX_HubVessels_ImoNumber" on "HubVessels" ("ImoNumber") where "ImoNumber" is not null;
create index "IX_HubVessels_CarrierId" on "HubVessels" ("CarrierId");
do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index "IX_HubVessels_Name" on "HubVessels" using gin ("Name" gin_trgm_ops);
  end if;
end
$$;
--  locks pg_extension: AccessShareLock, blocks nothing

create table "HubSailingSchedules" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "CarrierId" uuid not null,
  "TransportModeId" uuid not null,
  "ServiceCode" varchar(20),
  "VesselId" uuid,
  "VoyageFlightNumber" varchar(20) not null,
  "DeparturePortId" uuid not null,
  "ArrivalPortId" uuid not null,
  "EstimatedDeparture" timestamp with time zone not null,
  "EstimatedArrival" timestamp with time zone not null,
  "TransitDays" integer not null,
  "TransshipmentCount" smallint not null default 0,
  "CargoCutOff" timestamp with time zone,
  "DocumentCutOff" timestamp with time zone,
  "VgmCutOff" timestamp with time zone,
  "IsCancelled" boolean not null default false,
  constraint "PK_HubSailingSchedules" primary key ("Id"),
  constraint "FK_HubSailingSchedules_HubCarriers_CarrierId" foreign key ("CarrierId") references "HubCarriers" ("Id"),
  constraint "FK_HubSailingSchedules_HubCodeEntities_TransportModeId" foreign key ("TransportModeId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubSailingSchedules_HubVessels_VesselId" foreign key ("VesselId") references "HubVessels" ("Id"),
  constraint "FK_HubSailingSchedules_HubPorts_DeparturePortId" foreign key ("DeparturePortId") references "HubPorts" ("Id"),
  constraint "FK_HubSailingSchedules_HubPorts_ArrivalPortId" foreign key ("ArrivalPortId") references "HubPorts" ("Id"),
  constraint "CK_HubSailingSchedules_EstimatedArrival" check ("EstimatedArrival" > "EstimatedDeparture"),
  constraint "CK_HubSailingSchedules_ArrivalPortId" check ("ArrivalPortId" <> "DeparturePortId"),
  constraint "CK_HubSailingSchedules_TransshipmentCount" check ("TransshipmentCount" between 0 and 5)
);
--  locks HubCodeEntities: ShareRowExclusiveLock, blocks writes
--  locks HubPorts: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubSailingSchedules_Departure" on "HubSailingSchedules" ("CarrierId", "VoyageFlightNumber", "DeparturePortId", "ArrivalPortId", "EstimatedDeparture") where "IsDeleted" = false;
create index "IX_HubSailingSchedules_DeparturePortId_ArrivalPortId_Estimated~" on "HubSailingSchedules" ("DeparturePortId", "ArrivalPortId", "EstimatedDeparture");
create index "IX_HubSailingSchedules_ArrivalPortId" on "HubSailingSchedules" ("ArrivalPortId");
create index "IX_HubSailingSchedules_VesselId" on "HubSailingSchedules" ("VesselId");
create index "IX_HubSailingSchedules_TransportModeId" on "HubSailingSchedules" ("TransportModeId");

create table "HubConsolLegs" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "ConsolId" uuid not null,
  "LegNumber" smallint not null,
  "LegType" smallint not null,
  "TransportModeId" uuid not null,
  "DeparturePortId" uuid not null,
  "ArrivalPortId" uuid not null,
  "DepartureTerminalId" uuid,
  "ArrivalTerminalId" uuid,
  "CarrierId" uuid,
  "VesselId" uuid,
  "VoyageFlightNumber" varchar(20),
  "SailingScheduleId" uuid,
  "EstimatedDeparture" timestamp with time zone,
  "EstimatedArrival" timestamp with time zone,
  "ActualDeparture" timestamp with time zone,
  "ActualArrival" timestamp with time zone,
  "DistanceKm" double precision,
  constraint "PK_HubConsolLegs" primary key ("Id"),
  constraint "FK_HubConsolLegs_HubConsols_ConsolId" foreign key ("ConsolId") references "HubConsols" ("Id") on delete cascade,
  constraint "FK_HubConsolLegs_HubCodeEntities_TransportModeId" foreign key ("TransportModeId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubConsolLegs_HubPorts_DeparturePortId" foreign key ("DeparturePortId") references "HubPorts" ("Id"),
  constraint "FK_HubConsolLegs_HubPorts_ArrivalPortId" foreign key ("ArrivalPortId") references "HubPorts" ("Id"),
  constraint "FK_HubConsolLegs_HubTerminals_DepartureTerminalId" foreign key ("DepartureTerminalId") references "HubTerminals" ("Id"),
  constraint "FK_HubConsolLegs_HubTerminals_ArrivalTerminalId" foreign key ("ArrivalTerminalId") references "HubTerminals" ("Id"),
  constraint "FK_HubConsolLegs_HubCarriers_CarrierId" foreign key ("CarrierId") references "HubCarriers" ("Id"),
  constraint "FK_HubConsolLegs_HubVessels_VesselId" foreign key ("VesselId") references "HubVessels" ("Id"),
  constraint "FK_HubConsolLegs_HubSailingSchedules_SailingScheduleId" foreign key ("SailingScheduleId") references "HubSailingSchedules" ("Id"),
  constraint "CK_HubConsolLegs_LegNumber" check ("LegNumber" between 1 and 20),
  constraint "CK_HubConsolLegs_LegType" check ("LegType" between 0 and 2),
  constraint "CK_HubConsolLegs_ArrivalPortId" check ("ArrivalPortId" <> "DeparturePortId"),
  constraint "CK_HubConsolLegs_ActualArrival" check ("ActualArrival" >= "ActualDeparture"),
  constraint "CK_HubConsolLegs_DistanceKm" check ("DistanceKm" > 0 and "DistanceKm" <= 100000)
);
--  locks HubCodeEntities: ShareRowExclusiveLock, blocks writes
--  locks HubPorts: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubConsolLegs_ConsolId_LegNumber" on "HubConsolLegs" ("ConsolId", "LegNumber") where "IsDeleted" = false;
create index "IX_HubConsolLegs_VesselId_VoyageFlightNumber" on "HubConsolLegs" ("VesselId", "VoyageFlightNumber");
create index "IX_HubConsolLegs_DeparturePortId_EstimatedDeparture" on "HubConsolLegs" ("DeparturePortId", "EstimatedDeparture");
create index "IX_HubConsolLegs_ArrivalPortId" on "HubConsolLegs" ("ArrivalPortId");
create index "IX_HubConsolLegs_DepartureTerminalId" on "HubConsolLegs" ("DepartureTerminalId");
create index "IX_HubConsolLegs_ArrivalTerminalId" on "HubConsolLegs" ("ArrivalTerminalId");
create index "IX_HubConsolLegs_CarrierId" on "HubConsolLegs" ("CarrierId");
create index "IX_HubConsolLegs_SailingScheduleId" on "HubConsolLegs" ("SailingScheduleId");
create index "IX_HubConsolLegs_TransportModeId" on "HubConsolLegs" ("TransportModeId");

create table "HubConsolShipments" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "ConsolId" uuid not null,
  "ShipmentId" uuid not null,
  "Sequence" smallint not null default 1,
  constraint "PK_HubConsolShipments" primary key ("Id"),
  constraint "FK_HubConsolShipments_HubConsols_ConsolId" foreign key ("ConsolId") references "HubConsols" ("Id") on delete cascade,
  constraint "FK_HubConsolShipments_HubShipments_ShipmentId" foreign key ("ShipmentId") references "HubShipments" ("Id") on delete cascade
);
--  locks HubShipments: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubConsolShipments_ConsolId_ShipmentId" on "HubConsolShipments" ("ConsolId", "ShipmentId") where "IsDeleted" = false;
create index "IX_HubConsolShipments_ShipmentId_Sequence" on "HubConsolShipments" ("ShipmentId", "Sequence");

create table "HubContainerTypes" (
  "Id" uuid not null,
  "IsActive" boolean not null default true,
  "LastImportTime" timestamp with time zone,
  "IsoCode" char(4) not null,
  "Alias" varchar(5) not null,
  "Name" varchar(100) not null,
  "LengthFt" numeric(4,1) not null,
  "Teu" numeric(4,2) not null,
  "TareWeightKg" integer not null,
  "MaxPayloadKg" integer not null,
  "CapacityM3" numeric(5,1),
  "IsReefer" boolean not null default false,
  "IsOpenTop" boolean not null default false,
  "IsFlatRack" boolean not null default false,
  "IsTank" boolean not null default false,
  constraint "PK_HubContainerTypes" primary key ("Id"),
  constraint "CK_HubContainerTypes_NaN" check ("LengthFt" <> 'NaN' and "Teu" <> 'NaN' and "CapacityM3" <> 'NaN')
);
create unique index "IX_HubContainerTypes_IsoCode" on "HubContainerTypes" ("IsoCode");
create unique index "IX_HubContainerTypes_Alias" on "HubContainerTypes" ("Alias");
create or replace trigger "TR_HubContainerTypes_NotifyChange" after insert or update or delete or truncate on "HubContainerTypes"
  for each statement execute function keel_notify_change();
alter table "HubContainerTypes" enable always trigger "TR_HubContainerTypes_NotifyChange";

create table "HubContainers" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "ContainerNumber" varchar(11),
  "ConsolId" uuid,
  "ContainerTypeId" uuid not null,
  "SealNumber" varchar(20),
  "TareWeightKg" double precision,
  "GrossWeightKg" double precision,
  "VgmWeightKg" double precision,
  "VgmMethod" smallint,
  "IsShipperOwned" boolean not null default false,
  "TemperatureSetPointC" double precision,
  "EmptyPickupTime" timestamp with time zone,
  "GateInTime" timestamp with time zone,
  "LoadedTime" timestamp with time zone,
  "DischargedTime" timestamp with time zone,
  "GateOutTime" timestamp with time zone,
  "EmptyReturnTime" timestamp with time zone,
  "FreeTimeExpiry" date,
  constraint "PK_HubContainers" primary key ("Id"),
  constraint "FK_HubContainers_HubConsols_ConsolId" foreign key ("ConsolId") references "HubConsols" ("Id"),
  constraint "FK_HubContainers_HubContainerTypes_ContainerTypeId" foreign key ("ContainerTypeId") references "HubContainerTypes" ("Id"),
  constraint "CK_HubContainers_VgmMethod" check ("VgmMethod" between 1 and 2)
);
create index "IX_HubContainers_ContainerNumber_CreationTime" on "HubContainers" ("ContainerNumber", "CreationTime" desc);
create unique index "IX_HubContainers_ConsolId_ContainerNumber" on "HubContainers" ("ConsolId", "ContainerNumber") where "IsDeleted" = false and "ContainerNumber" is not null;
create index "IX_HubContainers_ContainerTypeId" on "HubContainers" ("ContainerTypeId");

create table "HubDangerousSubstances" (
  "Id" uuid not null,
  "IsActive" boolean not null default true,
  "LastImportTime" timestamp with time zone,
  "UnNumber" char(4) not null,
  "Variant" varchar(10) not null default '',
  "ProperShippingName" varchar(200) not null,
  "HazardClass" varchar(5) not null,
  "SubsidiaryHazards" varchar(20),
  "PackingGroup" smallint,
  "IsMarinePollutant" boolean not null default false,
  "EmsCode" varchar(20),
  "AirProhibition" smallint not null default 0,
  constraint "PK_HubDangerousSubstances" primary key ("Id"),
  constraint "CK_HubDangerousSubstances_PackingGroup" check ("PackingGroup" between 1 and 3),
  constraint "CK_HubDangerousSubstances_AirProhibition" check ("AirProhibition" between 0 and 2)
);
create unique index "IX_HubDangerousSubstances_UnNumber_Variant_PackingGroup" on "HubDangerousSubstances" ("UnNumber", "Variant", "PackingGroup") nulls not distinct;
create index "IX_HubDangerousSubstances_ProperShippingName" on "HubDangerousSubstances" ("ProperShippingName");

create table "HubPackLines" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "ShipmentId" uuid not null,
  "LineNumber" smallint not null,
  "PackageCount" integer not null,
  "PackageTypeId" uuid not null,
  "LengthCm" double precision,
  "WidthCm" double precision,
  "HeightCm" double precision,
  "GrossWeightKg" double precision not null,
  "NetWeightKg" double precision,
  "VolumeM3" double precision,
  "Description" varchar(500),
  "MarksAndNumbers" varchar(500),
  "HsCode" varchar(6),
  "CountryOfOriginCode" char(2),
  "ContainerId" uuid,
  "OrderLineId" uuid,
  "MinTemperatureC" double precision,
  "MaxTemperatureC" double precision,
  "IsStackable" boolean not null default true,
  constraint "PK_HubPackLines" primary key ("Id"),
  constraint "FK_HubPackLines_HubShipments_ShipmentId" foreign key ("ShipmentId") references "HubShipments" ("Id") on delete cascade,
  constraint "FK_HubPackLines_HubCodeEntities_PackageTypeId" foreign key ("PackageTypeId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubPackLines_HubContainers_ContainerId" foreign key ("ContainerId") references "HubContainers" ("Id"),
  constraint "FK_HubPackLines_HubOrderLines_OrderLineId" foreign key ("OrderLineId") references "HubOrderLines" ("Id"),
  constraint "CK_HubPackLines_LineNumber" check ("LineNumber" >= 1),
  constraint "CK_HubPackLines_PackageCount" check ("PackageCount" >= 1),
  constraint "CK_HubPackLines_GrossWeightKg" check ("GrossWeightKg" between 0 and 1e9),
  constraint "CK_HubPackLines_NetWeightKg" check ("NetWeightKg" between 0 and "GrossWeightKg"),
  constraint "CK_HubPackLines_VolumeM3" check ("VolumeM3" between 0 and 1e6),
  constraint "CK_HubPackLines_MaxTemperatureC" check ("MaxTemperatureC" >= "MinTemperatureC")
);
--  locks HubShipments: ShareRowExclusiveLock, blocks writes
--  locks HubCodeEntities: ShareRowExclusiveLock, blocks writes
--  locks HubOrderLines: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubPackLines_ShipmentId_LineNumber" on "HubPackLines" ("ShipmentId", "LineNumber") where "IsDeleted" = false;
create index "IX_HubPackLines_ContainerId" on "HubPackLines" ("ContainerId");
create index "IX_HubPackLines_OrderLineId" on "HubPackLines" ("OrderLineId");
create index "IX_HubPackLines_PackageTypeId" on "HubPackLines" ("PackageTypeId");

create table "HubPackLineDangerousGoods" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "PackLineId" uuid not null,
  "DangerousSubstanceId" uuid not null,
  "ProperShippingName" varchar(200) not null,
  "HazardClass" varchar(5) not null,
  "SubsidiaryHazards" varchar(20),
  "PackingGroup" smallint,
  "NetQuantity" double precision not null,
  "UnitCode" varchar(3) not null,
  "FlashPointC" double precision,
  "IsLimitedQuantity" boolean not null default false,
  "IsMarinePollutant" boolean not null default false,
  "EmergencyContact" varchar(100) not null,
  "EmergencyPhone" varchar(50) not null,
  constraint "PK_HubPackLineDangerousGoods" primary key ("Id"),
  constraint "FK_HubPackLineDangerousGoods_HubPackLines_PackLineId" foreign key ("PackLineId") references "HubPackLines" ("Id") on delete cascade,
  constraint "FK_HubPackLineDangerousGoods_HubDangerousSubstances_DangerousS~" foreign key ("DangerousSubstanceId") references "HubDangerousSubstances" ("Id"),
  constraint "CK_HubPackLineDangerousGoods_PackingGroup" check ("PackingGroup" between 1 and 3),
  constraint "CK_HubPackLineDangerousGoods_NetQuantity" check ("NetQuantity" > 0)
);
create index "IX_HubPackLineDangerousGoods_PackLineId" on "HubPackLineDangerousGoods" ("PackLineId");
create index "IX_HubPackLineDangerousGoods_DangerousSubstanceId" on "HubPackLineDangerousGoods" ("DangerousSubstanceId");

create table "HubShipmentContainers" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "ShipmentId" uuid not null,
  "ContainerId" uuid not null,
  "Packages" integer,
  "GrossWeightKg" double precision,
  "VolumeM3" double precision,
  "SealNumber" varchar(20),
  constraint "PK_HubShipmentContainers" primary key ("Id"),
  constraint "FK_HubShipmentContainers_HubShipments_ShipmentId" foreign key ("ShipmentId") references "HubShipments" ("Id") on delete cascade,
  constraint "FK_HubShipmentContainers_HubContainers_ContainerId" foreign key ("ContainerId") references "HubContainers" ("Id") on delete cascade,
  constraint "CK_HubShipmentContainers_Packages" check ("Packages" >= 0)
);
--  locks HubShipments: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubShipmentContainers_ShipmentId_ContainerId" on "HubShipmentContainers" ("ShipmentId", "ContainerId") where "IsDeleted" = false;
create index "IX_HubShipmentContainers_ContainerId_ShipmentId" on "HubShipmentContainers" ("ContainerId", "ShipmentId");
