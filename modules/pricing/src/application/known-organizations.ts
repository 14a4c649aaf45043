import { Injectable } from '@keel/framework'
import { EntityNotFoundError, faultOf, ValidationError } from '@keel/framework/contracts'
import { OrganizationAppService } from '@keel/hub/contracts'

/** An organization as Pricing keeps it beside its id. */
export interface KnownOrganization {
  readonly id: string
  readonly code: string
  readonly fullName: string
}

/** The organizations that Hub shows to the caller. */
@Injectable()
export class KnownOrganizations {
  constructor(private readonly organizations: OrganizationAppService) {}

  /** The organization with an id. Refuses one that the caller does not see like one that does not exist. */
  async demand(id: string, member = 'organizationId'): Promise<KnownOrganization> {
    try {
      const { code, fullName } = await this.organizations.get(id)
      return { id, code, fullName }
    } catch (error) {
      if (error instanceof EntityNotFoundError)
        throw new ValidationError([faultOf(member, 'Validation:NoSuchEntity')], { cause: error })
      throw error
    }
  }
}
