-- The table HubEmissionFactors is missing.
-- The table HubShipmentEmissions is missing.
-- The table HubTrackingEvents is missing.

create table "HubEmissionFactors" (
  "Id" uuid not null,
  "IsActive" boolean not null default true,
  "LastImportTime" timestamp with time zone,
  "Code" varchar(50) not null,
  "TransportModeId" uuid not null,
  "VehicleClass" varchar(50) not null,
  "Region" varchar(50),
  "MinDistanceKm" double precision,
  "MaxDistanceKm" double precision,
  "IsTemperatureControlled" boolean not null default false,
  "WtwGramsPerTkm" double precision not null,
  "TtwGramsPerTkm" double precision,
  "DistanceUpliftPercent" numeric(5,2) not null default '0',
  "DistanceAddKm" numeric(6,1) not null default '0',
  "Source" varchar(200) not null,
  "SourceYear" smallint not null,
  "ValidFrom" date not null,
  "ValidTo" date,
  "IsDefault" boolean not null default false,
  constraint "PK_HubEmissionFactors" primary key ("Id"),
  constraint "FK_HubEmissionFactors_HubCodeEntities_TransportModeId" foreign key ("TransportModeId") references "HubCodeEntities" ("Id"),
  constraint "CK_HubEmissionFactors_WtwGramsPerTkm" check ("WtwGramsPerTkm" > 0),
  constraint "CK_HubEmissionFactors_TtwGramsPerTkm" check ("TtwGramsPerTkm" between 0 and "WtwGramsPerTkm"),
  constraint "CK_HubEmissionFactors_ValidTo" check ("ValidTo" >= "ValidFrom"),
  constraint "CK_HubEmissionFactors_NaN" check ("DistanceUpliftPercent" <> 'NaN' and "DistanceAddKm" <> 'NaN')
);
--  locks HubCodeEntities: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubEmissionFactors_Code_ValidFrom" on "HubEmissionFactors" ("Code", "ValidFrom");
create index "IX_HubEmissionFactors_TransportModeId_IsDefault" on "HubEmissionFactors" ("TransportModeId", "IsDefault");

create table "HubShipmentEmissions" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "ShipmentId" uuid not null,
  "ConsolLegId" uuid,
  "Sequence" smallint not null,
  "TransportModeId" uuid not null,
  "EmissionFactorId" uuid not null,
  "DistanceKm" double precision not null,
  "DistanceSource" smallint not null,
  "WeightTonnes" double precision not null,
  "WtwGramsPerTkm" double precision not null,
  "TtwGramsPerTkm" double precision,
  "Co2eKg" double precision not null,
  "Co2eTtwKg" double precision,
  "CalculationTime" timestamp with time zone not null,
  "IsCurrent" boolean not null default true,
  constraint "PK_HubShipmentEmissions" primary key ("Id"),
  constraint "FK_HubShipmentEmissions_HubShipments_ShipmentId" foreign key ("ShipmentId") references "HubShipments" ("Id") on delete cascade,
  constraint "FK_HubShipmentEmissions_HubConsolLegs_ConsolLegId" foreign key ("ConsolLegId") references "HubConsolLegs" ("Id"),
  constraint "FK_HubShipmentEmissions_HubCodeEntities_TransportModeId" foreign key ("TransportModeId") references "HubCodeEntities" ("Id"),
  constraint "FK_HubShipmentEmissions_HubEmissionFactors_EmissionFactorId" foreign key ("EmissionFactorId") references "HubEmissionFactors" ("Id"),
  constraint "CK_HubShipmentEmissions_DistanceSource" check ("DistanceSource" between 0 and 3),
  constraint "CK_HubShipmentEmissions_DistanceKm" check ("DistanceKm" >= 0)
);
--  locks HubShipments: ShareRowExclusiveLock, blocks writes
--  locks HubConsolLegs: ShareRowExclusiveLock, blocks writes
--  locks HubCodeEntities: ShareRowExclusiveLock, blocks writes
create index "IX_HubShipmentEmissions_ShipmentId" on "HubShipmentEmissions" ("ShipmentId") where "IsCurrent";
create index "IX_HubShipmentEmissions_ShipmentId_CalculationTime" on "HubShipmentEmissions" ("ShipmentId", "CalculationTime");
create index "IX_HubShipmentEmissions_ConsolLegId" on "HubShipmentEmissions" ("ConsolLegId");
create index "IX_HubShipmentEmissions_EmissionFactorId" on "HubShipmentEmissions" ("EmissionFactorId");
create index "IX_HubShipmentEmissions_TransportModeId" on "HubShipmentEmissions" ("TransportModeId");

create table "HubTrackingEvents" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "ShipmentId" uuid not null,
  "ConsolLegId" uuid,
  "ContainerId" uuid,
  "EventCategory" smallint not null,
  "EventTypeCode" char(4) not null,
  "Classifier" smallint not null,
  "EventTime" timestamp with time zone not null,
  "EventCreatedTime" timestamp with time zone not null,
  "PortId" uuid,
  "TerminalId" uuid,
  "FacilityTypeCode" char(4),
  "DocumentTypeCode" varchar(3),
  "EmptyIndicator" smallint,
  "VesselId" uuid,
  "VoyageFlightNumber" varchar(20),
  "DelayReasonCode" varchar(10),
  "Description" varchar(256),
  "Source" smallint not null,
  "ExternalEventId" varchar(100),
  constraint "PK_HubTrackingEvents" primary key ("Id"),
  constraint "FK_HubTrackingEvents_HubShipments_ShipmentId" foreign key ("ShipmentId") references "HubShipments" ("Id") on delete cascade,
  constraint "FK_HubTrackingEvents_HubConsolLegs_ConsolLegId" foreign key ("ConsolLegId") references "HubConsolLegs" ("Id"),
  constraint "FK_HubTrackingEvents_HubContainers_ContainerId" foreign key ("ContainerId") references "HubContainers" ("Id"),
  constraint "FK_HubTrackingEvents_HubPorts_PortId" foreign key ("PortId") references "HubPorts" ("Id"),
  constraint "FK_HubTrackingEvents_HubTerminals_TerminalId" foreign key ("TerminalId") references "HubTerminals" ("Id"),
  constraint "FK_HubTrackingEvents_HubVessels_VesselId" foreign key ("VesselId") references "HubVessels" ("Id"),
  constraint "CK_HubTrackingEvents_EventCategory" check ("EventCategory" between 0 and 2),
  constraint "CK_HubTrackingEvents_Classifier" check ("Classifier" between 0 and 3),
  constraint "CK_HubTrackingEvents_EmptyIndicator" check ("EmptyIndicator" between 0 and 1),
  constraint "CK_HubTrackingEvents_Source" check ("Source" between 0 and 4)
);
--  locks HubShipments: ShareRowExclusiveLock, blocks writes
--  locks HubConsolLegs: ShareRowExclusiveLock, blocks writes
--  locks HubContainers: ShareRowExclusiveLock, blocks writes
--  locks HubPorts: ShareRowExclusiveLock, blocks writes
--  locks HubTerminals: ShareRowExclusiveLock, blocks writes
--  locks HubVessels: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubTrackingEvents_Source_ExternalEventId_ShipmentId" on "HubTrackingEvents" ("Source", "ExternalEventId", "ShipmentId") where "ExternalEventId" is not null;
create index "IX_HubTrackingEvents_ShipmentId_EventTime" on "HubTrackingEvents" ("ShipmentId", "EventTime");
create index "IX_HubTrackingEvents_ContainerId_EventTime" on "HubTrackingEvents" ("ContainerId", "EventTime");
create index "IX_HubTrackingEvents_ConsolLegId" on "HubTrackingEvents" ("ConsolLegId");
create index "IX_HubTrackingEvents_PortId" on "HubTrackingEvents" ("PortId");
create index "IX_HubTrackingEvents_TerminalId" on "HubTrackingEvents" ("TerminalId");
create index "IX_HubTrackingEvents_VesselId" on "HubTrackingEvents" ("VesselId");
