-- Searches of any part of references, bills, numbers and codes. Building the indexes blocks writes to their tables.
do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index "IX_HubShipments_HouseBillNumber_MasterBillNumber_BookingRefere~" on "HubShipments" using gin ("HouseBillNumber" gin_trgm_ops, "MasterBillNumber" gin_trgm_ops, "BookingReference" gin_trgm_ops);
    create index "IX_HubShipmentReferenceNumbers_Value" on "HubShipmentReferenceNumbers" using gin ("Value" gin_trgm_ops);
    create index "IX_HubConsols_ConsolNumber_MasterBillNumber_BookingReference" on "HubConsols" using gin ("ConsolNumber" gin_trgm_ops, "MasterBillNumber" gin_trgm_ops, "BookingReference" gin_trgm_ops);
    create index "IX_HubContainers_ContainerNumber_SealNumber" on "HubContainers" using gin ("ContainerNumber" gin_trgm_ops, "SealNumber" gin_trgm_ops);
    create index "IX_HubOrganizations_Code_ShortName" on "HubOrganizations" using gin ("Code" gin_trgm_ops, "ShortName" gin_trgm_ops);
  end if;
end
$$;
