import { AutoApiController } from '@keel/framework'
import { faultOf, ValidationError } from '@keel/framework/contracts'
import { CrudService, Databases, PageReader, RowRules } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  type CreateOrganizationContactDto,
  OrganizationContactAppService,
  type OrganizationContactDto,
  type UpdateOrganizationContactDto,
} from '../contracts/index.js'
import { OrganizationContact } from '../domain/organization-contact.js'
import { OrganizationAddressStore } from '../persistence/stores.js'
import { OrganizationChildPermissions, OrganizationParents } from './organization-parents.js'

@AutoApiController(OrganizationContactAppService)
@RequiresPermission(OrganizationChildPermissions)
export class OrganizationContactService extends CrudService(
  OrganizationContactAppService,
  OrganizationContact,
  {
    searchIn: ['fullName', 'email', 'jobTitle'],
    filterBy: ['organizationId'],
    defaultSorting: 'fullName',
  },
) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly parents: OrganizationParents,
    private readonly addresses: OrganizationAddressStore,
  ) {
    super(databases, rules, pages)
  }

  override async create(input: CreateOrganizationContactDto): Promise<OrganizationContactDto> {
    await this.parents.demandActive(input.organizationId)
    await this.checkAddress(input.organizationId, input)
    return super.create(input)
  }

  override async update(id: string, input: UpdateOrganizationContactDto): Promise<OrganizationContactDto> {
    await this.checkAddress((await this.store.get(id)).organizationId, input)
    return super.update(id, input)
  }

  /** Refuses a place of another organization like one that does not exist. */
  private async checkAddress(
    organizationId: string,
    { organizationAddressId: id }: UpdateOrganizationContactDto,
  ): Promise<void> {
    if (id && (await this.addresses.find(id))?.organizationId !== organizationId)
      throw new ValidationError([faultOf('organizationAddressId', 'Hub:Validation:NoSuchAddress')])
  }
}
