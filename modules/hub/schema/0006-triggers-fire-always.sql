-- Change triggers fire for truncate too, and in sessions that replicate or restore (session_replication_role).
-- replaces ba8017317070efb17d4a7851d3bf0a7657e0d1d7c25ef8c7898c75e6587f7e85

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
