-- Texts are sorted as people do where the database's collation says so (ICU, or a language's), and an index in that order does not serve searches
-- by the first characters (`startswith`): these do. Bill numbers are what people know the beginning of.
create index "IX_HubShipments_HouseBillNumber_Prefix" on "HubShipments" ("HouseBillNumber" text_pattern_ops)
  where "HouseBillNumber" is not null;
create index "IX_HubShipments_MasterBillNumber_Prefix" on "HubShipments" ("MasterBillNumber" text_pattern_ops)
  where "MasterBillNumber" is not null;
create index "IX_HubShipments_ShipmentReference_Prefix" on "HubShipments" ("ShipmentReference" text_pattern_ops)
  where "IsDeleted" = false;
