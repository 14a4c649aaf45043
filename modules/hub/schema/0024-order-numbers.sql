-- HubOrders lacks the index IX_HubOrders_OrderNumber_SplitNumber: index ("OrderNumber", "SplitNumber") where "IsDeleted" = false.

create index "IX_HubOrders_OrderNumber_SplitNumber" on "HubOrders" ("OrderNumber", "SplitNumber") where "IsDeleted" = false;
--! locks HubOrders: ShareLock, blocks writes
--! reads all rows
--! safer: Create it concurrently by hand before the release, under the same name and with "if not exists" in the migration.
