import { Injectable } from '@keel/framework'
import type { Database } from '@keel/framework/data'
import { type LiveChange, LiveEventSource } from '@keel/framework/live'
import { NotificationPermissions, type UnreadCountDto } from '../contracts/index.js'
import { NotificationStore, notificationKind } from '../persistence/notifications.js'

/** Tells people how many unread notifications they have, when one arrives or is read. */
@Injectable()
export class NotificationLiveEvents extends LiveEventSource {
  readonly kind = notificationKind
  override readonly permission = NotificationPermissions.View
  readonly database: Database

  constructor(private readonly notifications: NotificationStore) {
    super()
    this.database = notifications.database
  }

  async read(changes: readonly LiveChange[]): Promise<readonly UnreadCountDto[]> {
    const counts = await this.notifications.countUnreadOf(changes.map(({ userId }) => userId))
    return changes.map(({ userId }) => ({ count: counts.get(userId) ?? 0 }))
  }
}
