import { createHash } from 'node:crypto'
import { AutoApiController } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { AllowAnonymous, Authenticated } from '@keel/framework/security'
import { UserDirectory } from '@keel/identity/contracts'
import {
  AccountErrors,
  type LinkedUserInput,
  LinkUserAppService,
  LinkUserDto,
  type LinkUserInput,
  LinkUserListDto,
} from '../contracts/index.js'
import { AccountSecrets } from '../persistence/account-secrets.js'
import { LinkedUsers, mostLinks } from '../persistence/linked-users.js'
import { CurrentAccount } from './current-account.js'
import { PurposeTokens, tokenSeconds } from './purpose-tokens.js'

const purpose = 'LinkUser'

/** Links between accounts of one person: somebody signed in to one makes a token, and brings it while signed in to the other. */
@AutoApiController(LinkUserAppService)
@Authenticated()
export class LinkUserService implements LinkUserAppService {
  constructor(
    private readonly current: CurrentAccount,
    private readonly users: UserDirectory,
    private readonly links: LinkedUsers,
    private readonly tokens: PurposeTokens,
    private readonly secrets: AccountSecrets,
  ) {}

  async getAllList(): Promise<LinkUserListDto> {
    const linked = await this.links.of((await this.current.user()).id)
    const items = await Promise.all(
      linked.map(async ({ userId, distance }) => {
        const user = await this.users.find(userId)
        return user?.isActive ? [describe(userId, user.userName, distance === 1)] : []
      }),
    )
    return new LinkUserListDto({ items: items.flat() })
  }

  /** A token counts once, and the next one takes its place. */
  async generateLinkToken(): Promise<string> {
    const user = await this.current.user()
    const token = await this.tokens.make(purpose, user)
    await this.secrets.remember(user.id, purpose, digestOf(token), tokenSeconds[purpose])
    return token
  }

  @AllowAnonymous()
  async verifyLinkToken({ userId, tenantId, token }: LinkUserInput): Promise<boolean> {
    const isGenuine = await this.isGenuine(userId, tenantId, token)
    return isGenuine && (await this.secrets.has(userId, purpose, digestOf(token)))
  }

  async link({ userId, tenantId, token }: LinkUserInput): Promise<void> {
    const { id } = await this.current.user()
    if (id === userId) throw new BusinessError(AccountErrors.SelfLink)
    const isGenuine = await this.isGenuine(userId, tenantId, token)
    if (!isGenuine || !(await this.secrets.take(userId, purpose, digestOf(token))))
      throw new BusinessError(AccountErrors.InvalidToken)
    for (const side of [id, userId])
      if ((await this.links.of(side)).length >= mostLinks)
        throw new BusinessError(AccountErrors.TooManyLinks, { most: mostLinks })
    await this.links.link(id, userId)
  }

  async isLinked({ userId, tenantId }: LinkedUserInput): Promise<boolean> {
    const linked = await this.links.of((await this.current.user()).id)
    return !tenantId && linked.some((other) => other.userId === userId)
  }

  async unlink({ userId, tenantId }: LinkedUserInput): Promise<void> {
    const { id } = await this.current.user()
    if (!tenantId) await this.links.unlink(id, userId)
  }

  /** No account has a tenant here: none is found in one. */
  private async isGenuine(
    userId: string,
    tenantId: string | null | undefined,
    token: string,
  ): Promise<boolean> {
    const user = tenantId ? undefined : await this.users.find(userId)
    const isGenuine = await this.tokens.isFor(purpose, user, token)
    return isGenuine && user?.isActive === true
  }
}

function describe(targetUserId: string, targetUserName: string, directlyLinked: boolean): LinkUserDto {
  return new LinkUserDto({
    targetUserId,
    targetUserName,
    targetTenantId: null,
    targetTenantName: null,
    directlyLinked,
  })
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
