-- The table HubUnitsOfMeasure is missing.

create table "HubUnitsOfMeasure" (
  "Id" uuid not null,
  "IsActive" boolean not null default true,
  "LastImportTime" timestamp with time zone,
  "Code" varchar(3) not null,
  "Name" varchar(100) not null,
  "Symbol" varchar(20),
  "Quantity" smallint not null,
  "FactorToBase" numeric(26,16) not null,
  "OffsetToBase" numeric(26,16) not null default '0',
  constraint "PK_HubUnitsOfMeasure" primary key ("Id"),
  constraint "CK_HubUnitsOfMeasure_Quantity" check ("Quantity" between 0 and 5),
  constraint "CK_HubUnitsOfMeasure_FactorToBase" check ("FactorToBase" > 0),
  constraint "CK_HubUnitsOfMeasure_NaN" check ("FactorToBase" <> 'NaN' and "OffsetToBase" <> 'NaN')
);
create unique index "IX_HubUnitsOfMeasure_Code" on "HubUnitsOfMeasure" ("Code");
create or replace trigger "TR_HubUnitsOfMeasure_NotifyChange" after insert or update or delete or truncate on "HubUnitsOfMeasure"
  for each statement execute function keel_notify_change();
alter table "HubUnitsOfMeasure" enable always trigger "TR_HubUnitsOfMeasure_NotifyChange";
