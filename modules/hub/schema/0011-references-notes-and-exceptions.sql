-- References, notes and exceptions of shipments.

create table "HubShipmentExceptions" (
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
  "ExceptionTypeId" uuid not null,
  "Severity" smallint not null,
  "RaisedTime" timestamp with time zone not null,
  "Description" varchar(1000),
  "DelayHours" integer,
  "ResolvedTime" timestamp with time zone,
  "ResolvedById" uuid,
  "ResolutionNote" varchar(1000),
  constraint "PK_HubShipmentExceptions" primary key ("Id"),
  constraint "FK_HubShipmentExceptions_HubShipments_ShipmentId" foreign key ("ShipmentId") references "HubShipments" ("Id") on delete cascade,
  constraint "FK_HubShipmentExceptions_HubCodeEntities_ExceptionTypeId" foreign key ("ExceptionTypeId") references "HubCodeEntities" ("Id"),
  constraint "CK_HubShipmentExceptions_Severity" check ("Severity" between 0 and 2),
  constraint "CK_HubShipmentExceptions_DelayHours" check ("DelayHours" between 0 and 8760)
);
--  locks HubShipments: ShareRowExclusiveLock, blocks writes
--  locks HubCodeEntities: ShareRowExclusiveLock, blocks writes
create index "IX_HubShipmentExceptions_ShipmentId_RaisedTime" on "HubShipmentExceptions" ("ShipmentId", "RaisedTime");
create index "IX_HubShipmentExceptions_Severity_RaisedTime" on "HubShipmentExceptions" ("Severity", "RaisedTime") where "ResolvedTime" is null;
create index "IX_HubShipmentExceptions_ExceptionTypeId" on "HubShipmentExceptions" ("ExceptionTypeId");

create table "HubShipmentNotes" (
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
  "Visibility" smallint not null default 1,
  "Subject" varchar(200),
  "Text" varchar(4000) not null,
  "IsPinned" boolean not null default false,
  constraint "PK_HubShipmentNotes" primary key ("Id"),
  constraint "FK_HubShipmentNotes_HubShipments_ShipmentId" foreign key ("ShipmentId") references "HubShipments" ("Id") on delete cascade,
  constraint "CK_HubShipmentNotes_Visibility" check ("Visibility" between 0 and 1)
);
--  locks HubShipments: ShareRowExclusiveLock, blocks writes
create index "IX_HubShipmentNotes_ShipmentId_CreationTime" on "HubShipmentNotes" ("ShipmentId", "CreationTime" desc);

create table "HubShipmentReferenceNumbers" (
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
  "ReferenceType" smallint not null,
  "Value" varchar(100) not null,
  "IssueDate" date,
  constraint "PK_HubShipmentReferenceNumbers" primary key ("Id"),
  constraint "FK_HubShipmentReferenceNumbers_HubShipments_ShipmentId" foreign key ("ShipmentId") references "HubShipments" ("Id") on delete cascade,
  constraint "CK_HubShipmentReferenceNumbers_ReferenceType" check ("ReferenceType" between 0 and 10 or "ReferenceType" = 99)
);
--  locks HubShipments: ShareRowExclusiveLock, blocks writes
create unique index "IX_HubShipmentReferenceNumbers_ShipmentId_ReferenceType_Value" on "HubShipmentReferenceNumbers" ("ShipmentId", "ReferenceType", "Value") where "IsDeleted" = false;
create index "IX_HubShipmentReferenceNumbers_UpperValue" on "HubShipmentReferenceNumbers" ((upper("Value")));
