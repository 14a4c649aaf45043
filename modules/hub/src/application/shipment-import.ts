import { Clock, Injectable } from '@keel/framework'
import { ConcurrencyError, pascalCase } from '@keel/framework/contracts'
import {
  type ColumnTexts,
  type ImportedColumn,
  type ImportedRow,
  type ImportReference,
  type ImportTarget,
  type ManyWritten,
  type NewRow,
  RowsRefusedError,
  sequentialGuid,
  writeImportedRows,
} from '@keel/framework/data'
import { DistributedEventBus } from '@keel/framework/events'
import {
  AddressRole,
  type CreateShipmentDto,
  ShipmentAddressInput,
  ShipmentAppService,
  ShipmentCreatedEto,
  ShipmentScheduleChangedEto,
  ShipmentUpdatedEto,
} from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'
import { Organization } from '../domain/organization.js'
import { OrganizationContext } from '../domain/organization-context.js'
import { Port } from '../domain/port.js'
import {
  controllingCustomerOf,
  type Shipment,
  type ShipmentAddress,
  withSequences,
} from '../domain/shipment.js'
import { visibleOrganizationIds } from '../domain/shipment-visibility.js'
import { OrganizationStore, ShipmentAddressStore, ShipmentStore } from '../persistence/stores.js'
import { occurrenceOf } from './occurrence.js'
import { codeFaults, portFaults } from './reference-faults.js'
import { changedMembersOf, changeEventsOf, delayOf, movesMilestones } from './shipment-changes.js'
import { ShipmentDelays } from './shipment-delays.js'
import { ShipmentLifecycle } from './shipment-lifecycle.js'
import { ShipmentMilestones } from './shipment-milestones.js'
import { ShipmentRules, withOwnParty } from './shipment-rules.js'
import { shipmentSheet } from './shipment-sheet.js'
import { chargeableWeightWith, chargedBy } from './shipment-totals.js'

const inBatch = { audit: 'count', events: 'batch' } as const
type Row = ImportedRow<Shipment, CreateShipmentDto>
type PartyInput = ShipmentAddressInput & { companyName: string; sequence: number }

/** Roles whose parties a file describes in full. Parties in other roles are named by the codes of their organizations. */
const describedRoles: ReadonlySet<AddressRole> = new Set([
  AddressRole.Consignor,
  AddressRole.Consignee,
  AddressRole.NotifyParty,
  AddressRole.ControllingCustomer,
  AddressRole.PickupFrom,
  AddressRole.DeliverTo,
])
const describedMembers = [
  ...(['companyName', 'addressLine1', 'addressLine2', 'city', 'stateProvince', 'postalCode'] as const),
  ...(['countryCode', 'contactName', 'phone', 'email', 'taxNumber'] as const),
]
const partyMembers = ['organizationId', ...describedMembers] as const

/** The columns of the party in a role, by the members of a party that they give. */
interface PartyColumns {
  readonly role: AddressRole
  readonly columns: readonly (readonly [column: string, member: (typeof partyMembers)[number]])[]
}

/** `consignor` is the code of an organization, `consignorCity` a member of its address. */
const partyColumns: readonly PartyColumns[] = Object.values(AddressRole)
  .filter((role): role is AddressRole => typeof role === 'number')
  .map((role) => {
    const [first = '', ...rest] = AddressRole[role]
    const name = first.toLowerCase() + rest.join('')
    const members = describedRoles.has(role) ? describedMembers : []
    return {
      role,
      columns: [
        [name, 'organizationId'] as const,
        ...members.map((member) => [`${name}${pascalCase(member)}`, member] as const),
      ],
    }
  })
const allPartyColumns: ReadonlySet<string> = new Set(
  partyColumns.flatMap(({ columns }) => columns.map(([column]) => column)),
)

/** Imports files of shipments with their parties: of each role the first party. */
@Injectable()
export class ShipmentImport {
  readonly target: ImportTarget<Shipment, CreateShipmentDto>
  /** The parties that rows give their shipments, between their check and their write. */
  private readonly parties = new WeakMap<Row, Parties>()

  constructor(
    private readonly shipments: ShipmentStore,
    private readonly addresses: ShipmentAddressStore,
    private readonly rules: ShipmentRules,
    private readonly lifecycle: ShipmentLifecycle,
    private readonly milestones: ShipmentMilestones,
    private readonly delays: ShipmentDelays,
    private readonly events: DistributedEventBus,
    private readonly organizations: OrganizationContext,
    private readonly companies: OrganizationStore,
    private readonly clock: Clock,
  ) {
    this.target = {
      contract: ShipmentAppService,
      sheet: shipmentSheet,
      store: shipments,
      options: {
        key: 'shipmentReference',
        references: { ...shipmentReferences, ...this.organizationColumns() },
        columns: describedColumns(),
      },
      inputOf,
      memberOf,
      prepare: (rows) => this.prepare(rows),
      write: (rows) => this.write(rows),
    }
  }

  /** Organizations of which the caller sees nothing are refused like those that do not exist. */
  private organizationColumns(): Record<string, ImportReference> {
    const visible = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
      const { nameOf } = await this.rules.partiesOf(ids, await this.organizations.current())
      return new Set(ids.filter((id) => nameOf(id) !== undefined))
    }
    return Object.fromEntries(
      partyColumns.map(({ role, columns: [[name] = ['']] }): [string, ImportReference] => [
        name,
        {
          member: name,
          entity: Organization,
          by: 'code',
          unknown: 'Hub:Validation:NoActiveOrganization',
          visible,
          header: (texts, culture) => roleName(role, texts, culture),
        },
      ]),
    )
  }

  private async prepare(rows: readonly Row[]): Promise<void> {
    const scope = await this.organizations.current()
    await this.companies.hold(
      rows.flatMap(({ input }) => (input.addresses ?? []).map(({ organizationId }) => organizationId)),
    )
    const had = await this.lockedParties(rows)
    const planned = rows.map((row) => {
      const { addresses, ...changes } = row.input
      const before = row.before?.get() as Shipment | undefined
      const own = (before && had.get(before.id)) ?? []
      const given = before
        ? addresses
          ? mergedParties(own, addresses)
          : undefined
        : withOwnParty(addresses, scope)
      return { row, changes, before, own, given, after: { ...before, ...withoutUndefined(changes) } }
    })
    const references = await this.rules.referencesOf(planned.map(({ after }) => after))
    const organizationIds = planned.flatMap(({ given = [] }) =>
      given.flatMap(({ organizationId }) => organizationId ?? []),
    )
    const known = await this.rules.partiesOf(organizationIds, scope)
    for (const { row, changes, before, own, given, after } of planned) {
      await row.check(() => this.rules.checkStaffMembers(changes, scope, before))
      await row.check(() => this.rules.checkKnownReferences(references, after, before))
      const members: readonly string[] = before ? changedMembersOf(before, changes) : chargedBy
      if (chargedBy.some((member) => members.includes(member)))
        row.values.totalChargeableWeight = chargeableWeightWith(references.codes, after)
      await row.check(() => {
        if (!given) return
        const parties = withSequences(this.rules.checkKnownParties(known, given, scope, own))
        this.parties.set(row, { before: own, after: parties })
        row.values = {
          ...row.values,
          visibleOrganizationIds: visibleOrganizationIds(parties),
          controllingCustomerId: controllingCustomerOf(parties),
        }
      })
    }
  }

  private async write(rows: readonly Row[]): Promise<ManyWritten> {
    const changed = rows.flatMap(({ before, input }) => {
      const was = before?.get() as Shipment | undefined
      const { addresses: _, ...changes } = input
      const members = was ? changedMembersOf(was, changes) : []
      return was && members.length ? [{ before: was, changes, members }] : []
    })
    const written = await writeImportedRows(this.target, rows)
    const created = rows.flatMap(({ before, input, values }) =>
      before ? [] : { id: values.id as string, shipmentReference: input.shipmentReference },
    )
    const changedParties = await this.writeParties(rows)
    await this.lifecycle.beginMany(created)
    await this.publish(created, changed, changedParties)
    await this.delays.raiseMany(
      changed.flatMap(({ before, changes }) => {
        const delay = delayOf(before, changes.estimatedArrival)
        return delay ? { ...delay, shipmentId: before.id } : []
      }),
    )
    const moved = changed.filter(({ members }) => movesMilestones(members))
    await this.milestones.followMany(
      new Map(moved.map(({ before, changes }) => [before.id, { ...before, ...withoutUndefined(changes) }])),
    )
    return written
  }

  /** Adds and changes the parties, and answers the shipments that were there and have others now. */
  private async writeParties(rows: readonly Row[]): Promise<ReadonlySet<string>> {
    const added: { row: number; party: NewRow<ShipmentAddress> }[] = []
    const updated: { row: number; party: NewRow<ShipmentAddress> & { readonly id: string } }[] = []
    const changed = new Set<string>()
    for (const [index, row] of rows.entries()) {
      const { before: own = [], after = [] } = this.parties.get(row) ?? {}
      const shipmentId = row.before?.id ?? (row.values.id as string)
      for (const party of after) {
        const was = own.find(({ role, sequence }) => role === party.role && sequence === party.sequence)
        if (!was) added.push({ row: index, party: { ...party, id: sequentialGuid(), shipmentId } })
        else if (partyMembers.some((member) => (party[member] ?? null) !== was[member]))
          updated.push({ row: index, party: { ...party, id: was.id } })
        else continue
        if (row.before) changed.add(shipmentId)
      }
    }
    if (added.length)
      await ofRows(added, () =>
        this.addresses.insertMany(
          added.map(({ party }) => party),
          inBatch,
        ),
      )
    if (updated.length)
      await ofRows(updated, () =>
        this.addresses.updateMany(
          updated.map(({ party }) => party),
          inBatch,
        ),
      )
    return changed
  }

  private async publish(
    created: readonly Pick<Shipment, 'id' | 'shipmentReference'>[],
    changed: readonly { before: Shipment; changes: Partial<CreateShipmentDto>; members: string[] }[],
    changedParties: ReadonlySet<string>,
  ): Promise<void> {
    const { now } = this.clock
    await this.events.publishMany(
      ShipmentCreatedEto,
      created.map((shipment) => ({
        key: shipment.id,
        event: occurrenceOf(shipment, now),
      })),
    )
    const told = changed.map(({ before, changes, members }) => ({
      key: before.id,
      ...changeEventsOf(before, changes, members, now),
    }))
    await this.events.publishMany(
      ShipmentUpdatedEto,
      told.map(({ key, updated: event }) => ({ key, event })),
    )
    await this.events.publishMany(
      ShipmentScheduleChangedEto,
      told.flatMap(({ key, rescheduled: event }) => (event ? { key, event } : [])),
    )
    const references = await this.shipments.withIds([...changedParties])
    await this.events.publishMany(
      ShipmentUpdatedEto,
      references.map((shipment) => ({
        key: shipment.id,
        event: { ...occurrenceOf(shipment, now), changedFields: ['addresses'] },
      })),
    )
  }

  /** Locks the shipments that are there, and reads their parties by their ids. One that changed since it was read has the job tried again. */
  private async lockedParties(rows: readonly Row[]): Promise<ReadonlyMap<string, ShipmentAddress[]>> {
    const stamps = new Map(
      rows.flatMap(({ before }) => (before ? [[before.id, before.concurrencyStamp]] : [])),
    )
    const parties = new Map<string, ShipmentAddress[]>()
    if (stamps.size === 0) return parties
    const ids = [...stamps.keys()]
    const locked = await this.shipments.lock(ids)
    if (locked.length < stamps.size || locked.some(({ id, stamp }) => stamps.get(id) !== stamp))
      throw new ConcurrencyError()
    for (const party of await this.addresses.ofShipments(ids)) {
      const own = parties.get(party.shipmentId)
      if (own) own.push(party)
      else parties.set(party.shipmentId, [party])
    }
    return parties
  }
}

/** The parties of a shipment before and after a row. */
interface Parties {
  readonly before: readonly ShipmentAddress[]
  readonly after: readonly PartyInput[]
}

const code = (member: string, type: string): ImportReference => ({
  member,
  entity: CodeEntity,
  by: 'code',
  where: { type },
  unknown: codeFaults.unknown,
})
const port = (member: string): ImportReference => ({
  member,
  entity: Port,
  by: 'unLocode',
  unknown: portFaults.unknown,
})

const shipmentReferences: Readonly<Record<string, ImportReference>> = {
  transportMode: code('transportModeId', 'TransportMode'),
  containerMode: code('containerModeId', 'ContainerMode'),
  incoterm: code('incotermId', 'Incoterm'),
  serviceLevel: code('serviceLevelId', 'ServiceLevel'),
  releaseType: code('releaseTypeId', 'ReleaseType'),
  packageType: code('packageTypeId', 'PackageType'),
  departurePort: port('firstConsolLegDeparturePortId'),
  arrivalPort: port('lastConsolLegArrivalPortId'),
  originPort: port('originPortId'),
  destinationPort: port('destinationPortId'),
}

/** The columns that describe parties, as they are members of a party. */
function describedColumns(): Record<string, ImportedColumn> {
  const columns: Record<string, ImportedColumn> = {}
  for (const { role, columns: ofRole } of partyColumns)
    for (const [name, member] of ofRole)
      if (member !== 'organizationId')
        columns[name] = {
          schema: ShipmentAddressInput.shape[member],
          header: (texts, culture) => {
            const label = texts.label('Hub', 'ShipmentAddress', pascalCase(member), culture)
            return `${roleName(role, texts, culture)}: ${label ?? pascalCase(member)}`
          },
        }
  return columns
}

function roleName(role: AddressRole, texts: ColumnTexts, culture: string): string {
  return texts.find(`Enum:AddressRole.${role}`, culture) ?? AddressRole[role]
}

/** The roles of which a row gives something. */
function givenRoles(values: Readonly<Record<string, unknown>>): readonly PartyColumns[] {
  return partyColumns.filter(({ columns }) =>
    columns.some(([column]) => values[column] !== undefined && values[column] !== null),
  )
}

/** The input of `create` from the cells of a row. A role of which all cells are empty is not given. */
function inputOf(values: Readonly<Record<string, unknown>>): object {
  const input: Record<string, unknown> = {}
  for (const name in values) if (!allPartyColumns.has(name)) input[name] = values[name]
  const roles = givenRoles(values)
  if (roles.length === 0) return input
  input.addresses = roles.map(({ role, columns }) => {
    const party: Record<string, unknown> = { role }
    for (const [column, member] of columns) if (values[column] !== undefined) party[member] = values[column]
    return party
  })
  return input
}

/** The column of `addresses[1].city`, or another one of the same party where the file does not have it. The parties of a row come before those that its shipment has besides. */
function memberOf(path: string, values: Readonly<Record<string, unknown>>): string | undefined {
  const [, index, member] = /^addresses\[(\d+)\]\.(\w+)$/.exec(path) ?? []
  if (index === undefined) return undefined
  const columns = givenRoles(values)[Number(index)]?.columns.filter(
    ([column]) => values[column] !== undefined,
  )
  return (columns?.find(([, name]) => name === member) ?? columns?.[0])?.[0]
}

/** The parties of a shipment with those of a row in the place of the first ones of their roles. Cells that a row does not have stay, unless it names another organization. */
function mergedParties(
  own: readonly ShipmentAddress[],
  given: readonly ShipmentAddressInput[],
): ShipmentAddressInput[] {
  const replaced = new Set<ShipmentAddress>()
  const merged = given.map((party) => {
    const was = own
      .filter(({ role }) => role === party.role)
      .reduce<ShipmentAddress | undefined>(
        (first, next) => (first && first.sequence < next.sequence ? first : next),
        undefined,
      )
    if (!was) return party
    replaced.add(was)
    const isSame = party.organizationId === undefined || party.organizationId === was.organizationId
    return {
      ...(isSame && inputOfParty(was)),
      ...withoutUndefined(party),
      role: party.role,
      sequence: was.sequence,
    }
  })
  return [...merged, ...own.filter((party) => !replaced.has(party)).map(inputOfParty)]
}

function inputOfParty(party: ShipmentAddress): ShipmentAddressInput {
  const members = partyMembers.map((member) => [member, party[member]])
  return { ...Object.fromEntries(members), role: party.role, sequence: party.sequence }
}

/** Has the refusal of parties name the rows that they come from. */
async function ofRows(
  parties: readonly { readonly row: number }[],
  write: () => Promise<unknown>,
): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!(error instanceof RowsRefusedError)) throw error
    const rows = error.rows.map((fault) => ({
      ...fault,
      index: parties[fault.index]?.row ?? 0,
      column: undefined,
    }))
    throw new RowsRefusedError(rows, error)
  }
}

function withoutUndefined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}
