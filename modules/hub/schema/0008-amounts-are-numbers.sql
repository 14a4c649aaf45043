-- PostgreSQL's numeric holds NaN, which JSON lacks: a member that the API promises would be null. Rows from before are not checked.
alter table "HubOrders"
  add constraint "CK_HubOrders_TotalAmount" check ("TotalAmount" <> 'NaN') not valid,
  add constraint "CK_HubOrders_TotalQuantity" check ("TotalQuantity" <> 'NaN') not valid;
