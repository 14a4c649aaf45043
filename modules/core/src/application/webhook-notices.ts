import { Application, ambient, Injectable } from '@keel/framework'
import { EventHandler } from '@keel/framework/events'
import { UserContext } from '@keel/framework/security'
import { WebhookStoppedEto } from '@keel/hub/contracts'
import { NotificationSeverity } from '../contracts/index.js'
import { NotificationStore } from '../persistence/notifications.js'
import { isActingError } from './export-owner.js'

/** Notifies the owners of webhooks that were stopped. */
@Injectable()
export class WebhookNotices {
  constructor(
    private readonly people: UserContext,
    private readonly notifications: NotificationStore,
    private readonly application: Application,
  ) {}

  @EventHandler(WebhookStoppedEto)
  async stopped({ eventId, webhookId, name, ownerId }: WebhookStoppedEto): Promise<void> {
    const notify = async () => {
      const { culture } = ambient()
      const title =
        this.application.localization.find('Notification:WebhookStopped', culture, { name }) ?? name
      await this.notifications.add({
        ...{ userId: ownerId, eventId, kind: 'WebhookStopped', title: title.slice(0, 200) },
        ...{ entityType: 'Webhook', entityId: webhookId, mailDueTime: null },
        severity: NotificationSeverity.Error,
      })
    }
    try {
      await this.people.runAs(ownerId, notify, 'webhook')
    } catch (error) {
      // An owner who may not sign in reads no notifications.
      if (!isActingError(error)) throw error
    }
  }
}
