-- The table PricingRateBreaks is missing.
-- The table PricingRateCards is missing.
-- The table PricingRateLanes is missing.
-- The table PricingRateLines is missing.
-- The table PricingRateZoneMembers is missing.
-- The table PricingRateZones is missing.

create table "PricingRateCards" (
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
  "Name" varchar(200) not null,
  "CardType" smallint not null,
  "Status" smallint not null default 0,
  "TransportModeCode" varchar(20) not null,
  "ContainerModeCode" varchar(20),
  "CarrierCode" varchar(20),
  "OrganizationId" uuid,
  "OrganizationCode" varchar(20),
  "ContractNumber" varchar(50),
  "CurrencyCode" char(3) not null,
  "ValidFrom" date not null,
  "ValidTo" date not null,
  "DateBasis" smallint not null default 0,
  "Priority" smallint not null default 100,
  "VolumetricDivisor" integer not null default 6000,
  "MinimumRevenueTon" numeric(6,3) not null default '1',
  "Version" smallint not null default 1,
  "PreviousVersionId" uuid,
  "ApprovedById" uuid,
  "ApprovalTime" timestamp with time zone,
  "StatusReason" varchar(256),
  "LastEditorId" uuid,
  "Notes" varchar(2000),
  constraint "PK_PricingRateCards" primary key ("Id"),
  constraint "FK_PricingRateCards_PricingCurrencies_CurrencyCode" foreign key ("CurrencyCode") references "PricingCurrencies" ("Code"),
  constraint "FK_PricingRateCards_PricingRateCards_PreviousVersionId" foreign key ("PreviousVersionId") references "PricingRateCards" ("Id"),
  constraint "CK_PricingRateCards_CardType" check ("CardType" between 0 and 1),
  constraint "CK_PricingRateCards_Status" check ("Status" between 0 and 6),
  constraint "CK_PricingRateCards_DateBasis" check ("DateBasis" between 0 and 2),
  constraint "CK_PricingRateCards_ValidTo" check ("ValidTo" >= "ValidFrom"),
  constraint "CK_PricingRateCards_VolumetricDivisor" check ("VolumetricDivisor" between 1000 and 10000),
  constraint "CK_PricingRateCards_MinimumRevenueTon" check ("MinimumRevenueTon" >= 0 and "MinimumRevenueTon" <> 'NaN')
);
--  locks PricingCurrencies: ShareRowExclusiveLock, blocks writes
create unique index "IX_PricingRateCards_Reference_Version" on "PricingRateCards" ("Reference", "Version") where "IsDeleted" = false;
create index "IX_PricingRateCards_CardType_Status_TransportModeCode_ValidFro~" on "PricingRateCards" ("CardType", "Status", "TransportModeCode", "ValidFrom", "ValidTo");
create index "IX_PricingRateCards_OrganizationId" on "PricingRateCards" ("OrganizationId");
create index "IX_PricingRateCards_PreviousVersionId" on "PricingRateCards" ("PreviousVersionId");
create index "IX_PricingRateCards_Ending" on "PricingRateCards" ("ValidTo") where "Status" in (2, 3) and "IsDeleted" = false;
create or replace trigger "TR_PricingRateCards_NotifyChange" after insert or update or delete or truncate on "PricingRateCards"
  for each statement execute function keel_notify_change();
alter table "PricingRateCards" enable always trigger "TR_PricingRateCards_NotifyChange";

create table "PricingRateZones" (
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
  "Description" varchar(500),
  constraint "PK_PricingRateZones" primary key ("Id")
);
create unique index "IX_PricingRateZones_Code" on "PricingRateZones" ("Code") where "IsDeleted" = false;
create or replace trigger "TR_PricingRateZones_NotifyChange" after insert or update or delete or truncate on "PricingRateZones"
  for each statement execute function keel_notify_change();
alter table "PricingRateZones" enable always trigger "TR_PricingRateZones_NotifyChange";

create table "PricingRateLanes" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "RateCardId" uuid not null,
  "LaneNumber" integer not null,
  "OriginType" smallint not null,
  "DestinationType" smallint not null,
  "OriginUnLocode" char(5),
  "DestinationUnLocode" char(5),
  "OriginZoneId" uuid,
  "DestinationZoneId" uuid,
  "OriginCountryCode" char(2),
  "DestinationCountryCode" char(2),
  "ViaUnLocode" char(5),
  "CarrierCode" varchar(20),
  "ServiceLevelCode" varchar(20),
  "TransitDays" integer,
  "DeparturesPerWeek" numeric(4,1),
  "FreeDays" integer,
  "IsActive" boolean not null default true,
  constraint "PK_PricingRateLanes" primary key ("Id"),
  constraint "FK_PricingRateLanes_PricingRateCards_RateCardId" foreign key ("RateCardId") references "PricingRateCards" ("Id") on delete cascade,
  constraint "FK_PricingRateLanes_PricingRateZones_OriginZoneId" foreign key ("OriginZoneId") references "PricingRateZones" ("Id"),
  constraint "FK_PricingRateLanes_PricingRateZones_DestinationZoneId" foreign key ("DestinationZoneId") references "PricingRateZones" ("Id"),
  constraint "CK_PricingRateLanes_OriginType" check ("OriginType" between 0 and 3 and num_nonnulls("OriginUnLocode", "OriginZoneId", "OriginCountryCode") = case when "OriginType" = 3 then 0 else 1 end
      and case "OriginType" when 0 then "OriginUnLocode" is not null when 1 then "OriginZoneId" is not null when 2 then "OriginCountryCode" is not null else true end),
  constraint "CK_PricingRateLanes_DestinationType" check ("DestinationType" between 0 and 3 and num_nonnulls("DestinationUnLocode", "DestinationZoneId", "DestinationCountryCode") = case when "DestinationType" = 3 then 0 else 1 end
      and case "DestinationType" when 0 then "DestinationUnLocode" is not null when 1 then "DestinationZoneId" is not null when 2 then "DestinationCountryCode" is not null else true end),
  constraint "CK_PricingRateLanes_TransitDays" check ("TransitDays" between 0 and 120),
  constraint "CK_PricingRateLanes_FreeDays" check ("FreeDays" between 0 and 60),
  constraint "CK_PricingRateLanes_DeparturesPerWeek" check ("DeparturesPerWeek" >= 0 and "DeparturesPerWeek" <> 'NaN')
);
create unique index "IX_PricingRateLanes_RateCardId_LaneNumber" on "PricingRateLanes" ("RateCardId", "LaneNumber") where "IsDeleted" = false;
create index "IX_PricingRateLanes_OriginUnLocode_DestinationUnLocode" on "PricingRateLanes" ("OriginUnLocode", "DestinationUnLocode");
create index "IX_PricingRateLanes_OriginZoneId_DestinationZoneId" on "PricingRateLanes" ("OriginZoneId", "DestinationZoneId");
create index "IX_PricingRateLanes_OriginCountryCode_DestinationCountryCode" on "PricingRateLanes" ("OriginCountryCode", "DestinationCountryCode");
create index "IX_PricingRateLanes_DestinationZoneId" on "PricingRateLanes" ("DestinationZoneId");

create table "PricingRateLines" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "RateLaneId" uuid not null,
  "ChargeCodeId" uuid not null,
  "Basis" smallint not null,
  "ContainerTypeCode" char(4),
  "CurrencyCode" char(3) not null,
  "Amount" numeric(18,4),
  "MinAmount" numeric(18,4),
  "MaxAmount" numeric(18,4),
  "AppliesWhen" smallint not null default 0,
  "AllowHigherBreak" boolean not null default true,
  constraint "PK_PricingRateLines" primary key ("Id"),
  constraint "FK_PricingRateLines_PricingRateLanes_RateLaneId" foreign key ("RateLaneId") references "PricingRateLanes" ("Id") on delete cascade,
  constraint "FK_PricingRateLines_PricingChargeCodes_ChargeCodeId" foreign key ("ChargeCodeId") references "PricingChargeCodes" ("Id"),
  constraint "FK_PricingRateLines_PricingCurrencies_CurrencyCode" foreign key ("CurrencyCode") references "PricingCurrencies" ("Code"),
  constraint "CK_PricingRateLines_Basis" check ("Basis" between 0 and 10),
  constraint "CK_PricingRateLines_AppliesWhen" check ("AppliesWhen" between 0 and 3),
  constraint "CK_PricingRateLines_MaxAmount" check ("MaxAmount" >= "MinAmount"),
  constraint "CK_PricingRateLines_Amounts" check ("Amount" >= 0 and "Amount" <> 'NaN' and "MinAmount" >= 0 and "MinAmount" <> 'NaN' and "MaxAmount" >= 0 and "MaxAmount" <> 'NaN')
);
--  locks PricingChargeCodes: ShareRowExclusiveLock, blocks writes
--  locks PricingCurrencies: ShareRowExclusiveLock, blocks writes
create unique index "IX_PricingRateLines_Charge" on "PricingRateLines" ("RateLaneId", "ChargeCodeId", "ContainerTypeCode", "AppliesWhen") nulls not distinct where "IsDeleted" = false;
create index "IX_PricingRateLines_ChargeCodeId" on "PricingRateLines" ("ChargeCodeId");

create table "PricingRateBreaks" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "RateLineId" uuid not null,
  "FromQuantity" numeric(18,3) not null,
  "Amount" numeric(18,4) not null,
  "IsFlat" boolean not null default false,
  constraint "PK_PricingRateBreaks" primary key ("Id"),
  constraint "FK_PricingRateBreaks_PricingRateLines_RateLineId" foreign key ("RateLineId") references "PricingRateLines" ("Id") on delete cascade,
  constraint "CK_PricingRateBreaks_FromQuantity" check ("FromQuantity" >= 0 and "FromQuantity" <> 'NaN'),
  constraint "CK_PricingRateBreaks_Amount" check ("Amount" >= 0 and "Amount" <> 'NaN')
);
create unique index "IX_PricingRateBreaks_RateLineId_FromQuantity" on "PricingRateBreaks" ("RateLineId", "FromQuantity") where "IsDeleted" = false;

create table "PricingRateZoneMembers" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "RateZoneId" uuid not null,
  "UnLocode" char(5),
  "CountryCode" char(2),
  constraint "PK_PricingRateZoneMembers" primary key ("Id"),
  constraint "FK_PricingRateZoneMembers_PricingRateZones_RateZoneId" foreign key ("RateZoneId") references "PricingRateZones" ("Id") on delete cascade,
  constraint "CK_PricingRateZoneMembers_CountryCode" check (num_nonnulls("UnLocode", "CountryCode") = 1)
);
create unique index "IX_PricingRateZoneMembers_RateZoneId_UnLocode" on "PricingRateZoneMembers" ("RateZoneId", "UnLocode") where "IsDeleted" = false;
create unique index "IX_PricingRateZoneMembers_RateZoneId_CountryCode" on "PricingRateZoneMembers" ("RateZoneId", "CountryCode") where "IsDeleted" = false;
create index "IX_PricingRateZoneMembers_UnLocode" on "PricingRateZoneMembers" ("UnLocode");
create index "IX_PricingRateZoneMembers_CountryCode" on "PricingRateZoneMembers" ("CountryCode");
create or replace trigger "TR_PricingRateZoneMembers_NotifyChange" after insert or update or delete or truncate on "PricingRateZoneMembers"
  for each statement execute function keel_notify_change();
alter table "PricingRateZoneMembers" enable always trigger "TR_PricingRateZoneMembers_NotifyChange";

-- Validities of active and suspended cards keep apart: those of the versions of a card, and those of selling cards of a customer with the same modes and
-- priority. A hash stands for the key, so that no extension is needed; two keys with the same hash are one in 2^63.
alter table "PricingRateCards" add constraint "EX_PricingRateCards_Versions" exclude using gist (
  int8range(hashtextextended("Reference", 0) >> 1, hashtextextended("Reference", 0) >> 1, '[]') with &&,
  daterange("ValidFrom", "ValidTo", '[]') with &&
) where ("Status" in (2, 3) and "IsDeleted" = false);
alter table "PricingRateCards" add constraint "EX_PricingRateCards_Customers" exclude using gist (
  int8range(
    hashtextextended("OrganizationId"::text || '|' || "TransportModeCode" || '|' || coalesce("ContainerModeCode", '') || '|' || "Priority"::text, 0) >> 1,
    hashtextextended("OrganizationId"::text || '|' || "TransportModeCode" || '|' || coalesce("ContainerModeCode", '') || '|' || "Priority"::text, 0) >> 1,
    '[]') with &&,
  daterange("ValidFrom", "ValidTo", '[]') with &&
) where ("Status" in (2, 3) and "IsDeleted" = false and "CardType" = 1 and "OrganizationId" is not null);
