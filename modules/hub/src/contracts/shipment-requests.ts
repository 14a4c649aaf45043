import { calendarDate, EventDto, guid, z } from '@keel/framework/contracts'

const request = {
  requestId: guid(),

  /** The system that asks, and its id for the shipment: together they make it one shipment, however often it is asked for. */
  sourceSystem: z.string().min(1).max(50),
  externalId: z.string().min(1).max(100),
  shipmentReference: z.string().min(1).max(100),
}

/**
 * Another module asks for a shipment, as a draft. Hub answers by {@link ShipmentRequestAnsweredEto}. The module that publishes the event lists it among its events.
 */
export class ShipmentRequestedEto extends EventDto('Hub.Shipment.Requested', {
  ...request,
  quoteId: guid().nullish(),
  quoteReference: z.string().max(50).nullish(),

  /** The controlling customer. */
  organizationId: guid(),

  /** The user who asked. */
  userId: guid().nullish(),
  transportModeCode: z.string(),
  containerModeCode: z.string(),
  originUnLocode: z.string(),
  destinationUnLocode: z.string(),
  incotermCode: z.string().nullish(),
  cargoReadyDate: calendarDate().nullish(),
  isDangerousGoods: z.boolean(),
  isTemperatureControlled: z.boolean(),
  cargoDescription: z.string().max(500).nullish(),
  totalPackages: z.int().nullish(),

  /** kg */
  totalGrossWeight: z.number().nullish(),

  /** m³ */
  totalVolume: z.number().nullish(),
}) {}

/** Hub made the shipment that was asked for, has it already, or refuses it. */
export class ShipmentRequestAnsweredEto extends EventDto('Hub.Shipment.RequestAnswered', {
  ...request,

  /** Null for a refusal. */
  shipmentId: guid().nullable(),

  /** The code of the error that refuses it. */
  refusal: z.string().nullish(),
}) {}
