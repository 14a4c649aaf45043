-- The table PricingQuoteCargoLines is missing.
-- The table PricingQuoteCharges is missing.
-- The table PricingQuoteOptions is missing.
-- The table PricingQuotes is missing.
-- The table PricingShipmentCharges is missing.

create table "PricingQuotes" (
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
  "Reference" varchar(50) not null,
  "OrganizationId" uuid not null,
  "OrganizationCode" varchar(20) not null,
  "OrganizationName" varchar(200) not null,
  "TransportModeCode" varchar(20) not null,
  "ContainerModeCode" varchar(20) not null,
  "IncotermCode" char(3),
  "OriginUnLocode" char(5) not null,
  "DestinationUnLocode" char(5) not null,
  "CargoReadyDate" date,
  "PricingDate" date not null,
  "CurrencyCode" char(3) not null,
  "Status" smallint not null default 0,
  "ValidUntil" date,
  "IsDangerousGoods" boolean not null default false,
  "IsTemperatureControlled" boolean not null default false,
  "GoodsValue" numeric(18,2),
  "GrossWeightKg" double precision not null default 0,
  "VolumeM3" double precision not null default 0,
  "SelectedOptionId" uuid,
  "ShipmentId" uuid,
  "StatusReason" varchar(256),
  "Notes" varchar(2000),
  constraint "PK_PricingQuotes" primary key ("Id"),
  constraint "FK_PricingQuotes_PricingCurrencies_CurrencyCode" foreign key ("CurrencyCode") references "PricingCurrencies" ("Code"),
  constraint "CK_PricingQuotes_Status" check ("Status" between 0 and 8),
  constraint "CK_PricingQuotes_GrossWeightKg" check ("GrossWeightKg" >= 0 and "GrossWeightKg" not in ('NaN', 'Infinity')),
  constraint "CK_PricingQuotes_VolumeM3" check ("VolumeM3" >= 0 and "VolumeM3" not in ('NaN', 'Infinity')),
  constraint "CK_PricingQuotes_GoodsValue" check ("GoodsValue" >= 0 and "GoodsValue" <> 'NaN')
);
--  locks PricingCurrencies: ShareRowExclusiveLock, blocks writes
create unique index "IX_PricingQuotes_Reference" on "PricingQuotes" ("Reference");
create index "IX_PricingQuotes_OrganizationId_Status_PricingDate" on "PricingQuotes" ("OrganizationId", "Status", "PricingDate" desc);
create index "IX_PricingQuotes_Open" on "PricingQuotes" ("ValidUntil") where "Status" = 3 and "IsDeleted" = false;
create index "IX_PricingQuotes_CreatorId" on "PricingQuotes" ("CreatorId");
create index "IX_PricingQuotes_ShipmentId" on "PricingQuotes" ("ShipmentId");
create or replace trigger "TR_PricingQuotes_NotifyChange" after insert or update or delete or truncate on "PricingQuotes"
  for each statement execute function keel_notify_change();
alter table "PricingQuotes" enable always trigger "TR_PricingQuotes_NotifyChange";

create table "PricingQuoteCargoLines" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "QuoteId" uuid not null,
  "LineNumber" smallint not null,
  "ContainerTypeCode" char(4),
  "Quantity" integer not null,
  "PackageTypeCode" varchar(20),
  "LengthCm" double precision,
  "WidthCm" double precision,
  "HeightCm" double precision,
  "GrossWeightKg" double precision not null,
  "VolumeM3" double precision,
  "Description" varchar(500),
  constraint "PK_PricingQuoteCargoLines" primary key ("Id"),
  constraint "FK_PricingQuoteCargoLines_PricingQuotes_QuoteId" foreign key ("QuoteId") references "PricingQuotes" ("Id") on delete cascade,
  constraint "CK_PricingQuoteCargoLines_Quantity" check ("Quantity" >= 1),
  constraint "CK_PricingQuoteCargoLines_GrossWeightKg" check ("GrossWeightKg" >= 0 and "GrossWeightKg" not in ('NaN', 'Infinity')),
  constraint "CK_PricingQuoteCargoLines_VolumeM3" check ("VolumeM3" >= 0 and "VolumeM3" not in ('NaN', 'Infinity')),
  constraint "CK_PricingQuoteCargoLines_LengthCm" check ("LengthCm" >= 0 and "LengthCm" not in ('NaN', 'Infinity')),
  constraint "CK_PricingQuoteCargoLines_WidthCm" check ("WidthCm" >= 0 and "WidthCm" not in ('NaN', 'Infinity')),
  constraint "CK_PricingQuoteCargoLines_HeightCm" check ("HeightCm" >= 0 and "HeightCm" not in ('NaN', 'Infinity'))
);
create unique index "IX_PricingQuoteCargoLines_QuoteId_LineNumber" on "PricingQuoteCargoLines" ("QuoteId", "LineNumber") where "IsDeleted" = false;

create table "PricingQuoteOptions" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "QuoteId" uuid not null,
  "OptionNumber" smallint not null,
  "CarrierCode" varchar(20),
  "RateCardId" uuid,
  "RateLaneId" uuid,
  "ViaUnLocode" char(5),
  "TransitDays" integer,
  "TotalCost" numeric(18,4),
  "TotalSell" numeric(18,4) not null,
  "MarginAmount" numeric(18,4),
  "MarginPercent" numeric(9,2),
  "IsRecommended" boolean not null default false,
  constraint "PK_PricingQuoteOptions" primary key ("Id"),
  constraint "FK_PricingQuoteOptions_PricingQuotes_QuoteId" foreign key ("QuoteId") references "PricingQuotes" ("Id") on delete cascade,
  constraint "FK_PricingQuoteOptions_PricingRateCards_RateCardId" foreign key ("RateCardId") references "PricingRateCards" ("Id"),
  constraint "FK_PricingQuoteOptions_PricingRateLanes_RateLaneId" foreign key ("RateLaneId") references "PricingRateLanes" ("Id"),
  constraint "CK_PricingQuoteOptions_Amounts" check ("TotalCost" <> 'NaN' and "TotalSell" <> 'NaN' and "MarginAmount" <> 'NaN' and "MarginPercent" <> 'NaN')
);
--  locks PricingRateCards: ShareRowExclusiveLock, blocks writes
--  locks PricingRateLanes: ShareRowExclusiveLock, blocks writes
create unique index "IX_PricingQuoteOptions_QuoteId_OptionNumber" on "PricingQuoteOptions" ("QuoteId", "OptionNumber") where "IsDeleted" = false;
create index "IX_PricingQuoteOptions_RateCardId" on "PricingQuoteOptions" ("RateCardId");
create index "IX_PricingQuoteOptions_RateLaneId" on "PricingQuoteOptions" ("RateLaneId");

create table "PricingQuoteCharges" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "QuoteOptionId" uuid not null,
  "ChargeCodeId" uuid not null,
  "Description" varchar(200) not null,
  "Basis" smallint not null,
  "Quantity" numeric(18,3) not null,
  "RateAmount" numeric(18,4),
  "RateCurrencyCode" char(3),
  "CostAmount" numeric(18,4),
  "ExchangeRate" numeric(18,8),
  "CostAmountQuote" numeric(18,4),
  "SellAmount" numeric(18,4) not null,
  "MarginRuleId" uuid,
  "IsOptional" boolean not null default false,
  "Explanation" jsonb,
  "SortOrder" integer not null,
  constraint "PK_PricingQuoteCharges" primary key ("Id"),
  constraint "FK_PricingQuoteCharges_PricingQuoteOptions_QuoteOptionId" foreign key ("QuoteOptionId") references "PricingQuoteOptions" ("Id") on delete cascade,
  constraint "FK_PricingQuoteCharges_PricingChargeCodes_ChargeCodeId" foreign key ("ChargeCodeId") references "PricingChargeCodes" ("Id"),
  constraint "FK_PricingQuoteCharges_PricingCurrencies_RateCurrencyCode" foreign key ("RateCurrencyCode") references "PricingCurrencies" ("Code"),
  constraint "FK_PricingQuoteCharges_PricingMarginRules_MarginRuleId" foreign key ("MarginRuleId") references "PricingMarginRules" ("Id"),
  constraint "CK_PricingQuoteCharges_Basis" check ("Basis" between 0 and 10),
  constraint "CK_PricingQuoteCharges_Amounts" check ("Quantity" <> 'NaN' and "RateAmount" <> 'NaN' and "CostAmount" <> 'NaN' and "ExchangeRate" <> 'NaN' and "CostAmountQuote" <> 'NaN' and "SellAmount" <> 'NaN')
);
--  locks PricingChargeCodes: ShareRowExclusiveLock, blocks writes
--  locks PricingCurrencies: ShareRowExclusiveLock, blocks writes
--  locks PricingMarginRules: ShareRowExclusiveLock, blocks writes
create index "IX_PricingQuoteCharges_QuoteOptionId_SortOrder" on "PricingQuoteCharges" ("QuoteOptionId", "SortOrder");
create index "IX_PricingQuoteCharges_ChargeCodeId" on "PricingQuoteCharges" ("ChargeCodeId");
create index "IX_PricingQuoteCharges_MarginRuleId" on "PricingQuoteCharges" ("MarginRuleId");

create table "PricingShipmentCharges" (
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
  "ShipmentId" uuid not null,
  "ShipmentReference" varchar(100) not null,
  "ChargeCodeId" uuid not null,
  "Description" varchar(200) not null,
  "DebtorOrganizationId" uuid,
  "CreditorOrganizationId" uuid,
  "CostCurrencyCode" char(3),
  "CostAmount" numeric(18,4),
  "SellCurrencyCode" char(3),
  "SellAmount" numeric(18,4),
  "TaxPercent" numeric(5,2) not null default '0',
  "Status" smallint not null default 0,
  "QuoteChargeId" uuid,
  "InvoiceNumber" varchar(35),
  "InvoiceDate" date,
  constraint "PK_PricingShipmentCharges" primary key ("Id"),
  constraint "FK_PricingShipmentCharges_PricingChargeCodes_ChargeCodeId" foreign key ("ChargeCodeId") references "PricingChargeCodes" ("Id"),
  constraint "FK_PricingShipmentCharges_PricingCurrencies_CostCurrencyCode" foreign key ("CostCurrencyCode") references "PricingCurrencies" ("Code"),
  constraint "FK_PricingShipmentCharges_PricingCurrencies_SellCurrencyCode" foreign key ("SellCurrencyCode") references "PricingCurrencies" ("Code"),
  constraint "FK_PricingShipmentCharges_PricingQuoteCharges_QuoteChargeId" foreign key ("QuoteChargeId") references "PricingQuoteCharges" ("Id"),
  constraint "CK_PricingShipmentCharges_Status" check ("Status" between 0 and 4),
  constraint "CK_PricingShipmentCharges_TaxPercent" check ("TaxPercent" between 0 and 100),
  constraint "CK_PricingShipmentCharges_CostCurrencyCode" check ("CostAmount" is null or "CostCurrencyCode" is not null),
  constraint "CK_PricingShipmentCharges_SellCurrencyCode" check ("SellAmount" is null or "SellCurrencyCode" is not null),
  constraint "CK_PricingShipmentCharges_Amounts" check ("CostAmount" <> 'NaN' and "SellAmount" <> 'NaN' and "TaxPercent" <> 'NaN')
);
--  locks PricingChargeCodes: ShareRowExclusiveLock, blocks writes
--  locks PricingCurrencies: ShareRowExclusiveLock, blocks writes
create index "IX_PricingShipmentCharges_ShipmentId" on "PricingShipmentCharges" ("ShipmentId");
create index "IX_PricingShipmentCharges_DebtorOrganizationId_Status" on "PricingShipmentCharges" ("DebtorOrganizationId", "Status");
create index "IX_PricingShipmentCharges_InvoiceNumber" on "PricingShipmentCharges" ("InvoiceNumber");
create index "IX_PricingShipmentCharges_ChargeCodeId" on "PricingShipmentCharges" ("ChargeCodeId");
create unique index "IX_PricingShipmentCharges_QuoteChargeId" on "PricingShipmentCharges" ("QuoteChargeId") where "IsDeleted" = false;

-- The numbers in the references of quotes.
create sequence "PricingQuoteNumbers";
