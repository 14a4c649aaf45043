/** How far a shipment is. */
export enum ShipmentStatus {
  Draft = 0,
  Booked = 1,
  Confirmed = 2,
  CargoReceived = 3,
  InTransit = 4,
  Arrived = 5,
  CustomsCleared = 6,
  OutForDelivery = 7,
  Delivered = 8,
  Completed = 9,
  Cancelled = 10,
}

/** Which way a shipment goes, seen from the forwarder's country. */
export enum Direction {
  Export = 0,
  Import = 1,
  CrossTrade = 2,
  Domestic = 3,
}

/** What a party does on a shipment. */
export enum AddressRole {
  Consignor = 0,
  Consignee = 1,
  NotifyParty = 2,
  AlsoNotifyParty = 3,
  ControllingCustomer = 4,
  PickupFrom = 5,
  DeliverTo = 6,
  SendingAgent = 7,
  ReceivingAgent = 8,
  ExportBroker = 9,
  ImportBroker = 10,
  Buyer = 11,
  Supplier = 12,
  FreightPayer = 13,
  Carrier = 14,
}

/** Where a document stands. */
export enum DocumentStatus {
  Pending = 0,
  Published = 1,
  Superseded = 2,
  Archived = 3,
  Quarantined = 4,
}

/** How a document came. */
export enum DocumentSource {
  Upload = 0,
  Generated = 1,
  Email = 2,
  Edi = 3,
}

/** How far an order is. */
export enum OrderStatus {
  Draft = 0,
  Placed = 1,
  Confirmed = 2,
  PartiallyShipped = 3,
  Shipped = 4,
  Received = 5,
  Closed = 6,
  Cancelled = 7,
}

/** Whether we still deliver on account. */
export enum CreditStatus {
  Open = 0,
  OnHold = 1,
  CashOnly = 2,
}
