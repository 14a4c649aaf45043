/** How far a shipment is. */
export enum ShipmentStatus {
  /** Being entered; not yet agreed with the customer. */
  Draft = 0,

  /** Agreed with the customer. */
  Booked = 1,

  /** Confirmed by the carrier. */
  Confirmed = 2,

  /** The forwarder has the cargo. */
  CargoReceived = 3,

  /** On its main leg. */
  InTransit = 4,

  /** At the port of arrival. */
  Arrived = 5,

  /** Released by customs. */
  CustomsCleared = 6,

  /** On its way to the receiver. */
  OutForDelivery = 7,

  /** Handed over to the receiver. */
  Delivered = 8,

  /** Closed: nothing is left to do. */
  Completed = 9,

  /** Given up. */
  Cancelled = 10,
}

/** How a fact about a shipment came. */
export enum EventSource {
  /** Entered by a user. */
  Manual = 0,

  /** Reported by the carrier. */
  Carrier = 1,
  Edi = 2,

  /** Sent by another program with an API key. */
  Api = 3,

  /** Derived by this system. */
  System = 4,
}

/** The kinds of references of a shipment. */
export enum ReferenceType {
  CustomerReference = 0,
  PurchaseOrder = 1,
  BookingNumber = 2,
  HouseBill = 3,
  MasterBill = 4,
  ShipperReference = 5,
  ConsigneeReference = 6,
  ContractNumber = 7,
  QuoteNumber = 8,
  CustomsEntry = 9,
  ReleaseNumber = 10,
  Other = 99,
}

/** The readers of a note. */
export enum NoteVisibility {
  /** Holders of `Shipment.ViewInternalNotes`. */
  Internal = 0,

  /** Everybody who sees the shipment. */
  Customer = 1,
}

/** The steps of a shipment that customers follow. */
export enum MilestoneCode {
  /** Booking requested. */
  BKD = 0,

  /** Booking confirmed. */
  BKC = 1,

  /** Cargo ready. */
  CRD = 2,

  /** Picked up. */
  PUP = 3,

  /** Received at the terminal or by the carrier. */
  GIN = 4,

  /** Loaded. */
  LOD = 5,

  /** Departed. */
  DEP = 6,

  /** Arrived at a port of transhipment. */
  TSA = 7,

  /** Departed from a port of transhipment. */
  TSD = 8,

  /** Arrived. */
  ARV = 9,

  /** Discharged. */
  DIS = 10,

  /** Released by customs of import. */
  CCI = 11,

  /** Left the terminal. */
  GOU = 12,

  /** Delivered. */
  DLV = 13,

  /** Empty container returned. */
  EMR = 14,
}

/** How bad something is. */
export enum Severity {
  Info = 0,
  Warning = 1,
  Critical = 2,
}

/** Which way a shipment goes, seen from the forwarder's country. */
export enum Direction {
  Export = 0,
  Import = 1,

  /** Neither from nor to the forwarder's country. */
  CrossTrade = 2,

  /** Within the forwarder's country. */
  Domestic = 3,
}

/** The roles of parties on a shipment. */
export enum AddressRole {
  /** Sends the goods. */
  Consignor = 0,

  /** Receives the goods. */
  Consignee = 1,

  /** Is told of the arrival. */
  NotifyParty = 2,

  /** Is told of the arrival, too. */
  AlsoNotifyParty = 3,

  /** The customer that the shipment is done for. */
  ControllingCustomer = 4,

  /** Where the goods are picked up. */
  PickupFrom = 5,

  /** Where the goods are delivered. */
  DeliverTo = 6,

  /** The forwarder's partner at origin. */
  SendingAgent = 7,

  /** The forwarder's partner at destination. */
  ReceivingAgent = 8,

  /** Declares the goods at customs of origin. */
  ExportBroker = 9,

  /** Declares the goods at customs of destination. */
  ImportBroker = 10,
  Buyer = 11,
  Supplier = 12,

  /** Pays the freight. */
  FreightPayer = 13,
  Carrier = 14,
}

/** Where a document stands. */
export enum DocumentStatus {
  /** Not scanned yet: nobody downloads it. */
  Pending = 0,

  /** In force. */
  Published = 1,

  /** Another version took its place. */
  Superseded = 2,

  /** Put away by staff; customers no longer see it. */
  Archived = 3,

  /** Kept back, because its file may do harm. */
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

  /** A part of it is on a shipment. */
  PartiallyShipped = 3,
  Shipped = 4,
  Received = 5,
  Closed = 6,
  Cancelled = 7,
}

/** The credit states of an organization. */
export enum CreditStatus {
  Open = 0,
  OnHold = 1,

  /** Only against payment in advance. */
  CashOnly = 2,
}

/** The part of an organization's data that a member sees. */
export enum AccessScope {
  OwnOnly = 0,

  /** The organization with everything below it. */
  IncludeChildren = 1,
}

/** The use of an address of an organization. */
export enum OrganizationAddressType {
  Office = 0,
  Pickup = 1,
  Delivery = 2,
  Billing = 3,
  Warehouse = 4,
}

/** The department of a contact. */
export enum ContactDepartment {
  Operations = 0,
  Sales = 1,
  Finance = 2,
  Customs = 3,
  Warehouse = 4,
  Management = 5,
  Other = 6,
}

/** What a carrier moves goods with. */
export enum CarrierType {
  Ocean = 0,
  Air = 1,
  Road = 2,
  Rail = 3,
  Barge = 4,
  Courier = 5,
}

/** The kinds of ships. */
export enum VesselType {
  Container = 0,
  RoRo = 1,
  General = 2,
  Bulk = 3,
  Barge = 4,
}

/** The packing groups of dangerous goods: how dangerous they are. */
export enum PackingGroup {
  I = 1,
  II = 2,
  III = 3,
}

/** The aircraft that take a dangerous substance. */
export enum AirProhibition {
  Allowed = 0,
  CargoAircraftOnly = 1,
  Forbidden = 2,
}

/** How shipments share a master bill. */
export enum ConsolType {
  Direct = 0,
  Agent = 1,
  CoLoad = 2,
  Charter = 3,
}

/** How far a consolidation is. */
export enum ConsolStatus {
  Planned = 0,
  Booked = 1,

  /** No shipment may join any more. */
  Closed = 2,
  Departed = 3,
  Arrived = 4,
  Completed = 5,
  Cancelled = 6,
}

/** Where the freight is paid. */
export enum PaymentTerm {
  Prepaid = 0,
  Collect = 1,
}

/** The place of a leg on the way. */
export enum LegType {
  PreCarriage = 0,
  Main = 1,
  OnCarriage = 2,
}

/** How the verified gross mass of a container was found (SOLAS). */
export enum VgmMethod {
  /** The packed container was weighed. */
  Method1 = 1,

  /** Its contents were weighed, and its tare added. */
  Method2 = 2,
}

/** What an event of track and trace is about (DCSA). */
export enum EventCategory {
  /** Papers and releases. */
  Shipment = 0,

  /** Ships, aircraft, trains and trucks. */
  Transport = 1,

  /** Containers. */
  Equipment = 2,
}

/** How sure the time of an event is (DCSA). */
export enum EventClassifier {
  Planned = 0,
  Estimated = 1,
  Actual = 2,
  Requested = 3,
}

/** Whether a container is empty (DCSA). */
export enum EmptyIndicator {
  Empty = 0,
  Laden = 1,
}

/** Where the length of a leg comes from. */
export enum DistanceSource {
  /** The leg itself has it. */
  Leg = 0,

  /** The shortest way over sea lanes. */
  SeaGraph = 1,
  GreatCircle = 2,

  /** Set by staff. */
  Override = 3,
}

/** The state of a webhook. */
export enum WebhookStatus {
  Active = 0,
  /** Disabled by a person. */
  Disabled = 1,
  /** Stopped because its address failed for days, or is gone. */
  Stopped = 2,
}

/** The state of a delivery to a webhook. */
export enum WebhookDeliveryStatus {
  Pending = 0,
  Delivered = 1,
  /** Given up after the last attempt. */
  Failed = 2,
  /** Not sent: the owner of the webhook does not see what the event is about. */
  Skipped = 3,
}

/** Why an attempt to deliver to a webhook failed. */
export enum WebhookFailure {
  /** No connection, or an address that hosts may not call. */
  NotReached = 0,
  TimedOut = 1,
  /** An answer other than 2xx; redirects are not followed. */
  Refused = 2,
  /** The owner of the webhook may not sign in, or not have webhooks any more. */
  OwnerNotPermitted = 3,
  /** The owner does not see what the event is about. */
  NotVisible = 4,
}

/** What became of a row that another system sent. */
export enum UpsertOutcome {
  Created = 0,
  Updated = 1,
  /** It is there as it was sent. */
  Unchanged = 2,
  Failed = 3,
}
