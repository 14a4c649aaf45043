-- Parts of texts in shipments are found alone, or among the shipments of some organizations: of the many rows that have the trigrams of a part of a
-- number, a large customer sees a few. The index takes the place of two that have the texts alone. Building it takes a minute for a million
-- shipments and blocks writes to them meanwhile; "create index concurrently" by hand before the release, under the same name, spares that.
do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index if not exists "IX_HubShipments_Searches" on "HubShipments" using gin (
      "VisibleOrganizationIds", "ShipmentReference" gin_trgm_ops, "HouseBillNumber" gin_trgm_ops,
      "MasterBillNumber" gin_trgm_ops, "BookingReference" gin_trgm_ops);
    drop index if exists "IX_HubShipments_ShipmentReference";
    drop index if exists "IX_HubShipments_HouseBillNumber_MasterBillNumber_BookingRefere~";
  end if;
end
$$;
