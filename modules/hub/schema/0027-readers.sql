-- Orders, containers and consols keep the ids of those who see them in ReaderIds, so that one index answers their row rules: organizations, and the creator of a
-- draft without parties. Triggers keep the values, whoever writes, also for programs of the release before. The next script fills them in the rows that
-- are there.
--
-- No change is lost between transactions that run at the same time, because
-- - a value is computed while its row is locked, from what is committed by then: of two transactions that change what it is made of, the second one
--   sees what the first one wrote;
-- - whatever newly leads from a shipment to such a row locks the shipment against changes first: such a change is either seen, or finds
--   the new row and writes it.
-- Locks are taken in the order shipment, order, container, consol; containers and consols by their ids.

alter table "HubOrders" add column "ReaderIds" uuid[] not null default '{}';
--  locks HubOrders: AccessExclusiveLock, blocks reads and writes
alter table "HubContainers" add column "ReaderIds" uuid[] not null default '{}';
--  locks HubContainers: AccessExclusiveLock, blocks reads and writes
alter table "HubConsols" add column "ReaderIds" uuid[] not null default '{}';
--  locks HubConsols: AccessExclusiveLock, blocks reads and writes

-- The row rule of shipments, the other way round. A deleted shipment is seen by nobody: its callers leave it out.
create function keel_hub_readers_of(organizations uuid[], creator uuid) returns uuid[] language sql immutable as $$
  select case when cardinality(organizations) > 0 then organizations else array_remove(array[creator], null) end
$$;

create function keel_hub_readers_of_order() returns trigger language plpgsql as $$
declare
  of_shipment uuid[];
begin
  if new."ShipmentId" is not null then
    if tg_op = 'INSERT' or new."ShipmentId" is distinct from old."ShipmentId" then
      perform from "HubShipments" where "Id" = new."ShipmentId" for no key update;
    end if;
    select keel_hub_readers_of("VisibleOrganizationIds", "CreatorId") into of_shipment
      from "HubShipments" where "Id" = new."ShipmentId" and not "IsDeleted";
  end if;
  new."ReaderIds" := array(
    select distinct id from unnest(array[new."BuyerId", new."SupplierId"] || of_shipment) id order by id);
  return new;
end
$$;
create trigger "KEEP_HubOrders_ReaderIds" before insert or update of "BuyerId", "SupplierId", "ShipmentId", "ReaderIds" on "HubOrders"
  for each row execute function keel_hub_readers_of_order();

-- Whatever carries shipments is seen by those who see one of them.
create function keel_hub_readers_of_container() returns trigger language plpgsql as $$
begin
  new."ReaderIds" := array(
    select distinct id from "HubShipmentContainers" c
      join "HubShipments" s on s."Id" = c."ShipmentId"
      cross join unnest(keel_hub_readers_of(s."VisibleOrganizationIds", s."CreatorId")) id
      where c."ContainerId" = new."Id" and not c."IsDeleted" and not s."IsDeleted"
      order by id);
  return new;
end
$$;
create trigger "KEEP_HubContainers_ReaderIds" before insert or update of "ReaderIds" on "HubContainers"
  for each row execute function keel_hub_readers_of_container();

create function keel_hub_readers_of_consol() returns trigger language plpgsql as $$
begin
  new."ReaderIds" := array(
    select distinct id from "HubConsolShipments" c
      join "HubShipments" s on s."Id" = c."ShipmentId"
      cross join unnest(keel_hub_readers_of(s."VisibleOrganizationIds", s."CreatorId")) id
      where c."ConsolId" = new."Id" and not c."IsDeleted" and not s."IsDeleted"
      order by id);
  return new;
end
$$;
create trigger "KEEP_HubConsols_ReaderIds" before insert or update of "ReaderIds" on "HubConsols"
  for each row execute function keel_hub_readers_of_consol();

-- The triggers above write the values: these updates only have them do so.
create function keel_hub_renew_containers(ids uuid[]) returns void language plpgsql as $$
begin
  perform from "HubContainers" where "Id" = any(ids) order by "Id" for no key update;
  update "HubContainers" set "ReaderIds" = '{}' where "Id" = any(ids);
end
$$;
create function keel_hub_renew_consols(ids uuid[]) returns void language plpgsql as $$
begin
  perform from "HubConsols" where "Id" = any(ids) order by "Id" for no key update;
  update "HubConsols" set "ReaderIds" = '{}' where "Id" = any(ids);
end
$$;

create function keel_hub_shipment_in_container() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' and not new."IsDeleted" then
    perform from "HubShipments" where "Id" = new."ShipmentId" for no key update;
  end if;
  perform keel_hub_renew_containers(array[old."ContainerId", new."ContainerId"]);
  return null;
end
$$;
create trigger "KEEP_HubContainers_ReaderIds" after insert or delete or update of "ShipmentId", "ContainerId", "IsDeleted" on "HubShipmentContainers"
  for each row execute function keel_hub_shipment_in_container();

create function keel_hub_shipment_on_consol() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' and not new."IsDeleted" then
    perform from "HubShipments" where "Id" = new."ShipmentId" for no key update;
  end if;
  perform keel_hub_renew_consols(array[old."ConsolId", new."ConsolId"]);
  return null;
end
$$;
create trigger "KEEP_HubConsols_ReaderIds" after insert or delete or update of "ShipmentId", "ConsolId", "IsDeleted" on "HubConsolShipments"
  for each row execute function keel_hub_shipment_on_consol();

create function keel_hub_readers_of_shipment_changed() returns trigger language plpgsql as $$
begin
  update "HubOrders" set "ReaderIds" = '{}' where "ShipmentId" = new."Id";
  perform keel_hub_renew_containers(array(
    select "ContainerId" from "HubShipmentContainers" where "ShipmentId" = new."Id" and not "IsDeleted"));
  perform keel_hub_renew_consols(array(
    select "ConsolId" from "HubConsolShipments" where "ShipmentId" = new."Id" and not "IsDeleted"));
  return null;
end
$$;
create trigger "KEEP_ReaderIds" after update of "VisibleOrganizationIds", "CreatorId", "IsDeleted" on "HubShipments"
  for each row when ((old."VisibleOrganizationIds", old."CreatorId", old."IsDeleted")
    is distinct from (new."VisibleOrganizationIds", new."CreatorId", new."IsDeleted"))
  execute function keel_hub_readers_of_shipment_changed();
