import { Clock, Injectable } from '@keel/framework'
import { type Database, Databases } from '@keel/framework/data'
import { Impersonators, SessionSource } from '@keel/framework/security'
import { Sessions } from '@keel/identity/contracts'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { OpenIddictToken } from '../../domain/authorization.js'
import { Clients } from '../clients/clients.js'
import { AccessTokens } from '../tokens/access-tokens.js'
import { DeviceCodeRows } from './device-rows.js'
import { RowAdapter } from './row-adapter.js'
import { GrantRows, InteractionRows, SessionRows } from './session-rows.js'
import { AccessTokenRows, TokenRows } from './token-rows.js'

/** Tells oidc-provider where it keeps which kind of thing. */
@Injectable()
export class Storage {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly clients: Clients,
    private readonly accessTokens: AccessTokens,
    private readonly sessions: Sessions,
    private readonly liveSessions: SessionSource,
    private readonly impersonators: Impersonators,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(OpenIddictToken)
  }

  /** The adapter of a model of oidc-provider. Throws for one that no flow of ours uses. */
  adapterFor(model: string): Adapter {
    switch (model) {
      case 'Client':
        return new ClientRows(this.clients)
      case 'Grant':
        return new GrantRows(
          this.database,
          this.clients,
          this.sessions,
          this.liveSessions,
          this.impersonators,
        )
      case 'Session':
        return new SessionRows(this.database, this.sessions, this.clock)
      case 'Interaction':
        return new InteractionRows(this.database)
      case 'AuthorizationCode':
      case 'RefreshToken':
        return new TokenRows(model, this.database, this.clients, this.liveSessions)
      case 'DeviceCode':
        return new DeviceCodeRows(model, this.database, this.clients, this.liveSessions)
      case 'AccessToken':
      case 'ClientCredentials':
        return new AccessTokenRows(model, this.database, this.clients, this.liveSessions, this.accessTokens)
      default:
        throw new Error(
          `oidc-provider asks for a place for ${model}, but the flow that needs it is not switched on`,
        )
    }
  }
}

class ClientRows extends RowAdapter {
  constructor(private readonly clients: Clients) {
    super()
  }

  async find(clientId: string): Promise<AdapterPayload | undefined> {
    return (await this.clients.find(clientId))?.metadata as AdapterPayload | undefined
  }
}
