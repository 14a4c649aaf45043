import { Injectable } from '@keel/framework'
import { BusinessError, faultOf, ValidationError, type ValidationFault } from '@keel/framework/contracts'
import { type ReferenceSet, ReferenceSets } from '@keel/framework/data'
import { AddressRole, HubErrors, type ShipmentAddressInput } from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'
import { Organization } from '../domain/organization.js'
import type { OrganizationScope } from '../domain/organization-context.js'
import { Port } from '../domain/port.js'
import { doublyPlayedRole } from '../domain/shipment.js'
import { isHiddenFrom } from '../domain/shipment-visibility.js'

/** The members of a shipment that refer to other things, as they will be once written. */
export interface ShipmentReferences {
  readonly firstConsolLegDeparturePortId?: string | null
  readonly lastConsolLegArrivalPortId?: string | null
  readonly transportModeId?: string | null
  readonly containerModeId?: string | null
  readonly incotermId?: string | null
  readonly serviceLevelId?: string | null
  readonly goodsValue?: string | null
  readonly goodsCurrencyCode?: string | null
}

const codeTypes = {
  transportModeId: 'TransportMode',
  containerModeId: 'ContainerMode',
  incotermId: 'Incoterm',
  serviceLevelId: 'ServiceLevel',
} as const
const portMembers = ['firstConsolLegDeparturePortId', 'lastConsolLegArrivalPortId'] as const

/** What must hold between a shipment and the things it refers to. */
@Injectable()
export class ShipmentRules {
  constructor(private readonly references: ReferenceSets) {}

  /** Refuses ids of nothing, code entities of another list, and a container mode that the transport mode does not know. */
  async checkReferences(shipment: ShipmentReferences): Promise<void> {
    const [ports, codes] = await Promise.all([this.references.of(Port), this.references.of(CodeEntity)])
    const faults: ValidationFault[] = []
    for (const member of portMembers) check(member, shipment[member], ports, 'Hub:Validation:NoSuchPort')
    for (const member of Object.keys(codeTypes) as (keyof typeof codeTypes)[])
      check(member, shipment[member], codes, 'Hub:Validation:NoSuchCodeEntity')
    if (!shipment.goodsValue !== !shipment.goodsCurrencyCode) {
      faults.push({
        ...faultOf('goodsValue, goodsCurrencyCode', 'Hub:Validation:BothOrNeither'),
        members: ['goodsValue', 'goodsCurrencyCode'],
      })
    }
    if (faults.length) throw new ValidationError(faults)
    for (const [member, type] of Object.entries(codeTypes)) {
      const id = shipment[member as keyof typeof codeTypes]
      if (id && codes.value(id, 'type') !== type) {
        throw new BusinessError(HubErrors.WrongCodeEntityType, {
          member,
          expected: type,
          actual: codes.value(id, 'type'),
        })
      }
    }
    checkContainerMode(shipment, codes)

    function check(member: string, id: string | null | undefined, set: ReferenceSet, key: string): void {
      if (id && !set.has(id)) faults.push(faultOf(member, key))
    }
  }

  /**
   * Refuses a role that too many play, unknown organizations, a controlling customer that the caller does not belong to (domain model,
   * section 3, step 8), and parties that all hide the shipment from the caller. Answers the parties with the names of their organizations
   * filled in.
   */
  async checkParties(
    parties: readonly ShipmentAddressInput[],
    scope: OrganizationScope,
  ): Promise<(ShipmentAddressInput & { companyName: string })[]> {
    const organizations = await this.references.of(Organization)
    const twice = doublyPlayedRole(parties)
    if (twice !== undefined)
      throw new BusinessError(HubErrors.DuplicateAddressRole, { role: AddressRole[twice] })
    const faults: ValidationFault[] = []
    const named = parties.map((party, index) => {
      const { organizationId: id, role } = party
      const isKnown =
        id && organizations.value(id, 'isActive') === 't' && organizations.value(id, 'isDeleted') === 'f'
      if (id && !isKnown) {
        faults.push(faultOf(`addresses[${index}].organizationId`, 'Hub:Validation:NoActiveOrganization'))
      }
      if (
        id &&
        isKnown &&
        role === AddressRole.ControllingCustomer &&
        !scope.all &&
        !scope.organizationIds.includes(id)
      ) {
        throw new BusinessError(HubErrors.OrganizationNotAccessible, {
          organization: organizations.value(id, 'code'),
        })
      }
      const companyName = party.companyName ?? (isKnown ? organizations.value(id, 'fullName') : undefined)
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
