import { type Configuration, configurationSection, Injectable, StartupError } from '@keel/framework'
import { z } from '@keel/framework/contracts'
import { type SeedContext, Seeder, sql } from '@keel/framework/data'
import { hashPassword } from '@keel/framework/security'
import { apiScope } from '../contracts/index.js'
import { type OpenIddictApplication } from '../domain/application.js'
import { ClientSeed, checkIds, checkSecret, isPublishedSecret, permissionsOf } from '../domain/client-seed.js'
import { isRedirectUri } from '../domain/redirect-uri.js'
import { apiScopeSeed, ScopeSeed } from '../domain/scope-seed.js'
import { ApplicationStore, ScopeStore } from './stores.js'

/** The scopes and clients that the migrator seeds. All layers of the configuration add to them. */
export const OpenIddict = configurationSection(
  'OpenIddict',
  {
    /** The clients, merged by `ClientId`: see the README of the openid module. */
    applications: z.array(ClientSeed).default([]),
    /** The scopes, merged by `Name`. */
    scopes: z.array(ScopeSeed).default([]),
  },
  { namedBy: { applications: 'ClientId', scopes: 'Name' } },
)

/**
 * The API scope and those of `OpenIddict:Scopes` that do not exist, and the clients of
 * `OpenIddict:Applications`. A client that exists is changed only when its redirect addresses or its
 * permissions differ from the definition; its secret stays. Throws a `BusinessError` for a client whose
 * secret and type do not fit, before anything is written.
 */
@Injectable()
export class ClientSeeder extends Seeder {
  constructor(
    private readonly applications: ApplicationStore,
    private readonly scopes: ScopeStore,
  ) {
    super()
  }

  async seed({ configuration, isDevelopment, logger }: SeedContext): Promise<void> {
    const { applications, scopes } = configuration.read(OpenIddict)
    const seeds = applications.map((seed) => withAddresses(seed, configuration))
    seeds.forEach(checkAddresses)
    seeds.forEach(checkSecret)
    if (!isDevelopment) seeds.forEach(refusePublishedSecret)
    checkIds(seeds)
    await this.seedScopes(scopes)
    for (const seed of seeds) {
      const outcome = await this.seedClient(seed)
      if (outcome) logger.info({ clientId: seed.clientId }, `client ${outcome}`)
    }
  }

  private async seedScopes(seeds: readonly ScopeSeed[]): Promise<void> {
    const wanted = seeds.some(({ name }) => name === apiScope) ? seeds : [apiScopeSeed, ...seeds]
    const known = await this.scopes.where(sql`t."Name" = any(${wanted.map(({ name }) => name)}::text[])`)
    for (const { name, displayName, description, resources } of wanted) {
      if (known.some((scope) => scope.name === name)) continue
      await this.scopes.insert({
        name,
        displayName: displayName ?? name,
        description: description ?? null,
        resources: JSON.stringify(resources),
        extraProperties: '{}',
      })
    }
  }

  private async seedClient(seed: ClientSeed): Promise<'added' | 'changed' | undefined> {
    const wanted = {
      redirectUris: JSON.stringify(seed.redirectUris),
      postLogoutRedirectUris: JSON.stringify(seed.postLogoutRedirectUris ?? seed.redirectUris),
      permissions: JSON.stringify(permissionsOf(seed)),
    }
    const [known] = await this.applications.where(sql`t."ClientId" = ${seed.clientId}`)
    if (known && isSame(known, wanted)) return undefined
    if (known) {
      await this.applications.update(known, wanted)
      return 'changed'
    }
    await this.applications.insert({
      ...wanted,
      clientId: seed.clientId,
      displayName: seed.displayName ?? seed.clientId,
      clientType: seed.type,
      consentType: seed.consentType,
      applicationType: seed.applicationType,
      clientSecret: seed.clientSecret === undefined ? null : await hashPassword(seed.clientSecret),
      extraProperties: '{}',
    })
    return 'added'
  }
}

/**
 * Addresses with their settings filled in: `{App:ApiUrl}/swagger/oauth2-redirect.html` follows wherever the
 * API host is.
 */
function withAddresses(seed: ClientSeed, configuration: Configuration): ClientSeed {
  const resolve = (address: string): string =>
    address.replace(/\{(\w+(?::\w+)+)\}/g, (_, key: string) => {
      const value = configuration.get(key)
      if (!value)
        throw new StartupError(
          `The client ${seed.clientId} is sent back to ${address}, but ${key} is not set`,
        )
      return value.replace(/\/+$/, '')
    })
  const { redirectUris, postLogoutRedirectUris } = seed
  return {
    ...seed,
    redirectUris: redirectUris.map(resolve),
    postLogoutRedirectUris: postLogoutRedirectUris?.map(resolve),
  }
}

function refusePublishedSecret(seed: ClientSeed): void {
  if (isPublishedSecret(seed))
    throw new StartupError(
      `The client ${seed.clientId} has a secret that is published for Development: set its ClientSecret to one of your own`,
    )
}

/** Refuses addresses that the auth server would send nobody to. */
function checkAddresses({
  clientId,
  applicationType,
  redirectUris,
  postLogoutRedirectUris = [],
}: ClientSeed): void {
  const odd = [...redirectUris, ...postLogoutRedirectUris].find((uri) => !isRedirectUri(uri, applicationType))
  if (odd === undefined) return
  throw new StartupError(
    `The client ${clientId} is sent back to ${odd}: expected an absolute address without a fragment, https or http for a web client, a scheme of its own or this machine for a native one`,
  )
}

type Addresses = Pick<OpenIddictApplication, 'redirectUris' | 'postLogoutRedirectUris' | 'permissions'>

/** True for lists with the same members, in any order. */
function isSame(known: Addresses, wanted: Addresses): boolean {
  const members = (json: string | null): string =>
    JSON.stringify((JSON.parse(json ?? '[]') as string[]).sort())
  return (['redirectUris', 'postLogoutRedirectUris', 'permissions'] as const).every(
    (list) => members(known[list]) === members(wanted[list]),
  )
}
