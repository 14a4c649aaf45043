import {
  Configuration,
  Diagnosis,
  type Finding,
  healthy,
  Injectable,
  problem,
  warning,
} from '@keel/framework'
import { type Database, Databases, sql, undeleted } from '@keel/framework/data'
import { OpenIddictApplication } from '../domain/application.js'

interface Client {
  readonly clientId: string
  /** JSON: a list. */
  readonly redirectUris: string | null
}

const local = ['localhost', '127.0.0.1', '[::1]']

/** Looks at where clients are sent back to after a sign-in. */
@Injectable()
export class ClientDiagnosis extends Diagnosis {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly configuration: Configuration,
  ) {
    super()
    this.database = databases.of(OpenIddictApplication)
  }

  async examine(): Promise<readonly Finding[]> {
    try {
      const clients = await this.database.query<Client>(sql`
        select "ClientId" as "clientId", "RedirectUris" as "redirectUris" from "OpenIddictApplications"
        where ${undeleted(OpenIddictApplication)} order by "ClientId" limit 1000`)
      if (clients.length === 0)
        return [
          problem('Clients', 'there are none', 'Set OpenIddict:Applications of the migrator and run it.'),
        ]
      return clients.map((client) => this.client(client))
    } catch (error) {
      return [problem('Clients', (error as Error).message, 'Run the migrator.')]
    }
  }

  private client({ clientId, redirectUris }: Client): Finding {
    const subject = `Client ${clientId}`
    const uris = JSON.parse(redirectUris ?? '[]') as string[]
    const cure = 'Set RedirectUris of its entry in OpenIddict:Applications of the migrator and run it.'
    const odd = uris.filter((uri) => !URL.canParse(uri) || uri.includes('#'))
    if (odd.length) return problem(subject, `is sent back to ${odd.join(', ')}, which is no address`, cure)
    const open = uris.filter((uri) => uri.startsWith('http:') && !local.includes(new URL(uri).hostname))
    const atHome = uris.filter((uri) => local.includes(new URL(uri).hostname))
    if (!this.configuration.isDevelopment && open.length + atHome.length)
      return warning(subject, `is sent back to ${[...open, ...atHome].join(', ')}`, cure)
    return healthy(subject, uris.join(', ') || 'is sent nowhere')
  }
}
