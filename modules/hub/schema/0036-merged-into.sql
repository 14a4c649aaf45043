-- Which organization has what a deleted one had: it was merged into that one. For merges of before the seeds find it in the audit log.

alter table "HubOrganizations" add column "MergedIntoId" uuid;
create index "IX_HubOrganizations_MergedIntoId" on "HubOrganizations" ("MergedIntoId");
alter table "HubOrganizations" add constraint "FK_HubOrganizations_HubOrganizations_MergedIntoId" foreign key ("MergedIntoId") references "HubOrganizations" ("Id");
