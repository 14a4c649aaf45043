import { Application, ambient, type Class, Injectable } from '@keel/framework'
import {
  EntityNotFoundError,
  ForbiddenError,
  faultOf,
  type GrantProvider,
  ValidationError,
} from '@keel/framework/contracts'
import {
  ApiKeyHolders,
  ClientHolders,
  demandPermission,
  type GrantHolder,
  holdersOf,
  type NamedHolder,
  RoleHolders,
  type StoredUser,
  UserSource,
  withParents,
} from '@keel/framework/security'
import { keyManagementPolicy, manageAllKeysPolicy, managePolicies } from '../contracts/index.js'

/** A holder that exists, with all the holders that count for it. */
export interface FoundHolder extends GrantHolder {
  readonly displayName: string
  /** The holder itself and what it inherits from. */
  readonly chain: readonly GrantHolder[]
  /** The user, when it is one. */
  readonly user?: StoredUser
  /** The user that an API key acts for. */
  readonly ownerId?: string
}

/** Finds holders of grants, for those who may see and change what they hold. */
@Injectable()
export class HolderAccess {
  constructor(
    private readonly application: Application,
    private readonly users: UserSource,
  ) {}

  /** A holder that the caller may manage. Refuses a provider there is none of, callers without its policy, and holders that don't exist. */
  async managed(providerName: string, providerKey: string): Promise<FoundHolder> {
    const holder = keyOf(providerName, providerKey)
    demandPermission(managePolicies[holder.providerName])
    const found = await this.find(holder)
    if (holder.providerName === 'AK') this.demandKey(found.ownerId)
    return found
  }

  /** Refuses callers who may not manage a holder, be it there or not. */
  async demand(holder: GrantHolder): Promise<void> {
    demandPermission(managePolicies[holder.providerName])
    if (holder.providerName === 'AK') this.demandKey((await this.finders.AK(holder.providerKey))?.ownerId)
  }

  /** A holder, whoever asks. {@link EntityNotFoundError} when there is none. */
  async find({ providerName, providerKey }: GrantHolder): Promise<FoundHolder> {
    const found = await this.finders[providerName](providerKey)
    if (!found) throw new EntityNotFoundError(entities[providerName], providerKey)
    return found
  }

  /** Keys are managed by their owners and by those who may manage all, but by no key, lest one widens itself or others. */
  private demandKey(ownerId: string | undefined): void {
    const { principal } = ambient()
    if (principal.apiKeyId !== undefined)
      throw new ForbiddenError(undefined, {
        code: 'Volo.Authorization:010002',
        data: { PolicyName: keyManagementPolicy },
      })
    if (ownerId === undefined || ownerId !== principal.userId) demandPermission(manageAllKeysPolicy)
  }

  private readonly finders: Readonly<
    Record<GrantProvider, (key: string) => Promise<FoundHolder | undefined>>
  > = {
    U: async (key) => {
      const user = await this.users.find(key)
      if (!user) return undefined
      const chain = holdersOf(user, this.application.roles)
      return { providerName: 'U', providerKey: user.id, displayName: user.userName, chain, user }
    },
    R: async (key) => {
      const role = await this.provided(RoleHolders)?.find(key)
      return role && found('R', role, withParents([role.providerKey], this.application.roles))
    },
    C: async (key) => {
      const clients = this.provided(ClientHolders)
      const client = clients ? await clients.find(key) : { providerKey: key, displayName: key }
      return client && found('C', client)
    },
    AK: async (key) => {
      const apiKey = await this.provided(ApiKeyHolders)?.find(key)
      return apiKey && found('AK', apiKey)
    },
  }

  /** The implementation of a token that a module of this host provides; undefined when none does. */
  provided<T extends object>(token: Class<T>): T | undefined {
    return this.application.find(token)
  }
}

/** A holder of a kind with those that count for it: the keys of its kind, by default itself alone. */
function found(providerName: GrantProvider, holder: NamedHolder, keys = [holder.providerKey]): FoundHolder {
  return { ...holder, providerName, chain: keys.map((providerKey) => ({ providerName, providerKey })) }
}

const entities: Readonly<Record<GrantProvider, string>> = { U: 'User', R: 'Role', C: 'Client', AK: 'ApiKey' }

/** A holder as grants name it: ids in lower case. A fault of the input when there is no such provider. */
export function keyOf(providerName: string, providerKey: string): GrantHolder {
  if (providerName === 'U' || providerName === 'AK')
    return { providerName, providerKey: providerKey.toLowerCase() }
  if (Object.hasOwn(managePolicies, providerName))
    return { providerName: providerName as GrantProvider, providerKey }
  const options = Object.keys(managePolicies).join(', ')
  throw new ValidationError([
    faultOf('providerName', 'PermissionManagement:Validation:Provider', { name: providerName, options }),
  ])
}
