import { AutoApiController, ambient, Clock } from '@keel/framework'
import { ForbiddenError, faultOf, ValidationError } from '@keel/framework/contracts'
import { CrudService, Databases, PageReader, RowRules, type Sql } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  BroadcastDto,
  type BroadcastInput,
  NotificationAppService,
  type NotificationListInput,
  NotificationPermissions,
  type UnreadCountDto,
} from '../contracts/index.js'
import { Notification } from '../domain/notification.js'
import { NotificationStore, readState } from '../persistence/notifications.js'
import { Broadcaster } from './broadcaster.js'

/** The inbox. Its entity's row rule shows nobody the notifications of another person. */
@AutoApiController(NotificationAppService)
@RequiresPermission(NotificationPermissions.View)
export class NotificationService
  extends CrudService(NotificationAppService, Notification, { defaultSorting: 'creationTime DESC' })
  implements NotificationAppService
{
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly notifications: NotificationStore,
    private readonly broadcaster: Broadcaster,
    private readonly clock: Clock,
  ) {
    super(databases, rules, pages)
  }

  override listConditions({ isRead, kind }: Partial<NotificationListInput>): readonly Sql[] {
    return [...this.view.equal({ kind }), ...readState(isRead)]
  }

  async getUnreadCount(): Promise<UnreadCountDto> {
    return { count: await this.notifications.countUnread(demandUser()) }
  }

  async markRead(id: string): Promise<void> {
    const row = await this.store.get(id)
    if (row.isRead) return
    await this.store.update(row, { isRead: true, readTime: this.clock.now })
    await this.notifications.tellBrowsers(row.userId)
  }

  override async delete(id: string): Promise<void> {
    await super.delete(id)
    await this.notifications.tellBrowsers(demandUser())
  }

  @RequiresPermission(NotificationPermissions.Broadcast)
  async broadcast(input: BroadcastInput): Promise<BroadcastDto> {
    if (input.roleName && input.organizationId)
      throw new ValidationError([faultOf('organizationId', 'App:Notification:Validation:OneAudience')])
    return new BroadcastDto({ id: await this.broadcaster.add(demandUser(), input) })
  }

  async markAllRead(): Promise<void> {
    await this.notifications.markAllRead(demandUser())
  }
}

/** The user who calls. Refuses clients, which nobody notifies. */
export function demandUser(): string {
  const { userId } = ambient().principal
  if (!userId) throw new ForbiddenError()
  return userId
}
