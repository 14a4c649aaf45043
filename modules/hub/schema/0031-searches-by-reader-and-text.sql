-- Parts of texts in orders, containers and consols are found among the rows that a caller may see, as in shipments (0026): of the tens of thousands of rows that a
-- large customer sees, and of those that have three characters, few are both, and two indexes were read whole to find them. Writes to the three
-- tables wait while the indexes are built, half a minute with a million shipments on two cores that did much else; reading goes on. "create index concurrently"
-- by hand before the release, under the same names, spares that.
do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index if not exists "IX_HubOrders_Searches" on "HubOrders" using gin (
      "ReaderIds", "OrderNumber" gin_trgm_ops);
    create index if not exists "IX_HubContainers_Searches" on "HubContainers" using gin (
      "ReaderIds", "ContainerNumber" gin_trgm_ops, "SealNumber" gin_trgm_ops);
    create index if not exists "IX_HubConsols_Searches" on "HubConsols" using gin (
      "ReaderIds", "ConsolNumber" gin_trgm_ops, "MasterBillNumber" gin_trgm_ops, "BookingReference" gin_trgm_ops);
  end if;
end
$$;
--! locks HubOrders: ShareLock, blocks writes
--! locks HubContainers: ShareLock, blocks writes
--! locks HubConsols: ShareLock, blocks writes
--! reads all rows
