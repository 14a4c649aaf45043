import { AutoApiController } from '@keel/framework'
import { ValidationError } from '@keel/framework/contracts'
import { CrudService, Databases, PageReader, ReferenceSets, RowRules, type Sql } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  type CreateOrganizationAddressDto,
  type OfOrganizationListInput,
  OrganizationAddressAppService,
  type OrganizationAddressDto,
  type UpdateOrganizationAddressDto,
} from '../contracts/index.js'
import { OrganizationAddress } from '../domain/organization-address.js'
import { Port } from '../domain/port.js'
import { OrganizationContactStore } from '../persistence/stores.js'
import { OrganizationChildPermissions, OrganizationParents } from './organization-parents.js'
import { portFaults, referenceFaults } from './reference-faults.js'

@AutoApiController(OrganizationAddressAppService)
@RequiresPermission(OrganizationChildPermissions)
export class OrganizationAddressService extends CrudService(
  OrganizationAddressAppService,
  OrganizationAddress,
  { searchIn: ['code', 'line1', 'city', 'postalCode'], defaultSorting: 'code' },
) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly parents: OrganizationParents,
    private readonly contacts: OrganizationContactStore,
    private readonly references: ReferenceSets,
  ) {
    super(databases, rules, pages)
  }

  override listConditions({ organizationId }: OfOrganizationListInput): readonly Sql[] {
    return this.view.equal({ organizationId })
  }

  override async create(input: CreateOrganizationAddressDto): Promise<OrganizationAddressDto> {
    await this.parents.demandActive(input.organizationId)
    await this.checkPort(input.portId)
    return super.create(input)
  }

  override async update(id: string, input: UpdateOrganizationAddressDto): Promise<OrganizationAddressDto> {
    await this.checkPort(input.portId, (await this.store.get(id)).portId)
    return super.update(id, input)
  }

  /** Contacts who work there stay, without the place. */
  override async delete(id: string): Promise<void> {
    await super.delete(id)
    for (const contact of await this.contacts.ofAddress(id))
      await this.contacts.update(contact, { organizationAddressId: null })
  }

  private async checkPort(portId: string | null | undefined, before?: string | null): Promise<void> {
    const ports = await this.references.rows(Port, [portId])
    const faults = referenceFaults(ports, portFaults, 'portId', portId, before)
    if (faults.length) throw new ValidationError(faults)
  }
}
