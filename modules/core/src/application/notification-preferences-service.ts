import { AutoApiController } from '@keel/framework'
import { faultOf, ValidationError } from '@keel/framework/contracts'
import { Locks } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  NotificationPermissions,
  NotificationPreferencesAppService,
  NotificationPreferencesDto,
} from '../contracts/index.js'
import { NotificationPreferencesStore, NotificationSubscriptionStore } from '../persistence/notifications.js'
import { demandUser } from './notification-service.js'

@AutoApiController(NotificationPreferencesAppService)
@RequiresPermission(NotificationPermissions.View)
export class NotificationPreferencesService implements NotificationPreferencesAppService {
  constructor(
    private readonly preferences: NotificationPreferencesStore,
    private readonly subscriptions: NotificationSubscriptionStore,
    private readonly locks: Locks,
  ) {}

  async get(): Promise<NotificationPreferencesDto> {
    const userId = demandUser()
    const [row, subscriptions] = await Promise.all([
      this.preferences.ofUser(userId),
      this.subscriptions.ofUser(userId),
    ])
    return NotificationPreferencesDto.schema.parse({
      subscriptions: subscriptions
        .map(({ kind, mail }) => ({ kind, mail }))
        .sort((a, b) => (a.kind < b.kind ? -1 : 1)),
      ...(row && { quietFrom: row.quietFrom, quietUntil: row.quietUntil, digestTime: row.digestTime }),
    })
  }

  async update(input: NotificationPreferencesDto): Promise<NotificationPreferencesDto> {
    const userId = demandUser()
    const { subscriptions, quietFrom = null, quietUntil = null, digestTime } = input
    if ((quietFrom === null) !== (quietUntil === null))
      throw new ValidationError([
        faultOf(quietFrom === null ? 'quietFrom' : 'quietUntil', 'Validation:Required'),
      ])
    await this.locks.hold(`App.NotificationPreferences ${userId}`, { database: this.preferences.database })
    const row = await this.preferences.ofUser(userId)
    const times = { quietFrom, quietUntil, digestTime }
    if (row) await this.preferences.update(row, times)
    else await this.preferences.insert({ userId, ...times })
    for (const old of await this.subscriptions.ofUser(userId)) await this.subscriptions.remove(old)
    // Of a kind that is named twice the last mention counts.
    for (const [kind, mail] of new Map(subscriptions.map((one) => [one.kind, one.mail])))
      await this.subscriptions.insert({ userId, kind, mail })
    return this.get()
  }
}
