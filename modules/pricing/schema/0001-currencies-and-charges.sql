-- Money and the vocabulary of charges.
-- replaces f2f57493fb920fe96b82b479d8dc425ada819486d7bf43941a5878bfbd72900e

create table "PricingCurrencies" (
  "Id" uuid not null,
  "Code" char(3) not null,
  "NumericCode" char(3) not null,
  "Name" varchar(100) not null,
  "MinorUnits" smallint not null,
  "Symbol" varchar(5),
  "IsActive" boolean not null default true,
  "LastImportTime" timestamptz,
  constraint "PK_PricingCurrencies" primary key ("Id"),
  constraint "CK_PricingCurrencies_MinorUnits" check ("MinorUnits" between 0 and 4)
);

create unique index "IX_PricingCurrencies_Code" on "PricingCurrencies" ("Code");

create table "PricingExchangeRates" (
  "Id" uuid not null,
  "TenantId" uuid,
  "FromCurrencyCode" char(3) not null,
  "ToCurrencyCode" char(3) not null,
  "RateDate" date not null,
  "RateType" smallint not null default 0,
  "Rate" numeric(18,8) not null,
  "Source" varchar(50) not null,
  "CreationTime" timestamptz not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamptz,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamptz,
  "ConcurrencyStamp" varchar(40) not null,
  "ExtraProperties" jsonb not null default '{}',
  constraint "PK_PricingExchangeRates" primary key ("Id"),
  constraint "FK_PricingExchangeRates_PricingCurrencies_FromCurrencyCode" foreign key ("FromCurrencyCode") references "PricingCurrencies" ("Code"),
  constraint "FK_PricingExchangeRates_PricingCurrencies_ToCurrencyCode" foreign key ("ToCurrencyCode") references "PricingCurrencies" ("Code"),
  constraint "CK_PricingExchangeRates_ToCurrencyCode" check ("ToCurrencyCode" <> "FromCurrencyCode"),
  constraint "CK_PricingExchangeRates_RateType" check ("RateType" between 0 and 2),
  constraint "CK_PricingExchangeRates_Rate" check ("Rate" > 0)
);

create unique index "IX_PricingExchangeRates_Rate" on "PricingExchangeRates" ("FromCurrencyCode", "ToCurrencyCode", "RateType", "RateDate")
  where "IsDeleted" = false;
-- The rate in force on a day: one index-only step
create index "IX_PricingExchangeRates_LatestRate" on "PricingExchangeRates" ("FromCurrencyCode", "ToCurrencyCode", "RateType", "RateDate" desc)
  include ("Rate") where "IsDeleted" = false;
create index "IX_PricingExchangeRates_ToCurrencyCode" on "PricingExchangeRates" ("ToCurrencyCode");

create table "PricingChargeCodes" (
  "Id" uuid not null,
  "Code" varchar(10) not null,
  "Name" varchar(100) not null,
  "ChargeGroup" smallint not null,
  "DefaultBasis" smallint not null,
  "AppliesToSea" boolean not null,
  "AppliesToAir" boolean not null,
  "AppliesToRoad" boolean not null,
  "AppliesToRail" boolean not null,
  "UneceCode" varchar(6),
  "IsTaxable" boolean not null default false,
  "SortOrder" integer not null default 0,
  "IsActive" boolean not null default true,
  "LastImportTime" timestamptz,
  constraint "PK_PricingChargeCodes" primary key ("Id"),
  constraint "CK_PricingChargeCodes_ChargeGroup" check ("ChargeGroup" between 0 and 6),
  constraint "CK_PricingChargeCodes_DefaultBasis" check ("DefaultBasis" between 0 and 10)
);

create unique index "IX_PricingChargeCodes_Code" on "PricingChargeCodes" ("Code");

create trigger "TR_PricingCurrencies_NotifyChange" after insert or update or delete on "PricingCurrencies"
  for each statement execute function keel_notify_change();
create trigger "TR_PricingExchangeRates_NotifyChange" after insert or update or delete on "PricingExchangeRates"
  for each statement execute function keel_notify_change();
create trigger "TR_PricingChargeCodes_NotifyChange" after insert or update or delete on "PricingChargeCodes"
  for each statement execute function keel_notify_change();
