-- What Hub's events told last of organizations and ports: an event that comes late does not undo a later one.

create table "PricingFollowedOrganizations" (
  "Id" uuid not null,
  "Code" varchar(20) not null,
  "CodeTime" timestamp with time zone not null,
  "Name" varchar(200),
  "MergedIntoId" uuid,
  "MergeTime" timestamp with time zone,
  constraint "PK_PricingFollowedOrganizations" primary key ("Id")
);
create index "IX_PricingFollowedOrganizations_MergedIntoId" on "PricingFollowedOrganizations" ("MergedIntoId");

create table "PricingFollowedPorts" (
  "Id" uuid not null,
  "UnLocode" char(5) not null,
  "CodeTime" timestamp with time zone not null,
  constraint "PK_PricingFollowedPorts" primary key ("Id")
);
