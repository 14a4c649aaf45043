import { AutoApiController } from '@keel/framework'
import { BusinessError, ForbiddenError } from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { Authority, hasPermission, RequiresPermission } from '@keel/framework/security'
import {
  ExternalLoginProviderDto,
  IdentityErrors,
  IdentityExternalUserAppService,
  IdentityUserAppService,
  type IdentityUserDto,
  IdentityUserPermissions,
  type ImportExternalUserInput,
} from '../contracts/index.js'
import { AuthorityAccounts } from './authority-accounts.js'
import { RoleAssignment } from './role-assignment.js'
import { UserDirectoryService } from './user-directory-service.js'

@AutoApiController(IdentityExternalUserAppService)
@RequiresPermission(IdentityUserPermissions.Default)
export class ExternalUserService implements IdentityExternalUserAppService {
  constructor(
    private readonly elsewhere: AuthorityAccounts,
    private readonly directory: UserDirectoryService,
    private readonly assignment: RoleAssignment,
    private readonly authority: Authority,
    private readonly users: IdentityUserAppService,
  ) {}

  async getExternalLoginProviders(): Promise<ExternalLoginProviderDto[]> {
    const provider = await this.elsewhere.enabled()
    const canObtainUserInfoWithoutPassword = false
    return provider
      ? [new ExternalLoginProviderDto({ name: provider.name, canObtainUserInfoWithoutPassword })]
      : []
  }

  @RequiresPermission(IdentityUserPermissions.Import)
  async importExternalUser(input: ImportExternalUserInput): Promise<IdentityUserDto> {
    const { provider, userNameOrEmailAddress: name, password } = input
    const server = await this.elsewhere.enabled()
    if (server?.name !== provider) throw new BusinessError(IdentityErrors.InvalidExternalLoginProvider)
    // No transaction stays open while the other server is asked.
    await UnitOfWork.apart(() => this.demandName(name))
    const verdict = password ? await this.elsewhere.prove(server, { name, password }) : undefined
    if (verdict?.outcome !== 'proven')
      throw new BusinessError(IdentityErrors.ExternalLoginProviderAuthenticateFailed)
    await this.demand(verdict.credentials?.id ?? (await this.elsewhere.known(server, verdict.person)))
    const userId = await this.elsewhere.take(server, verdict, name)
    if (!userId) throw new BusinessError(IdentityErrors.ExternalUserNotUsable)
    return this.users.get(userId)
  }

  /** Refuses names of users with a local password, and callers who may not learn about users. */
  private async demandName(name: string): Promise<void> {
    const user = (await this.directory.findByUserName(name)) ?? (await this.directory.findByEmail(name))
    if (user && !user.isExternal) throw new BusinessError(IdentityErrors.LocalUserAlreadyExists)
    await this.demand(user?.id)
  }

  /** Refuses callers who may not make such a user, or change this one. */
  private async demand(userId: string | undefined): Promise<void> {
    const { Create, Update } = IdentityUserPermissions
    if (!hasPermission(userId ? Update : Create)) throw new ForbiddenError()
    if (userId) await this.authority.demandUsers([userId])
    else await this.assignment.demand(await this.directory.registrationRoles())
  }
}
