-- Builds new indexes of the texts of orders, containers and consols beside those that are there; the next script puts them in their place. Script 0028 wrote all
-- rows of these tables, and the indexes kept what led to the old ones: a text that no consol has was looked for 185 ms, and 0.2 ms in a new index. Writes to
-- the three tables wait meanwhile, a minute with a million shipments on two cores that did much else; reading goes on. "create index concurrently" by
-- hand before the release, under the same names, spares that.
do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index if not exists "NEW_HubOrders_OrderNumber" on "HubOrders" using gin ("OrderNumber" gin_trgm_ops);
    create index if not exists "NEW_HubContainers_ContainerNumber_SealNumber" on "HubContainers" using gin ("ContainerNumber" gin_trgm_ops, "SealNumber" gin_trgm_ops);
    create index if not exists "NEW_HubConsols_ConsolNumber_MasterBillNumber_BookingReference" on "HubConsols" using gin ("ConsolNumber" gin_trgm_ops, "MasterBillNumber" gin_trgm_ops, "BookingReference" gin_trgm_ops);
  end if;
end
$$;
--! locks HubOrders: ShareLock, blocks writes
--! locks HubContainers: ShareLock, blocks writes
--! locks HubConsols: ShareLock, blocks writes
--! reads all rows
