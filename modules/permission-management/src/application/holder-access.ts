import { Application, ambient, type Class, Injectable } from '@keel/framework'
import { EntityNotFoundError, faultOf, type GrantProvider, ValidationError } from '@keel/framework/contracts'
import {
  ApiKeyHolders,
  ClientHolders,
  demandPermission,
  type GrantHolder,
  holdersOf,
  RoleHolders,
  type StoredUser,
  UserSource,
  withParents,
} from '@keel/framework/security'
import { manageAllKeysPolicy, managePolicies } from '../contracts/index.js'

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
    const provider = providerOf(providerName)
    demandPermission(managePolicies[provider])
    const holder = await this.find(provider, providerKey)
    const isSomebodyElsesKey = provider === 'AK' && holder.ownerId !== ambient().principal.userId
    if (isSomebodyElsesKey) demandPermission(manageAllKeysPolicy)
    return holder
  }

  /** A holder, whoever asks. {@link EntityNotFoundError} when there is none. */
  async find(provider: GrantProvider, providerKey: string): Promise<FoundHolder> {
    const found = await this.finders[provider](providerKey)
    if (!found) throw new EntityNotFoundError(entities[provider], providerKey)
    return found
  }

  private readonly finders: Readonly<
    Record<GrantProvider, (key: string) => Promise<FoundHolder | undefined>>
  > = {
    U: async (key) => {
      const user = await this.users.find(key.toLowerCase())
      return user && this.ofUser(user)
    },
    R: async (key) => {
      const role = await this.provided(RoleHolders)?.find(key)
      const names = role && withParents([role.providerKey], this.application.roles)
      return role && { ...role, providerName: 'R', chain: (names ?? []).map(asRole) }
    },
    C: async (key) => {
      const clients = this.provided(ClientHolders)
      const client = clients ? await clients.find(key) : { providerKey: key, displayName: key }
      return (
        client && {
          ...client,
          providerName: 'C',
          chain: [{ providerName: 'C', providerKey: client.providerKey }],
        }
      )
    },
    AK: async (key) => {
      const apiKey = await this.provided(ApiKeyHolders)?.find(key.toLowerCase())
      return (
        apiKey && {
          ...apiKey,
          providerName: 'AK',
          chain: [{ providerName: 'AK', providerKey: apiKey.providerKey }],
        }
      )
    },
  }

  /** A user as a holder. */
  ofUser(user: StoredUser): FoundHolder {
    const chain = holdersOf(user, this.application.roles)
    return { providerName: 'U', providerKey: user.id, displayName: user.userName, chain, user }
  }

  /** What a module of this host provides; undefined when none does. */
  provided<T extends object>(token: Class<T>): T | undefined {
    const { container } = this.application
    return container.isBound(token as never) ? this.application.get(token) : undefined
  }
}

const asRole = (providerKey: string): GrantHolder => ({ providerName: 'R', providerKey })

const entities: Readonly<Record<GrantProvider, string>> = { U: 'User', R: 'Role', C: 'Client', AK: 'ApiKey' }

/** The provider of a name; a fault of the input when there is none of that name. */
export function providerOf(name: string): GrantProvider {
  if (Object.hasOwn(managePolicies, name)) return name as GrantProvider
  throw new ValidationError([
    faultOf('providerName', 'PermissionManagement:Validation:Provider', {
      name,
      options: Object.keys(managePolicies).join(', '),
    }),
  ])
}
