import { createHash } from 'node:crypto'
import { AutoApiController } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { Locks } from '@keel/framework/data'
import { AllowAnonymous, Authenticated } from '@keel/framework/security'
import {
  Reauthentication,
  type SecurityAction,
  SecurityActions,
  SecurityEvents,
  UserDirectory,
  type UserRecord,
} from '@keel/identity/contracts'
import {
  AccountErrors,
  type LinkedUserInput,
  LinkUserAppService,
  LinkUserDto,
  type LinkUserInput,
  LinkUserListDto,
} from '../contracts/index.js'
import { AccountSecrets } from '../persistence/account-secrets.js'
import { LinkedUsers, linksLock, mostLinks } from '../persistence/linked-users.js'
import { CurrentAccount } from './current-account.js'
import { PurposeTokens, tokenSeconds } from './purpose-tokens.js'

type Purpose = 'LinkUser' | 'LinkUserLogin'

/**
 * Links between accounts of one person: somebody signed in to one makes a token, and brings it while signed
 * in to the other.
 */
@AutoApiController(LinkUserAppService)
@Authenticated()
export class LinkUserService implements LinkUserAppService {
  constructor(
    private readonly current: CurrentAccount,
    private readonly users: UserDirectory,
    private readonly links: LinkedUsers,
    private readonly tokens: PurposeTokens,
    private readonly secrets: AccountSecrets,
    private readonly locks: Locks,
    private readonly events: SecurityEvents,
    private readonly reauthentication: Reauthentication,
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
    await this.reauthentication.demand()
    return this.generate('LinkUser')
  }

  @AllowAnonymous()
  async verifyLinkToken(input: LinkUserInput): Promise<boolean> {
    return this.verify('LinkUser', input)
  }

  /** Proves the identity of its maker. It does not ask for a link. */
  async generateLinkLoginToken(): Promise<string> {
    return this.generate('LinkUserLogin')
  }

  @AllowAnonymous()
  async verifyLinkLoginToken(input: LinkUserInput): Promise<boolean> {
    return this.verify('LinkUserLogin', input)
  }

  async link({ userId, tenantId, token }: LinkUserInput): Promise<void> {
    const user = await this.current.userInPerson()
    if (user.id === userId) throw new BusinessError(AccountErrors.SelfLink)
    await this.reauthentication.demand()
    const isGenuine = await this.isGenuine('LinkUser', userId, tenantId, token)
    if (!isGenuine || !(await this.secrets.take(userId, 'LinkUser', digestOf(token))))
      throw new BusinessError(AccountErrors.InvalidToken)
    await this.locks.hold(linksLock)
    if ((await this.links.countWith(user.id, userId)) > mostLinks)
      throw new BusinessError(AccountErrors.TooManyLinks, { most: mostLinks })
    await this.links.link(user.id, userId)
    await this.tell(SecurityActions.LinkUser, user, userId)
  }

  async isLinked({ userId, tenantId }: LinkedUserInput): Promise<boolean> {
    const linked = await this.links.of((await this.current.user()).id)
    return !tenantId && linked.some((other) => other.userId === userId)
  }

  async unlink({ userId, tenantId }: LinkedUserInput): Promise<void> {
    const user = await this.current.userInPerson()
    if (tenantId) return
    await this.links.unlink(user.id, userId)
    await this.tell(SecurityActions.UnlinkUser, user, userId)
  }

  private async generate(purpose: Purpose): Promise<string> {
    const user = await this.current.userInPerson()
    const token = await this.tokens.make(purpose, user)
    await this.secrets.remember(user.id, purpose, digestOf(token), tokenSeconds[purpose])
    return token
  }

  private async verify(purpose: Purpose, { userId, tenantId, token }: LinkUserInput): Promise<boolean> {
    const isGenuine = await this.isGenuine(purpose, userId, tenantId, token)
    return isGenuine && (await this.secrets.has(userId, purpose, digestOf(token)))
  }

  private async tell(
    action: SecurityAction,
    { id: userId, userName }: UserRecord,
    LinkTargetUserId: string,
  ): Promise<void> {
    await this.events.write({ action, userId, userName, extraProperties: { LinkTargetUserId } })
  }

  /** No account has a tenant here: none is found in one. */
  private async isGenuine(
    purpose: Purpose,
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
