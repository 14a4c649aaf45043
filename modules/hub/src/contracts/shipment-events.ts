import { EventDto, enumeration, guid, instant, z } from '@keel/framework/contracts'
import { Severity, ShipmentStatus } from './enumerations.js'
import { occurrence } from './occurrence.js'
import { ShipmentRequestAnsweredEto } from './shipment-requests.js'

const status = enumeration('ShipmentStatus', ShipmentStatus)
const transition = { ...occurrence, from: status, to: status, reason: z.string().nullish() }

/** A shipment was created, as a draft. */
export class ShipmentCreatedEto extends EventDto('Hub.Shipment.Created', occurrence) {}
/** A shipment was booked. */
export class ShipmentBookedEto extends EventDto('Hub.Shipment.Booked', transition) {}
/** The carrier confirmed a shipment. */
export class ShipmentConfirmedEto extends EventDto('Hub.Shipment.Confirmed', transition) {}
/** The forwarder received the cargo. */
export class ShipmentCargoReceivedEto extends EventDto('Hub.Shipment.CargoReceived', transition) {}
/** A shipment departed. */
export class ShipmentDepartedEto extends EventDto('Hub.Shipment.Departed', transition) {}
/** A shipment arrived at its last port. */
export class ShipmentArrivedEto extends EventDto('Hub.Shipment.Arrived', transition) {}
/** Customs released a shipment. */
export class ShipmentCustomsClearedEto extends EventDto('Hub.Shipment.CustomsCleared', transition) {}
/** A shipment is on its way to the receiver. */
export class ShipmentOutForDeliveryEto extends EventDto('Hub.Shipment.OutForDelivery', transition) {}
/** A shipment was handed over to the receiver. */
export class ShipmentDeliveredEto extends EventDto('Hub.Shipment.Delivered', transition) {}
/** A shipment was closed. */
export class ShipmentCompletedEto extends EventDto('Hub.Shipment.Completed', transition) {}
/** A shipment was cancelled. */
export class ShipmentCancelledEto extends EventDto('Hub.Shipment.Cancelled', transition) {}
/** A completed or cancelled shipment was opened again. */
export class ShipmentReopenedEto extends EventDto('Hub.Shipment.Reopened', transition) {}
/** Staff gave a shipment a status without its guards. */
export class ShipmentStatusForcedEto extends EventDto('Hub.Shipment.StatusForced', transition) {}

/** The status of a shipment changed, by whatever action. */
export class ShipmentStatusChangedEto extends EventDto('Hub.Shipment.StatusChanged', {
  ...transition,
  shipmentId: guid(),
  shipmentReference: z.string(),
}) {}

/** A shipment was put on hold, or released. */
export class ShipmentHoldChangedEto extends EventDto('Hub.Shipment.HoldChanged', {
  ...occurrence,
  isOnHold: z.boolean(),
  reason: z.string().nullish(),
}) {}

/** Members of a shipment were changed. */
export class ShipmentUpdatedEto extends EventDto('Hub.Shipment.Updated', {
  ...occurrence,

  /** The names of the members. */
  changedFields: z.array(z.string()),
}) {}

/** The estimated arrival of a shipment moved by a day or more. */
export class ShipmentScheduleChangedEto extends EventDto('Hub.Shipment.ScheduleChanged', {
  ...occurrence,
  oldEta: instant(),
  newEta: instant(),
}) {}

/** A disruption was raised for a shipment, by staff or by the program itself. */
export class ShipmentExceptionRaisedEto extends EventDto('Hub.Shipment.ExceptionRaised', {
  ...occurrence,
  exceptionId: guid(),

  /** The type, as a code entity. */
  exceptionTypeId: guid(),
  severity: enumeration('Severity', Severity),
  description: z.string().nullish(),
}) {}

/** A shipment was deleted. */
export class ShipmentDeletedEto extends EventDto('Hub.Shipment.Deleted', occurrence) {}

/** The events of shipments, for `events` of the module. */
export const shipmentEvents = [
  ShipmentCreatedEto,
  ShipmentBookedEto,
  ShipmentConfirmedEto,
  ShipmentCargoReceivedEto,
  ShipmentDepartedEto,
  ShipmentArrivedEto,
  ShipmentCustomsClearedEto,
  ShipmentOutForDeliveryEto,
  ShipmentDeliveredEto,
  ShipmentCompletedEto,
  ShipmentCancelledEto,
  ShipmentReopenedEto,
  ShipmentStatusForcedEto,
  ShipmentStatusChangedEto,
  ShipmentHoldChangedEto,
  ShipmentUpdatedEto,
  ShipmentScheduleChangedEto,
  ShipmentExceptionRaisedEto,
  ShipmentDeletedEto,
  ShipmentRequestAnsweredEto,
] as const
