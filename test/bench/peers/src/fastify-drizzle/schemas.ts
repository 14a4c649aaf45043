/** JSON schemas of answers, by which Fastify compiles what writes them. */
const text = { type: 'string', nullable: true }
const whole = { type: 'integer', nullable: true }
const number = { type: 'number', nullable: true }
const yesNo = { type: 'boolean' }
const instant = { type: 'string', format: 'date-time', nullable: true }

interface ObjectSchema {
  readonly type: 'object'
  readonly nullable: boolean
  readonly properties: Record<string, object>
}

function object(kinds: readonly (readonly [kind: object, members: string])[]): ObjectSchema {
  return {
    type: 'object',
    nullable: true,
    properties: Object.fromEntries(
      kinds.flatMap(([kind, members]) => members.split(/\s+/).map((member) => [member, kind])),
    ),
  }
}

export const portSchema = object([
  [text, 'id unLocode name countryCode iataCode subdivisionCode timeZone'],
  [number, 'latitude longitude'],
  [yesNo, 'isSeaport isAirport'],
])
const codeSchema = object([[text, 'id type code name description']])
const organizationSchema = object([[text, 'id code fullName']])
const addressSchema = object([
  [
    text,
    'id organizationId companyName addressLine1 addressLine2 city stateProvince postalCode countryCode contactName phone email taxNumber',
  ],
  [whole, 'role sequence'],
])

export const shipmentSchema = object([
  [
    text,
    `id shipmentReference holdReason firstConsolLegDeparturePortId lastConsolLegArrivalPortId transportModeId containerModeId
    cargoDescription goodsCurrencyCode houseBillNumber masterBillNumber bookingReference carrierId vesselName voyageFlightNumber quoteId
    quoteReference sourceSystem externalId creatorId lastModifierId concurrencyStamp`,
  ],
  [whole, 'status direction totalPackages'],
  [number, 'totalGrossWeight totalVolume totalChargeableWeight co2Emissions goodsValue'],
  [yesNo, 'isOnHold isDangerousGoods isTemperatureControlled isRoutingOverridden'],
  [
    instant,
    `cargoReadyDate estimatedPickup estimatedDeparture estimatedArrival estimatedDelivery actualPickup actualDeparture actualArrival
    actualDelivery creationTime lastModificationTime`,
  ],
  [portSchema, 'firstConsolLegDeparturePort lastConsolLegArrivalPort originPort destinationPort'],
  [codeSchema, 'transportMode containerMode incoterm serviceLevel releaseType packageType'],
  [organizationSchema, 'controllingCustomer'],
  [{ type: 'array', items: addressSchema }, 'addresses'],
])

export function pageOf(item: ObjectSchema): object {
  return {
    type: 'object',
    properties: { totalCount: { type: 'integer' }, items: { type: 'array', items: item } },
  }
}
