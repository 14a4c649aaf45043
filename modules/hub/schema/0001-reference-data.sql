-- Countries, ports and coded lists: rows which importers and staff maintain and everybody reads.
-- replaces 467d7f164a5140afcb6722d39cb04d44676393bcd4e234e8c9b370486aafde5f

-- Contains-search leans on trigrams. A server without the extension answers the same, only slower.
do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_trgm') then
    create extension if not exists pg_trgm;
  end if;
end
$$;

create table "HubCountries" (
  "Id" uuid not null,
  "Code" char(2) not null,
  "Alpha3Code" char(3) not null,
  "NumericCode" char(3) not null,
  "Name" varchar(100) not null,
  "OfficialName" varchar(200),
  "RegionCode" varchar(20),
  "CurrencyCode" char(3),
  "IsEuMember" boolean not null default false,
  "DefaultTimeZone" varchar(50),
  "IsActive" boolean not null default true,
  "LastImportTime" timestamptz,
  constraint "PK_HubCountries" primary key ("Id")
);

create unique index "IX_HubCountries_Code" on "HubCountries" ("Code");
create unique index "IX_HubCountries_Alpha3Code" on "HubCountries" ("Alpha3Code");
create unique index "IX_HubCountries_NumericCode" on "HubCountries" ("NumericCode");

create table "HubPorts" (
  "Id" uuid not null,
  "UnLocode" char(5) not null,
  "Name" varchar(100) not null,
  "NameWoDiacritics" varchar(100) not null,
  "CountryId" uuid not null,
  "CountryCode" char(2) not null,
  "SubdivisionCode" varchar(3),
  "IataCode" char(3),
  "FunctionCodes" varchar(8) not null,
  "IsSeaport" boolean not null,
  "IsRailTerminal" boolean not null,
  "IsRoadTerminal" boolean not null,
  "IsAirport" boolean not null,
  "IsInlandDepot" boolean not null,
  "EntryStatus" char(2),
  "Latitude" double precision,
  "Longitude" double precision,
  "CoordinateSource" smallint,
  "TimeZone" varchar(50),
  "IsOverridden" boolean not null default false,
  "IsActive" boolean not null default true,
  "LastImportTime" timestamptz,
  constraint "PK_HubPorts" primary key ("Id"),
  constraint "FK_HubPorts_HubCountries_CountryId" foreign key ("CountryId") references "HubCountries" ("Id"),
  constraint "CK_HubPorts_Latitude" check ("Latitude" between -90 and 90),
  constraint "CK_HubPorts_Longitude" check ("Longitude" between -180 and 180),
  constraint "CK_HubPorts_CoordinateSource" check ("CoordinateSource" between 0 and 2)
);

create unique index "IX_HubPorts_UnLocode" on "HubPorts" ("UnLocode");
create index "IX_HubPorts_CountryId" on "HubPorts" ("CountryId");
create index "IX_HubPorts_CountryCode_Name" on "HubPorts" ("CountryCode", "Name");
create index "IX_HubPorts_IataCode" on "HubPorts" ("IataCode") where "IataCode" is not null;
create index "IX_HubPorts_IsSeaport" on "HubPorts" ("Name", "Id") where "IsSeaport";
create index "IX_HubPorts_IsAirport" on "HubPorts" ("Name", "Id") where "IsAirport";

create table "HubCodeEntities" (
  "Id" uuid not null,
  "Type" varchar(30) not null,
  "Code" varchar(20) not null,
  "Name" varchar(100) not null,
  "Description" varchar(500),
  "StandardCode" varchar(20),
  "SortOrder" integer not null default 0,
  "Attributes" jsonb,
  "IsActive" boolean not null default true,
  "LastImportTime" timestamptz,
  constraint "PK_HubCodeEntities" primary key ("Id")
);

create unique index "IX_HubCodeEntities_Type_Code" on "HubCodeEntities" ("Type", "Code");
create index "IX_HubCodeEntities_Type_SortOrder" on "HubCodeEntities" ("Type", "SortOrder");

do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index "IX_HubPorts_NameWoDiacritics" on "HubPorts" using gin ("NameWoDiacritics" gin_trgm_ops);
  end if;
end
$$;

create trigger "TR_HubCountries_NotifyChange" after insert or update or delete on "HubCountries"
  for each statement execute function keel_notify_change();
create trigger "TR_HubPorts_NotifyChange" after insert or update or delete on "HubPorts"
  for each statement execute function keel_notify_change();
create trigger "TR_HubCodeEntities_NotifyChange" after insert or update or delete on "HubCodeEntities"
  for each statement execute function keel_notify_change();
