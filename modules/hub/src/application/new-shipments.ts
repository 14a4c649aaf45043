import { Clock, Injectable } from '@keel/framework'
import { BusinessError, ValidationError } from '@keel/framework/contracts'
import type { NewRow } from '@keel/framework/data'
import { DistributedEventBus } from '@keel/framework/events'
import { type CreateShipmentDto, ShipmentCreatedEto, type UpsertShipmentDto } from '../contracts/index.js'
import { OrganizationContext } from '../domain/organization-context.js'
import {
  controllingCustomerOf,
  type Shipment,
  type ShipmentAddress,
  withSequences,
} from '../domain/shipment.js'
import { visibleOrganizationIds } from '../domain/shipment-visibility.js'
import { ShipmentAddressStore, type ShipmentNames, ShipmentStore } from '../persistence/stores.js'
import { occurrenceOf } from './occurrence.js'
import { ShipmentLifecycle } from './shipment-lifecycle.js'
import { ShipmentRules, withOwnParty } from './shipment-rules.js'
import { chargeableWeightWith } from './shipment-totals.js'

/** A shipment that the rules allow, with its parties. */
interface AllowedShipment {
  readonly values: NewRow<Shipment>
  readonly parties: readonly NewRow<ShipmentAddress>[]
}

/** Why the rules refuse a shipment. */
export type Refusal = ValidationError | BusinessError

/** Creates shipments, one or many: what they refer to is read at once, and one statement writes all rows of a table. */
@Injectable()
export class NewShipments {
  constructor(
    private readonly shipments: ShipmentStore,
    private readonly addresses: ShipmentAddressStore,
    private readonly rules: ShipmentRules,
    private readonly lifecycle: ShipmentLifecycle,
    private readonly organizations: OrganizationContext,
    private readonly events: DistributedEventBus,
    private readonly clock: Clock,
  ) {}

  /** Creates a shipment. Throws what refuses it. */
  async create(input: CreateShipmentDto): Promise<Shipment> {
    const [allowed] = await this.check([input])
    if (isRefusal(allowed)) throw allowed
    const [shipment] = await this.write([allowed as AllowedShipment])
    return shipment as Shipment
  }

  /**
   * Creates the shipments that the rules allow, and answers for each input its shipment or its refusal. Throws when the database refuses one: then
   * none of them is there once the unit of work has ended.
   */
  async createEach(inputs: readonly CreateShipmentDto[]): Promise<(Shipment | Refusal)[]> {
    const checked = await this.check(inputs)
    const created = await this.write(checked.filter((each): each is AllowedShipment => !isRefusal(each)))
    let next = 0
    return checked.map((each) => (isRefusal(each) ? each : (created[next++] as Shipment)))
  }

  /** Those inputs whose reference and key in another system neither a shipment has nor an input before them: rules alone may refuse them. */
  async newOf(inputs: readonly UpsertShipmentDto[]): Promise<ReadonlySet<UpsertShipmentDto>> {
    const taken = new Set((await this.shipments.namedLike(inputs)).flatMap(namesOf))
    const found = new Set<UpsertShipmentDto>()
    for (const input of inputs) {
      const names = namesOf(input)
      if (!names.some((name) => taken.has(name))) found.add(input)
      for (const name of names) taken.add(name)
    }
    return found
  }

  private async check(inputs: readonly CreateShipmentDto[]): Promise<(AllowedShipment | Refusal)[]> {
    const scope = await this.organizations.current()
    const wanted = inputs.map(({ addresses, ...input }) => ({
      input,
      parties: withOwnParty(addresses, scope),
    }))
    const references = await this.rules.referencesOf(inputs)
    const organizationIds = wanted.flatMap(({ parties }) =>
      parties.flatMap(({ organizationId }) => organizationId ?? []),
    )
    const organizations = await this.rules.partiesOf(organizationIds, scope)
    return wanted.map(({ input, parties }) =>
      orRefusal(() => {
        this.rules.checkKnownReferences(references, input)
        this.rules.checkStaffMembers(input, scope)
        const named = withSequences(this.rules.checkKnownParties(organizations, parties, scope))
        const values = {
          ...input,
          totalChargeableWeight: chargeableWeightWith(references.codes, input),
          visibleOrganizationIds: visibleOrganizationIds(named),
          controllingCustomerId: controllingCustomerOf(named),
        }
        return { values, parties: named }
      }),
    )
  }

  private async write(allowed: readonly AllowedShipment[]): Promise<readonly Shipment[]> {
    const shipments = await this.shipments.insertEach(allowed.map(({ values }) => values))
    await this.addresses.insertEach(
      shipments.flatMap(({ id: shipmentId }, index) =>
        (allowed[index]?.parties ?? []).map((party) => ({ ...party, shipmentId })),
      ),
    )
    await this.lifecycle.begin(shipments)
    const { now } = this.clock
    await this.events.publishMany(
      ShipmentCreatedEto,
      shipments.map((shipment) => ({ key: shipment.id, event: occurrenceOf(shipment, now) })),
    )
    return shipments
  }
}

/** What only one shipment may have. */
function namesOf({ shipmentReference, sourceSystem, externalId }: ShipmentNames): string[] {
  return [JSON.stringify([shipmentReference]), JSON.stringify([sourceSystem, externalId])]
}

function orRefusal(check: () => AllowedShipment): AllowedShipment | Refusal {
  try {
    return check()
  } catch (error) {
    if (isRefusal(error)) return error
    throw error
  }
}

function isRefusal(value: unknown): value is Refusal {
  return value instanceof ValidationError || value instanceof BusinessError
}
