-- The status changes of shipments, which their transitions write.

create table "HubShipmentStatusHistories" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "ShipmentId" uuid not null,
  "FromStatus" smallint,
  "ToStatus" smallint not null,
  "ChangeTime" timestamp with time zone not null,
  "Reason" varchar(256),
  "Source" smallint not null,
  constraint "PK_HubShipmentStatusHistories" primary key ("Id"),
  constraint "FK_HubShipmentStatusHistories_HubShipments_ShipmentId" foreign key ("ShipmentId") references "HubShipments" ("Id") on delete cascade,
  constraint "CK_HubShipmentStatusHistories_FromStatus" check ("FromStatus" between 0 and 10),
  constraint "CK_HubShipmentStatusHistories_ToStatus" check ("ToStatus" between 0 and 10),
  constraint "CK_HubShipmentStatusHistories_Source" check ("Source" between 0 and 4)
);
--  locks HubShipments: ShareRowExclusiveLock, blocks writes
create index "IX_HubShipmentStatusHistories_ShipmentId_ChangeTime" on "HubShipmentStatusHistories" ("ShipmentId", "ChangeTime");
create index "IX_HubShipmentStatusHistories_ToStatus_ChangeTime" on "HubShipmentStatusHistories" ("ToStatus", "ChangeTime");
