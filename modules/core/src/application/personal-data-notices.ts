import { Application, ambient, Injectable } from '@keel/framework'
import { UserContext } from '@keel/framework/security'
import { NotificationSeverity } from '../contracts/index.js'
import type { PersonalDataRequest } from '../domain/personal-data-request.js'
import { NotificationStore } from '../persistence/notifications.js'
import { isActingError } from './export-owner.js'

/** Notifies users of the end of their requests about personal data. The notification names no person. */
@Injectable()
export class PersonalDataNotices {
  constructor(
    private readonly people: UserContext,
    private readonly notifications: NotificationStore,
    private readonly application: Application,
  ) {}

  /** Idempotent: a request has one notification of its success, and one of its failure. */
  async tell({ id, creatorId }: PersonalDataRequest, hasFailed: boolean): Promise<void> {
    if (!creatorId) return
    const kind = hasFailed ? 'PersonalDataFailed' : 'PersonalDataReady'
    const notify = async () => {
      const title = this.application.localization.find(`Notification:${kind}`, ambient().culture) ?? kind
      await this.notifications.add({
        ...{ userId: creatorId, eventId: id, kind, title, mailDueTime: null },
        ...{ entityType: 'PersonalDataRequest', entityId: id },
        severity: hasFailed ? NotificationSeverity.Error : NotificationSeverity.Information,
      })
    }
    try {
      await this.people.runAs(creatorId, notify, 'personal data')
    } catch (error) {
      // A user who may not sign in reads no notifications.
      if (!isActingError(error)) throw error
    }
  }
}
