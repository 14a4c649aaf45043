-- Change triggers fire for truncate too, and in sessions that replicate or restore (session_replication_role).

-- Announces that rows of a table changed, so that every process drops what it cached of that table. The key is random: a copy of this
-- database that gets its rows by replication makes rows of its own, which must not be in the way of those that come.
create or replace function keel_notify_change() returns trigger language plpgsql as $$
begin
  update "KeelTableVersions" set "Version" = "Version" + 1
  where "Id" = (select "Id" from "KeelTableVersions" where "TableName" = TG_TABLE_NAME limit 1 for update skip locked);
  if not found then
    insert into "KeelTableVersions" ("Id", "TableName", "Version") overriding system value
    values ((random() * 9007199254740991)::bigint, TG_TABLE_NAME, 1);
  end if;
  perform pg_notify('keel_changes', TG_TABLE_NAME);
  return null;
end
$$;

create or replace trigger "TR_HubCountries_NotifyChange" after insert or update or delete or truncate on "HubCountries"
  for each statement execute function keel_notify_change();
alter table "HubCountries" enable always trigger "TR_HubCountries_NotifyChange";
create or replace trigger "TR_HubPorts_NotifyChange" after insert or update or delete or truncate on "HubPorts"
  for each statement execute function keel_notify_change();
alter table "HubPorts" enable always trigger "TR_HubPorts_NotifyChange";
create or replace trigger "TR_HubCodeEntities_NotifyChange" after insert or update or delete or truncate on "HubCodeEntities"
  for each statement execute function keel_notify_change();
alter table "HubCodeEntities" enable always trigger "TR_HubCodeEntities_NotifyChange";
create or replace trigger "TR_HubOrganizations_NotifyChange" after insert or update or delete or truncate on "HubOrganizations"
  for each statement execute function keel_notify_change();
alter table "HubOrganizations" enable always trigger "TR_HubOrganizations_NotifyChange";
create or replace trigger "TR_HubOrganizationMembers_NotifyChange" after insert or update or delete or truncate on "HubOrganizationMembers"
  for each statement execute function keel_notify_change();
alter table "HubOrganizationMembers" enable always trigger "TR_HubOrganizationMembers_NotifyChange";
create or replace trigger "TR_HubShipments_NotifyChange" after insert or update or delete or truncate on "HubShipments"
  for each statement execute function keel_notify_change();
alter table "HubShipments" enable always trigger "TR_HubShipments_NotifyChange";
create or replace trigger "TR_HubDocuments_NotifyChange" after insert or update or delete or truncate on "HubDocuments"
  for each statement execute function keel_notify_change();
alter table "HubDocuments" enable always trigger "TR_HubDocuments_NotifyChange";
