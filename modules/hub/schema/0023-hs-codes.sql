-- The table HubHsCodes is missing.

create table "HubHsCodes" (
  "Id" uuid not null,
  "IsActive" boolean not null default true,
  "LastImportTime" timestamp with time zone,
  "Code" varchar(6) not null,
  "Description" varchar(1000) not null,
  "Level" smallint not null,
  "SectionCode" varchar(5) not null,
  "ParentId" uuid,
  constraint "PK_HubHsCodes" primary key ("Id"),
  constraint "FK_HubHsCodes_HubHsCodes_ParentId" foreign key ("ParentId") references "HubHsCodes" ("Id"),
  constraint "CK_HubHsCodes_Code" check ("Code" ~ '^([0-9]{2}){1,3}$'),
  constraint "CK_HubHsCodes_Level" check ("Level" = length("Code")),
  constraint "CK_HubHsCodes_ParentId" check (("ParentId" is null) = ("Level" = 2))
);
create unique index "IX_HubHsCodes_Code" on "HubHsCodes" ("Code");
create index "IX_HubHsCodes_ParentId" on "HubHsCodes" ("ParentId");
create index "IX_HubHsCodes_Description" on "HubHsCodes" using gin (to_tsvector('english', "Description"));
