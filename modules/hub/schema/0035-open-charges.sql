-- How many charges of shipments wait for their approval, as Pricing tells. No shipment that has some is completed.

create table "HubShipmentOpenCharges" (
  "Id" uuid not null,
  "ShipmentId" uuid not null,
  "OpenCharges" integer not null,
  constraint "PK_HubShipmentOpenCharges" primary key ("Id"),
  constraint "FK_HubShipmentOpenCharges_HubShipments_ShipmentId" foreign key ("ShipmentId") references "HubShipments" ("Id") on delete cascade,
  constraint "CK_HubShipmentOpenCharges_OpenCharges" check ("OpenCharges" > 0)
);
--  locks HubShipments: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubShipmentOpenCharges_ShipmentId" on "HubShipmentOpenCharges" ("ShipmentId");
