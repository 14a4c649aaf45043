-- Hub is told how many charges of each shipment wait for their approval: it completes no shipment that has some. Later changes are told by the program.

insert into "AbpEventOutbox" ("Id", "ExtraProperties", "EventName", "EventData", "CreationTime")
select gen_random_uuid(), json_build_object('Key', "ShipmentId")::text, 'Hub.Shipment.ChargesChanged',
  convert_to(json_build_object('shipmentId', "ShipmentId", 'openCharges', count(*))::text, 'UTF8'), clock_timestamp() at time zone 'utc'
from "PricingShipmentCharges" where "Status" < 2 and not "IsDeleted" group by "ShipmentId";
