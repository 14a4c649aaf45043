import { ambient, Clock, Injectable } from '@keel/framework'
import { BusinessError, ForbiddenError, guid } from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { BackgroundJobs, JobAbandoned, JobArgs, type JobContext, JobHandler } from '@keel/framework/jobs'
import { demandPermission, UserContext } from '@keel/framework/security'
import { OrganizationMemberAppService } from '@keel/hub/contracts'
import { UserAudience } from '@keel/identity/contracts'
import {
  type BroadcastInput,
  NotificationErrors,
  NotificationPermissions,
  notificationLimits,
} from '../contracts/index.js'
import type { Broadcast } from '../domain/broadcast.js'
import { mailTime } from '../domain/mail-time.js'
import { BroadcastStore } from '../persistence/broadcasts.js'
import { type NewNotification, NotificationStore, type Subscriber } from '../persistence/notifications.js'
import { isActingError } from './export-owner.js'

/** Brings a message to its recipients. */
export class BroadcastArgs extends JobArgs('App.Broadcast', { broadcastId: guid() }, { isLong: true }) {}

const recipientsAtOnce = 500

/** Recipients, and how many rows were read for them. */
interface Page {
  readonly ids: readonly string[]
  readonly size: number
}

/**
 * Brings messages of administrators to many users, in batches, with the sender's rights of the moment. A notification of a message is made
 * once for each user, so that a job that was interrupted begins again.
 */
@Injectable()
export class Broadcaster {
  constructor(
    private readonly broadcasts: BroadcastStore,
    private readonly notifications: NotificationStore,
    private readonly audience: UserAudience,
    private readonly members: OrganizationMemberAppService,
    private readonly people: UserContext,
    private readonly jobs: BackgroundJobs,
    private readonly clock: Clock,
  ) {}

  /** Adds a message with its job, in the unit of work at hand. Answers its id. */
  async add(
    senderId: string,
    { title, severity, roleName, organizationId }: BroadcastInput,
  ): Promise<string> {
    if (roleName && !(await this.audience.isRole(roleName)))
      throw new BusinessError(NotificationErrors.NoSuchRole, { roleName })
    // Refused to senders who may not see the members.
    if (organizationId) await this.members.getList({ organizationId, maxResultCount: 1 })
    const most = notificationLimits.broadcastsPerHour
    if ((await this.broadcasts.lockAndCount(senderId)) >= most)
      throw new BusinessError(NotificationErrors.TooManyBroadcasts, { most })
    const row = { title, severity, roleName: roleName ?? null, organizationId: organizationId ?? null }
    const { id } = await this.broadcasts.insert(row)
    await this.jobs.enqueue(new BroadcastArgs({ broadcastId: id }))
    return id
  }

  @JobHandler(BroadcastArgs)
  async send({ broadcastId }: BroadcastArgs, { signal }: JobContext): Promise<void> {
    const broadcast = await this.broadcasts.find(broadcastId)
    if (!broadcast || broadcast.endTime) return
    let count = 0
    for await (const page of this.pagesOf(broadcast)) {
      signal.throwIfAborted()
      // The sender knows.
      const ids = page.filter((id) => id !== broadcast.creatorId)
      await this.tell(broadcast, ids)
      count += ids.length
    }
    await this.broadcasts.end(broadcastId, count)
  }

  private async *pagesOf(broadcast: Broadcast): AsyncGenerator<readonly string[]> {
    const { organizationId, roleName } = broadcast
    let after: string | undefined
    for (let read = 0, size = recipientsAtOnce; size === recipientsAtOnce; read += size) {
      const page = await this.asSender(broadcast, async () =>
        organizationId ? this.membersOf(organizationId, read) : this.usersAfter(after, roleName ?? undefined),
      )
      size = page.size
      after = page.ids.at(-1)
      yield page.ids
    }
  }

  private async usersAfter(after: string | undefined, roleName: string | undefined): Promise<Page> {
    const ids = await this.audience.page(after, recipientsAtOnce, roleName)
    return { ids, size: ids.length }
  }

  private async membersOf(organizationId: string, skipCount: number): Promise<Page> {
    const maxResultCount = recipientsAtOnce
    const { items } = await this.members.getList({
      organizationId,
      skipCount,
      maxResultCount,
      sorting: 'userId',
    })
    const lasting = items.filter(({ validUntil }) => !validUntil || validUntil > this.clock.now)
    return { ids: lasting.map(({ userId }) => userId), size: items.length }
  }

  /** Refuses a sender who has lost the permission since, or may not sign in. */
  private async asSender<T>({ creatorId }: Broadcast, work: () => Promise<T>): Promise<T> {
    try {
      return await this.people.runAs(
        creatorId ?? '',
        () => {
          demandPermission(NotificationPermissions.Broadcast)
          return work()
        },
        `job ${BroadcastArgs.jobName}`,
      )
    } catch (error) {
      if (error instanceof BusinessError || error instanceof ForbiddenError)
        throw new JobAbandoned('The sender of the broadcast may not send it.')
      throw error
    }
  }

  /** In one transaction for those who want no mail of it, and one for each of the others, whose time zones count. */
  private async tell({ id: eventId, title, severity }: Broadcast, userIds: readonly string[]): Promise<void> {
    const row = { eventId, kind: 'Broadcast', severity, title, entityType: null, entityId: null } as const
    const mailed = await this.notifications.subscribersAmong('Broadcast', userIds)
    const others = new Set(userIds)
    for (const { userId } of mailed) others.delete(userId)
    await UnitOfWork.run(() => this.notifications.addForMany([...others], row))
    for (const one of mailed) await this.tellByMail(one, row)
  }

  private async tellByMail(
    { userId, mail, ...times }: Subscriber,
    row: Omit<NewNotification, 'userId' | 'mailDueTime'>,
  ): Promise<void> {
    const add = async (): Promise<void> => {
      const { timeZone = 'UTC' } = ambient()
      const mailDueTime = mailTime(this.clock.now, mail, { ...times, timeZone }) ?? null
      await this.notifications.add({ ...row, userId, mailDueTime })
    }
    try {
      await this.people.runAs(userId, add, `job ${BroadcastArgs.jobName}`)
    } catch (error) {
      // A user who may not sign in gets none.
      if (!isActingError(error)) throw error
    }
  }
}
