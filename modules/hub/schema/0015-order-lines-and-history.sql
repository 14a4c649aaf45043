-- Lines and status changes of orders.

create table "HubOrderLines" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "OrderId" uuid not null,
  "LineNumber" smallint not null,
  "ProductCode" varchar(50) not null,
  "Description" varchar(500),
  "HsCode" varchar(6),
  "Quantity" numeric(18,4) not null,
  "UnitCode" varchar(3) not null,
  "QuantityShipped" numeric(18,4) not null default '0',
  "QuantityReceived" numeric(18,4) not null default '0',
  "UnitPrice" numeric(18,4),
  "LineAmount" numeric(18,2) not null default '0',
  "OuterPackages" integer,
  "GrossWeightKg" double precision,
  "VolumeM3" double precision,
  constraint "PK_HubOrderLines" primary key ("Id"),
  constraint "FK_HubOrderLines_HubOrders_OrderId" foreign key ("OrderId") references "HubOrders" ("Id") on delete cascade,
  constraint "CK_HubOrderLines_Quantity" check ("Quantity" > 0),
  constraint "CK_HubOrderLines_QuantityShipped" check ("QuantityShipped" between 0 and "Quantity"),
  constraint "CK_HubOrderLines_QuantityReceived" check ("QuantityReceived" between 0 and "QuantityShipped"),
  constraint "CK_HubOrderLines_UnitPrice" check ("UnitPrice" >= 0),
  constraint "CK_HubOrderLines_LineAmount" check ("LineAmount" >= 0),
  constraint "CK_HubOrderLines_GrossWeightKg" check ("GrossWeightKg" >= 0 and "GrossWeightKg" not in ('NaN', 'Infinity')),
  constraint "CK_HubOrderLines_VolumeM3" check ("VolumeM3" >= 0 and "VolumeM3" not in ('NaN', 'Infinity')),
  constraint "CK_HubOrderLines_NaN" check ("Quantity" <> 'NaN' and "QuantityShipped" <> 'NaN' and "QuantityReceived" <> 'NaN' and "UnitPrice" <> 'NaN' and "LineAmount" <> 'NaN')
);
--  locks HubOrders: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubOrderLines_OrderId_LineNumber" on "HubOrderLines" ("OrderId", "LineNumber") where "IsDeleted" = false;
create index "IX_HubOrderLines_ProductCode" on "HubOrderLines" ("ProductCode");

create table "HubOrderStatusHistories" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "OrderId" uuid not null,
  "FromStatus" smallint,
  "ToStatus" smallint not null,
  "ChangeTime" timestamp with time zone not null,
  "Reason" varchar(256),
  "Source" smallint not null,
  constraint "PK_HubOrderStatusHistories" primary key ("Id"),
  constraint "FK_HubOrderStatusHistories_HubOrders_OrderId" foreign key ("OrderId") references "HubOrders" ("Id") on delete cascade,
  constraint "CK_HubOrderStatusHistories_FromStatus" check ("FromStatus" between 0 and 7),
  constraint "CK_HubOrderStatusHistories_ToStatus" check ("ToStatus" between 0 and 7),
  constraint "CK_HubOrderStatusHistories_Source" check ("Source" between 0 and 4)
);
--  locks HubOrders: ShareRowExclusiveLock, blocks writes
create index "IX_HubOrderStatusHistories_OrderId_ChangeTime" on "HubOrderStatusHistories" ("OrderId", "ChangeTime");
