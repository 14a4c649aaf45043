import { Application, ambient, Injectable, Settings } from '@keel/framework'
import { Authority, Principals } from '@keel/framework/security'
import { Reauthentication } from '@keel/identity/contracts'
import { GrantBook } from '@keel/permission-management/contracts'
import { ApiKeySettings } from '../contracts/index.js'
import type { ApiKey } from '../domain/api-key.js'

/**
 * No key is a way up: whoever makes a key, learns its secret or lets it in again gets no more from it than they hold themselves, unless
 * `ApiKeys.ManageAllCoversEveryOwner` says that managing all keys goes further.
 */
@Injectable()
export class KeyAuthority {
  private readonly reauthentication: Reauthentication | undefined

  constructor(
    private readonly authority: Authority,
    private readonly principals: Principals,
    private readonly book: GrantBook,
    private readonly settings: Settings,
    application: Application,
  ) {
    this.reauthentication = application.find(Reauthentication)
  }

  /** A key outlives the session that it was made in: who makes one, or learns its secret, proves that it is they. */
  async demandPerson(): Promise<void> {
    await this.reauthentication?.demand()
  }

  /** Of an owner's permissions, those that the caller may give to a key. An owner who sees more data than the caller is refused. */
  async giveable(ownerId: string, permissions: Iterable<string>): Promise<string[]> {
    const all = [...permissions]
    if (await this.isFree(ownerId)) return all
    await this.authority.demandData([ownerId])
    return all.filter((name) => this.authority.mayGive(name))
  }

  /** Refuses to grant a key what the caller does not hold, or anything at all when its owner sees more data. */
  async demandGrants({ userId }: Pick<ApiKey, 'userId'>, permissions: readonly string[]): Promise<void> {
    if (permissions.length === 0 || (await this.isFree(userId))) return
    this.authority.demandPermissions(permissions)
    await this.authority.demandData([userId])
  }

  /** Refuses a key that may do, or see, more than the caller. */
  async demandKey({ id, userId }: Pick<ApiKey, 'id' | 'userId'>): Promise<void> {
    if (await this.isFree(userId)) return
    const [granted, owner] = await Promise.all([
      this.book.grantsOf({ providerName: 'AK', providerKey: id }),
      this.principals.ofUser(userId),
    ])
    this.authority.demandPermissions(granted.filter((name) => owner.permissions.has(name)))
    await this.authority.demandData([userId])
  }

  /** One's own keys are not asked about: a key never does more than its owner. */
  private async isFree(ownerId: string): Promise<boolean> {
    if (ownerId === ambient().principal.userId || this.authority.isUnlimited()) return true
    return this.settings.isOn(ApiKeySettings.ManageAllCoversEveryOwner)
  }
}
