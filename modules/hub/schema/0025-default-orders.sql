-- HubContainers lacks the index IX_HubContainers_CreationTime_Id: index ("CreationTime" desc, "Id") where "IsDeleted" = false.
-- HubOrders lacks the index IX_HubOrders_CreationTime_Id: index ("CreationTime" desc, "Id") where "IsDeleted" = false.

create index "IX_HubContainers_CreationTime_Id" on "HubContainers" ("CreationTime" desc, "Id") where "IsDeleted" = false;
--! locks HubContainers: ShareLock, blocks writes
--! reads all rows
--! safer: Create it concurrently by hand before the release, under the same name and with "if not exists" in the migration.
create index "IX_HubOrders_CreationTime_Id" on "HubOrders" ("CreationTime" desc, "Id") where "IsDeleted" = false;
--! locks HubOrders: ShareLock, blocks writes
--! reads all rows
--! safer: Create it concurrently by hand before the release, under the same name and with "if not exists" in the migration.
