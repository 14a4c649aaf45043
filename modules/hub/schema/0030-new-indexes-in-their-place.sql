-- The indexes that the script before built take the place of those that were there. This is a script of its own because it keeps readers out for a moment: if one
-- transaction built them first, it would wait for readers that wait for it to write.
drop index if exists "IX_HubOrders_OrderNumber";
--! locks HubOrders: AccessExclusiveLock, blocks reads and writes
alter index if exists "NEW_HubOrders_OrderNumber" rename to "IX_HubOrders_OrderNumber";
drop index if exists "IX_HubContainers_ContainerNumber_SealNumber";
--! locks HubContainers: AccessExclusiveLock, blocks reads and writes
alter index if exists "NEW_HubContainers_ContainerNumber_SealNumber" rename to "IX_HubContainers_ContainerNumber_SealNumber";
drop index if exists "IX_HubConsols_ConsolNumber_MasterBillNumber_BookingReference";
--! locks HubConsols: AccessExclusiveLock, blocks reads and writes
alter index if exists "NEW_HubConsols_ConsolNumber_MasterBillNumber_BookingReference" rename to "IX_HubConsols_ConsolNumber_MasterBillNumber_BookingReference";
