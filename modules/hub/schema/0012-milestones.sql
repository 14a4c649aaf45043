-- The milestones of shipments, and the templates that booking plans them from: attributes of the transport modes.

create table "HubShipmentMilestones" (
  "Id" uuid not null,
  "TenantId" uuid,
  "CreationTime" timestamp with time zone not null,
  "CreatorId" uuid,
  "LastModificationTime" timestamp with time zone,
  "LastModifierId" uuid,
  "IsDeleted" boolean not null default false,
  "DeleterId" uuid,
  "DeletionTime" timestamp with time zone,
  "ShipmentId" uuid not null,
  "Code" smallint not null,
  "Sequence" smallint not null,
  "PortId" uuid,
  "PlannedTime" timestamp with time zone,
  "EstimatedTime" timestamp with time zone,
  "ActualTime" timestamp with time zone,
  "IsCustomerVisible" boolean not null default true,
  "Source" smallint not null,
  constraint "PK_HubShipmentMilestones" primary key ("Id"),
  constraint "FK_HubShipmentMilestones_HubShipments_ShipmentId" foreign key ("ShipmentId") references "HubShipments" ("Id") on delete cascade,
  constraint "FK_HubShipmentMilestones_HubPorts_PortId" foreign key ("PortId") references "HubPorts" ("Id"),
  constraint "CK_HubShipmentMilestones_Code" check ("Code" between 0 and 14),
  constraint "CK_HubShipmentMilestones_Source" check ("Source" between 0 and 4)
);
--  locks HubShipments: ShareRowExclusiveLock, blocks writes
--  locks HubPorts: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubShipmentMilestones_ShipmentId_Code_PortId" on "HubShipmentMilestones" ("ShipmentId", "Code", "PortId") nulls not distinct where "IsDeleted" = false;
create index "IX_HubShipmentMilestones_EstimatedTime" on "HubShipmentMilestones" ("EstimatedTime") where "ActualTime" is null;
create index "IX_HubShipmentMilestones_PortId" on "HubShipmentMilestones" ("PortId");

-- New databases get the templates from the seeds; rows that exist keep what they have otherwise.
update "HubCodeEntities" set "Attributes" = coalesce("Attributes", '{}'::jsonb) || jsonb_build_object('milestones', to_jsonb(string_to_array(
  case "Code"
    when 'Sea' then 'BKD BKC CRD PUP GIN LOD DEP ARV DIS CCI GOU DLV EMR'
    when 'Air' then 'BKD BKC CRD PUP GIN DEP ARV DIS CCI DLV'
    else 'BKD BKC CRD PUP GIN DEP ARV CCI DLV'
  end, ' ')))
where "Type" = 'TransportMode' and not coalesce("Attributes" ? 'milestones', false);
