import { ambient, Provides } from '@keel/framework'
import { OrganizationMemberAppService } from '@keel/hub/contracts'
import { type SavedViewReader, SavedViewReaders } from '../domain/saved-view.js'

/** Asks Hub for the organizations of the caller, wherever Hub runs. */
@Provides(SavedViewReaders)
export class SavedViewReadersByMembership extends SavedViewReaders {
  constructor(private readonly members: OrganizationMemberAppService) {
    super()
  }

  async current(): Promise<SavedViewReader> {
    const { userId, roles } = ambient().principal
    if (!userId) return { userId: null, roles: [], organizationIds: [] }
    const memberships = await this.members.getMyOrganizations()
    return { userId, roles, organizationIds: memberships.map(({ organizationId }) => organizationId) }
  }
}
