import { Provides } from '@keel/framework'
import { sql } from '@keel/framework/data'
import { ClientHolders, type NamedHolder } from '@keel/framework/security'
import { ApplicationStore } from '../domain/application.js'

/** Clients as permission management shows them: those that are registered, by client id. */
@Provides(ClientHolders)
export class StoredClientHolders extends ClientHolders {
  constructor(private readonly applications: ApplicationStore) {
    super()
  }

  async find(clientId: string): Promise<NamedHolder | undefined> {
    const [found] = await this.applications.where(sql`t."ClientId" = ${clientId}`)
    return found && { providerKey: clientId, displayName: found.displayName || clientId }
  }
}
