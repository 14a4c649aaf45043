import { AutoApiController } from '@keel/framework'
import { CrudService, Databases, PageReader, ReferenceSets, RowRules } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  type CreateOrganizationAddressDto,
  OrganizationAddressAppService,
  type OrganizationAddressDto,
  type UpdateOrganizationAddressDto,
} from '../contracts/index.js'
import { OrganizationAddress } from '../domain/organization-address.js'
import { OrganizationContactStore } from '../persistence/stores.js'
import { OrganizationChildPermissions, OrganizationParents } from './organization-parents.js'
import { demandPortsAndCodes } from './reference-faults.js'

const references = { ports: ['portId'] }

@AutoApiController(OrganizationAddressAppService)
@RequiresPermission(OrganizationChildPermissions)
export class OrganizationAddressService extends CrudService(
  OrganizationAddressAppService,
  OrganizationAddress,
  {
    searchIn: ['code', 'line1', 'city', 'postalCode'],
    filterBy: ['organizationId'],
    defaultSorting: 'code',
  },
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

  override async create(input: CreateOrganizationAddressDto): Promise<OrganizationAddressDto> {
    await this.parents.demandActive(input.organizationId)
    await demandPortsAndCodes(this.references, references, input)
    return super.create(input)
  }

  override async update(id: string, input: UpdateOrganizationAddressDto): Promise<OrganizationAddressDto> {
    await demandPortsAndCodes(this.references, references, input, await this.store.get(id))
    return super.update(id, input)
  }

  /** Contacts who work there stay, without the place. */
  override async delete(id: string): Promise<void> {
    await super.delete(id)
    for (const contact of await this.contacts.ofAddress(id))
      await this.contacts.update(contact, { organizationAddressId: null })
  }
}
