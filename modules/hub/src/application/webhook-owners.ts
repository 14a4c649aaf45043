import { Application, Injectable } from '@keel/framework'
import { demandPermission, UserContext } from '@keel/framework/security'
import { WebhookPermissions } from '../contracts/index.js'
import type { Webhook } from '../domain/webhook.js'
import { OrganizationFocus } from '../persistence/memberships.js'
import { WebhookStore } from '../persistence/webhook-stores.js'

/** The owner of a webhook, with the limits that it was made with. */
export type WebhookOwner = Pick<Webhook, 'ownerId' | 'apiKeyId' | 'impersonatorId'>

/** Work with the rights of the owners of webhooks. */
@Injectable()
export class WebhookOwners {
  constructor(
    private readonly application: Application,
    private readonly webhooks: WebhookStore,
    private readonly focus: OrganizationFocus,
  ) {}

  /** The caller as an owner, with the limits of the caller's API key or impersonation: requests must not exceed them. Refuses callers who are no users. */
  ofCaller(): WebhookOwner {
    const { userId, apiKeyId = null, impersonatorId = null } = this.people.actingFor()
    return { ownerId: userId, apiKeyId, impersonatorId }
  }

  /**
   * Runs `work` with the rights that the owner has now, and of the organization of the webhook, and those below it, alone. Throws what
   * `UserContext.runAs` throws for owners who may not sign in, and `ForbiddenError` for those who may not have webhooks any more.
   */
  async runAs<T>(webhook: Webhook, work: () => Promise<T>): Promise<T> {
    const { ownerId: userId, apiKeyId, impersonatorId, organizationId } = webhook
    const acting = {
      userId,
      ...(apiKeyId && { apiKeyId }),
      ...(impersonatorId && { impersonatorId }),
    }
    const organizationIds = organizationId && (await this.webhooks.organizationsBelow(organizationId))
    return this.people.runAs(
      acting,
      async () => {
        demandPermission(WebhookPermissions.View)
        return organizationIds ? this.focus.within(organizationIds, work) : work()
      },
      'webhook',
    )
  }

  private get people(): UserContext {
    const people = this.application.find(UserContext)
    if (!people)
      throw new Error('Webhooks have owners, and this host knows no users: add SecurityModule to it')
    return people
  }
}
