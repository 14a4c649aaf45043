import { Injectable } from '@keel/framework'
import { BusinessError, faultOf, ValidationError, type ValidationFault } from '@keel/framework/contracts'
import { type ReferenceSet, ReferenceSets } from '@keel/framework/data'
import { AddressRole, HubErrors, type ShipmentAddressInput } from '../contracts/index.js'
import { Organization } from '../domain/organization.js'
import type { OrganizationScope } from '../domain/organization-context.js'
import { controllingCustomerOf, doublyPlayedRole, type Party } from '../domain/shipment.js'
import { isHiddenFrom } from '../domain/shipment-visibility.js'
import { KnownParties } from '../persistence/known-parties.js'
import {
  demandCodeTypes,
  type KnownReferences,
  type ReferenceMembers,
  readReferences,
  referenceFaults,
} from './reference-faults.js'

/** The members of a shipment that refer to other things, as they will be once written. */
export interface ShipmentReferences {
  readonly firstConsolLegDeparturePortId?: string | null
  readonly lastConsolLegArrivalPortId?: string | null
  readonly originPortId?: string | null
  readonly destinationPortId?: string | null
  readonly transportModeId?: string | null
  readonly containerModeId?: string | null
  readonly incotermId?: string | null
  readonly serviceLevelId?: string | null
  readonly releaseTypeId?: string | null
  readonly packageTypeId?: string | null
  readonly goodsValue?: string | null
  readonly goodsCurrencyCode?: string | null
}

const references: ReferenceMembers = {
  ports: ['firstConsolLegDeparturePortId', 'lastConsolLegArrivalPortId', 'originPortId', 'destinationPortId'],
  codes: {
    transportModeId: 'TransportMode',
    containerModeId: 'ContainerMode',
    incotermId: 'Incoterm',
    serviceLevelId: 'ServiceLevel',
    releaseTypeId: 'ReleaseType',
    packageTypeId: 'PackageType',
  },
}

/** Members that tie a shipment to other systems, and the routing that staff set by hand. */
const staffMembers = [
  'isRoutingOverridden',
  'quoteId',
  'quoteReference',
  'sourceSystem',
  'externalId',
] as const
type StaffMembers = { readonly [K in (typeof staffMembers)[number]]?: string | boolean | null | undefined }

/** Organizations that may be parties. */
export interface KnownOrganizations {
  readonly organizations: ReferenceSet
  /** The name of an organization as the caller sees it; undefined when the caller sees nothing of it. */
  nameOf(id: string): string | undefined
}

/** The rules between a shipment and the things that it refers to. */
@Injectable()
export class ShipmentRules {
  constructor(
    private readonly references: ReferenceSets,
    private readonly knownParties: KnownParties,
  ) {}

  /**
   * Refuses unknown ids, deactivated ports and code entities that the shipment did not have before, code entities of another
   * list, and container modes that the transport mode excludes.
   */
  async checkReferences(shipment: ShipmentReferences, before: ShipmentReferences = {}): Promise<void> {
    this.checkKnownReferences(await this.referencesOf([shipment]), shipment, before)
  }

  /** The ports and code entities of shipments, read at once for {@link checkKnownReferences}. */
  referencesOf(shipments: readonly ShipmentReferences[]): Promise<KnownReferences> {
    return readReferences(this.references, references, shipments)
  }

  /** {@link checkReferences} with what was read before. */
  checkKnownReferences(
    known: KnownReferences,
    shipment: ShipmentReferences,
    before: ShipmentReferences = {},
  ): void {
    const faults = referenceFaults(known, references, shipment, before)
    if (!shipment.goodsValue !== !shipment.goodsCurrencyCode) {
      faults.push({
        ...faultOf('goodsValue, goodsCurrencyCode', 'Hub:Validation:BothOrNeither'),
        members: ['goodsValue', 'goodsCurrencyCode'],
      })
    }
    if (faults.length) throw new ValidationError(faults)
    demandCodeTypes(known, references, shipment)
    checkContainerMode(shipment, known.codes)
  }

  /** Refuses members that only staff set, unless they stay as they are: refusals of taken external ids would show them to customers. */
  checkStaffMembers(input: StaffMembers, { all }: OrganizationScope, before: StaffMembers = {}): void {
    if (all) return
    const faults = staffMembers
      .filter((member) => input[member] !== undefined && (input[member] || null) !== (before[member] || null))
      .map((member) => faultOf(member, 'Hub:Validation:OnlyStaffChange'))
    if (faults.length) throw new ValidationError(faults)
  }

  /**
   * Refuses a role that too many play, unknown organizations, a controlling customer that the caller does not
   * belong to (domain model, section 3, step 8), and parties that all hide the shipment from the caller. An
   * organization of which the caller sees nothing is refused like one that does not exist. Answers the
   * parties with the names of their organizations filled in.
   * @param before the parties so far: organizations that were deactivated since may stay, and so has a controlling customer that
   * the caller does not belong to
   */
  async checkParties(
    parties: readonly ShipmentAddressInput[],
    scope: OrganizationScope,
    before: readonly Party[] = [],
  ): Promise<(ShipmentAddressInput & { companyName: string })[]> {
    const ids = parties.flatMap(({ organizationId }) => organizationId ?? [])
    return this.checkKnownParties(await this.partiesOf(ids, scope), parties, scope, before)
  }

  /** Organizations with the names that the caller sees, read at once for {@link checkKnownParties}. */
  async partiesOf(organizationIds: readonly string[], scope: OrganizationScope): Promise<KnownOrganizations> {
    const organizations = await this.references.rows(Organization, organizationIds)
    const foreign = organizationIds.filter((id) => !isOwn(id, scope))
    const known = await this.knownParties.namesOf(foreign)
    const nameOf = (id: string): string | undefined =>
      isOwn(id, scope) ? (organizations.value(id, 'fullName') ?? undefined) : known.get(id)
    return { organizations, nameOf }
  }

  /** {@link checkParties} with what was read before. */
  checkKnownParties(
    { organizations, nameOf }: KnownOrganizations,
    parties: readonly ShipmentAddressInput[],
    scope: OrganizationScope,
    before: readonly Party[] = [],
  ): (ShipmentAddressInput & { companyName: string })[] {
    const had = new Set(before.map(({ organizationId }) => organizationId))
    const customer = controllingCustomerOf(before)
    const twice = doublyPlayedRole(parties)
    if (twice !== undefined)
      throw new BusinessError(HubErrors.DuplicateAddressRole, { role: AddressRole[twice] })
    for (const { organizationId: id, role } of parties)
      if (id && id !== customer && role === AddressRole.ControllingCustomer && !isOwn(id, scope))
        throw new BusinessError(HubErrors.OrganizationNotAccessible, { organizationId: id })
    if (customer && !isOwn(customer, scope) && controllingCustomerOf(parties) !== customer)
      throw new BusinessError(HubErrors.OrganizationNotAccessible, { organizationId: customer })
    const faults: ValidationFault[] = []
    const named = parties.map((party, index) => {
      const { organizationId: id } = party
      const name = id ? nameOf(id) : undefined
      const isKnown =
        id &&
        name !== undefined &&
        (had.has(id) ||
          (organizations.value(id, 'isActive') === 't' && organizations.value(id, 'isDeleted') === 'f'))
      if (id && !isKnown) {
        faults.push(faultOf(`addresses[${index}].organizationId`, 'Hub:Validation:NoActiveOrganization'))
      }
      const companyName = party.companyName ?? (isKnown ? name : undefined)
      if (!companyName && !(id && !isKnown)) {
        faults.push(faultOf(`addresses[${index}].companyName`, 'Hub:Validation:CompanyNameRequired'))
      }
      return { ...party, companyName: companyName ?? '' }
    })
    if (isHiddenFrom(scope, parties)) {
      faults.push(faultOf('addresses', 'Hub:Validation:HiddenFromYou'))
    }
    if (faults.length) throw new ValidationError(faults)
    return named
  }
}

/**
 * The parties of a new shipment: those given and, when nobody controls it and it would be hidden from its
 * creator, their default organization as the controlling customer (domain model, section 2.1).
 */
export function withOwnParty(
  given: readonly ShipmentAddressInput[] | null | undefined,
  scope: OrganizationScope,
): readonly ShipmentAddressInput[] {
  const parties = given ?? []
  const isControlled = parties.some(({ role }) => role === AddressRole.ControllingCustomer)
  if (isControlled || !scope.defaultOrganizationId || (given && !isHiddenFrom(scope, given))) return parties
  return [...parties, { role: AddressRole.ControllingCustomer, organizationId: scope.defaultOrganizationId }]
}

function isOwn(id: string, { all, organizationIds }: OrganizationScope): boolean {
  return all || organizationIds.includes(id)
}

function checkContainerMode(
  { transportModeId, containerModeId }: ShipmentReferences,
  codes: ReferenceSet,
): void {
  if (!transportModeId || !containerModeId) return
  const { modes } = JSON.parse(codes.value(containerModeId, 'attributes') ?? '{}') as { modes?: string[] }
  const transportMode = codes.value(transportModeId, 'code') ?? ''
  if (modes && !modes.includes(transportMode)) {
    throw new BusinessError(HubErrors.ContainerModeNotValidForMode, {
      containerMode: codes.value(containerModeId, 'code'),
      transportMode,
    })
  }
}
