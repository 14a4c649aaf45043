import { Injectable, Logger } from '@keel/framework'
import { type Database, Databases, sql } from '@keel/framework/data'
import { type SecurityAction, SecurityActions, SecurityEvents } from '@keel/identity/contracts'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { OpenIddictAuthorization } from '../domain/authorization.js'
import { originOf } from './requests/request-origin.js'

/**
 * Writes down what happens inside oidc-provider: sign-outs, devices that are let in, and codes and tokens
 * that come a second time.
 */
@Injectable()
export class SecurityNotes {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly events: SecurityEvents,
    private readonly logger: Logger,
  ) {
    this.database = databases.of(OpenIddictAuthorization)
  }

  listenTo(provider: Provider): void {
    provider.on('end_session.success', (ctx: KoaContextWithOIDC) => {
      const { session } = ctx.oidc
      // People who changed their mind come here too, still signed in.
      const hasEnded = (session as { destroyed?: boolean } | undefined)?.destroyed === true
      if (session?.accountId && hasEnded) this.note(ctx, SecurityActions.Logout, session.accountId)
    })
    provider.on('authorization.success', (ctx: KoaContextWithOIDC) => {
      const { deviceCode, session } = ctx.oidc as typeof ctx.oidc & { deviceCode?: unknown }
      if (deviceCode && session?.accountId) this.note(ctx, SecurityActions.AuthorizeDevice, session.accountId)
    })
    provider.on('grant.revoked', (ctx: KoaContextWithOIDC, grantId: string) => {
      if (ctx.oidc.route === 'token') this.note(ctx, SecurityActions.TokenReuse, this.ownerOf(grantId))
    })
  }

  private note(
    ctx: KoaContextWithOIDC,
    action: SecurityAction,
    user: string | Promise<string | undefined>,
  ): void {
    const origin = originOf(ctx)
    Promise.resolve(user)
      .then((userId) => this.events.write({ action, identity: 'OpenIddict', userId, origin }))
      .catch((error) => this.logger.warn({ err: error, action }, 'a security event was not written down'))
  }

  private async ownerOf(grantId: string): Promise<string | undefined> {
    const [grant] = await this.database.query<{ userId: string }>(
      sql`select "Subject" as "userId" from "OpenIddictAuthorizations" where "Id" = ${grantId}`,
    )
    return grant?.userId
  }
}
