-- The indexes of the script before take the place of those that have the texts alone. This is a script of its own for the reason that 0030 gives.
drop index if exists "IX_HubOrders_OrderNumber";
--! locks HubOrders: AccessExclusiveLock, blocks reads and writes
drop index if exists "IX_HubContainers_ContainerNumber_SealNumber";
--! locks HubContainers: AccessExclusiveLock, blocks reads and writes
drop index if exists "IX_HubConsols_ConsolNumber_MasterBillNumber_BookingReference";
--! locks HubConsols: AccessExclusiveLock, blocks reads and writes
