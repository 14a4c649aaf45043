import { Injectable } from '@keel/framework'
import { faultOf, ValidationError } from '@keel/framework/contracts'
import { OrganizationPermissions } from '../contracts/index.js'
import { OrganizationStore } from '../persistence/stores.js'

/** Addresses and contacts are read with their organization, and written by those who may change it. */
export class OrganizationChildPermissions {
  static readonly View = OrganizationPermissions.View
  static readonly Create = OrganizationPermissions.Edit
  static readonly Edit = OrganizationPermissions.Edit
  static readonly Delete = OrganizationPermissions.Edit
}

/** The organizations that rows belong to. */
@Injectable()
export class OrganizationParents {
  constructor(private readonly organizations: OrganizationStore) {}

  /** Refuses an organization that the caller does not see, or that is not active, like one that does not exist. */
  async demandActive(organizationId: string): Promise<void> {
    const organization = await this.organizations.find(organizationId)
    if (!organization?.isActive)
      throw new ValidationError([faultOf('organizationId', 'Hub:Validation:NoActiveOrganization')])
  }
}
