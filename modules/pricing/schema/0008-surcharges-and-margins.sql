-- PricingRateLanes lacks the index IX_PricingRateLanes_FromAnywhere: index ("OriginType") where "OriginType" = 3.
-- The table PricingFuelIndexValues is missing.
-- The table PricingFuelIndices is missing.
-- The table PricingMarginRules is missing.
-- The table PricingSurchargeRules is missing.

create table "PricingFuelIndices" (
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
  "Code" varchar(20) not null,
  "Name" varchar(100) not null,
  "Unit" varchar(20) not null,
  "TransportModeCode" varchar(20) not null,
  "Source" varchar(100),
  constraint "PK_PricingFuelIndices" primary key ("Id")
);
create unique index "IX_PricingFuelIndices_Code" on "PricingFuelIndices" ("Code") where "IsDeleted" = false;
create or replace trigger "TR_PricingFuelIndices_NotifyChange" after insert or update or delete or truncate on "PricingFuelIndices"
  for each statement execute function keel_notify_change();
alter table "PricingFuelIndices" enable always trigger "TR_PricingFuelIndices_NotifyChange";

create table "PricingFuelIndexValues" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "FuelIndexId" uuid not null,
  "ValueDate" date not null,
  "Value" numeric(18,4) not null,
  constraint "PK_PricingFuelIndexValues" primary key ("Id"),
  constraint "FK_PricingFuelIndexValues_PricingFuelIndices_FuelIndexId" foreign key ("FuelIndexId") references "PricingFuelIndices" ("Id") on delete cascade,
  constraint "CK_PricingFuelIndexValues_Value" check ("Value" > 0 and "Value" <> 'NaN')
);
create unique index "IX_PricingFuelIndexValues_FuelIndexId_ValueDate" on "PricingFuelIndexValues" ("FuelIndexId", "ValueDate") where "IsDeleted" = false;

create table "PricingMarginRules" (
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
  "Name" varchar(100) not null,
  "OrganizationId" uuid,
  "OrganizationCode" varchar(20),
  "TransportModeCode" varchar(20),
  "ContainerModeCode" varchar(20),
  "ChargeGroup" smallint,
  "ChargeCodeId" uuid,
  "OriginZoneId" uuid,
  "DestinationZoneId" uuid,
  "MarginType" smallint not null,
  "Value" numeric(18,4) not null,
  "MinMarginAmount" numeric(18,4),
  "MaxMarginAmount" numeric(18,4),
  "CurrencyCode" char(3) not null,
  "Priority" smallint not null default 100,
  "ValidFrom" date not null,
  "ValidTo" date,
  "IsActive" boolean not null default true,
  constraint "PK_PricingMarginRules" primary key ("Id"),
  constraint "FK_PricingMarginRules_PricingChargeCodes_ChargeCodeId" foreign key ("ChargeCodeId") references "PricingChargeCodes" ("Id"),
  constraint "FK_PricingMarginRules_PricingRateZones_OriginZoneId" foreign key ("OriginZoneId") references "PricingRateZones" ("Id"),
  constraint "FK_PricingMarginRules_PricingRateZones_DestinationZoneId" foreign key ("DestinationZoneId") references "PricingRateZones" ("Id"),
  constraint "FK_PricingMarginRules_PricingCurrencies_CurrencyCode" foreign key ("CurrencyCode") references "PricingCurrencies" ("Code"),
  constraint "CK_PricingMarginRules_ChargeGroup" check ("ChargeGroup" between 0 and 6),
  constraint "CK_PricingMarginRules_MarginType" check ("MarginType" between 0 and 3),
  constraint "CK_PricingMarginRules_Value" check ("Value" >= 0 and "Value" <> 'NaN' and ("MarginType" <> 1 or "Value" < 100)),
  constraint "CK_PricingMarginRules_ValidTo" check ("ValidTo" >= "ValidFrom"),
  constraint "CK_PricingMarginRules_MaxMarginAmount" check ("MaxMarginAmount" >= "MinMarginAmount" and "MaxMarginAmount" <> 'NaN'),
  constraint "CK_PricingMarginRules_MinMarginAmount" check ("MinMarginAmount" >= 0 and "MinMarginAmount" <> 'NaN')
);
--  locks PricingChargeCodes: ShareRowExclusiveLock, blocks writes
--  locks PricingRateZones: ShareRowExclusiveLock, blocks writes
--  locks PricingCurrencies: ShareRowExclusiveLock, blocks writes
create index "IX_PricingMarginRules_Active" on "PricingMarginRules" ("TransportModeCode", "ChargeGroup") where "IsActive" and "IsDeleted" = false;
create index "IX_PricingMarginRules_OrganizationId" on "PricingMarginRules" ("OrganizationId");
create index "IX_PricingMarginRules_ChargeCodeId" on "PricingMarginRules" ("ChargeCodeId");
create index "IX_PricingMarginRules_OriginZoneId" on "PricingMarginRules" ("OriginZoneId");
create index "IX_PricingMarginRules_DestinationZoneId" on "PricingMarginRules" ("DestinationZoneId");

create table "PricingSurchargeRules" (
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
  "ChargeCodeId" uuid not null,
  "TransportModeCode" varchar(20) not null,
  "ContainerModeCode" varchar(20),
  "CarrierCode" varchar(20),
  "OriginZoneId" uuid,
  "DestinationZoneId" uuid,
  "Basis" smallint not null,
  "CurrencyCode" char(3) not null,
  "Amount" numeric(18,4),
  "MinAmount" numeric(18,4),
  "MaxAmount" numeric(18,4),
  "PercentOfGroup" smallint,
  "FuelIndexId" uuid,
  "FuelBaseValue" numeric(18,4),
  "FuelStep" numeric(18,4),
  "FuelAmountPerStep" numeric(18,4),
  "AppliesWhen" smallint not null default 0,
  "ValidFrom" date not null,
  "ValidTo" date,
  "IsActive" boolean not null default true,
  constraint "PK_PricingSurchargeRules" primary key ("Id"),
  constraint "FK_PricingSurchargeRules_PricingChargeCodes_ChargeCodeId" foreign key ("ChargeCodeId") references "PricingChargeCodes" ("Id"),
  constraint "FK_PricingSurchargeRules_PricingRateZones_OriginZoneId" foreign key ("OriginZoneId") references "PricingRateZones" ("Id"),
  constraint "FK_PricingSurchargeRules_PricingRateZones_DestinationZoneId" foreign key ("DestinationZoneId") references "PricingRateZones" ("Id"),
  constraint "FK_PricingSurchargeRules_PricingCurrencies_CurrencyCode" foreign key ("CurrencyCode") references "PricingCurrencies" ("Code"),
  constraint "FK_PricingSurchargeRules_PricingFuelIndices_FuelIndexId" foreign key ("FuelIndexId") references "PricingFuelIndices" ("Id"),
  constraint "CK_PricingSurchargeRules_Basis" check ("Basis" between 0 and 10),
  constraint "CK_PricingSurchargeRules_AppliesWhen" check ("AppliesWhen" between 0 and 3),
  constraint "CK_PricingSurchargeRules_PercentOfGroup" check ("PercentOfGroup" between 0 and 6),
  constraint "CK_PricingSurchargeRules_ValidTo" check ("ValidTo" >= "ValidFrom"),
  constraint "CK_PricingSurchargeRules_MaxAmount" check ("MaxAmount" >= "MinAmount"),
  constraint "CK_PricingSurchargeRules_FuelStep" check (num_nonnulls("FuelIndexId", "FuelBaseValue", "FuelStep", "FuelAmountPerStep") in (0, 4) and ("FuelIndexId" is null or "Amount" is null) and "FuelStep" > 0),
  constraint "CK_PricingSurchargeRules_Amounts" check ("Amount" >= 0 and "Amount" <> 'NaN' and "MinAmount" >= 0 and "MinAmount" <> 'NaN' and "MaxAmount" >= 0 and "MaxAmount" <> 'NaN'
      and "FuelBaseValue" <> 'NaN' and "FuelStep" <> 'NaN' and "FuelAmountPerStep" <> 'NaN')
);
--  locks PricingChargeCodes: ShareRowExclusiveLock, blocks writes
--  locks PricingRateZones: ShareRowExclusiveLock, blocks writes
--  locks PricingCurrencies: ShareRowExclusiveLock, blocks writes
create index "IX_PricingSurchargeRules_Active" on "PricingSurchargeRules" ("TransportModeCode", "ValidFrom", "ValidTo") where "IsActive" and "IsDeleted" = false;
create index "IX_PricingSurchargeRules_ChargeCodeId" on "PricingSurchargeRules" ("ChargeCodeId");
create index "IX_PricingSurchargeRules_OriginZoneId" on "PricingSurchargeRules" ("OriginZoneId");
create index "IX_PricingSurchargeRules_DestinationZoneId" on "PricingSurchargeRules" ("DestinationZoneId");
create index "IX_PricingSurchargeRules_FuelIndexId" on "PricingSurchargeRules" ("FuelIndexId");

create index "IX_PricingRateLanes_FromAnywhere" on "PricingRateLanes" ("OriginType") where "OriginType" = 3;
--! locks PricingRateLanes: ShareLock, blocks writes
--! reads all rows
--! safer: Create it concurrently by hand before the release, under the same name and with "if not exists" in the migration.
