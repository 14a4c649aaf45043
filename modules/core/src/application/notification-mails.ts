import { ambient, Injectable } from '@keel/framework'
import { BusinessError, isMailAddress } from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { type JobContext, RecurringJob } from '@keel/framework/jobs'
import { Mailer } from '@keel/framework/mail'
import { UserContext } from '@keel/framework/security'
import { TextTemplates } from '@keel/framework/texts'
import { mostMailedTitles, NotificationMailTemplates } from '../domain/notification-texts.js'
import { NotificationStore } from '../persistence/notifications.js'

const peopleAtOnce = 500

/** Mails notifications when their time has come, all that wait for a person in one mail. */
@Injectable()
export class NotificationMails {
  constructor(
    private readonly notifications: NotificationStore,
    private readonly people: UserContext,
    private readonly mailer: Mailer,
    private readonly templates: TextTemplates,
  ) {}

  @RecurringJob('* * * * *')
  async sendDue({ signal }: JobContext): Promise<void> {
    for (const userId of await this.notifications.usersToMail(peopleAtOnce)) {
      signal.throwIfAborted()
      await this.sendTo(userId)
    }
  }

  /** The mail waits in the queue of jobs from the commit that takes its notifications: it is sent once. */
  private async sendTo(userId: string): Promise<void> {
    try {
      await this.people.runAs(
        userId,
        () => UnitOfWork.run(() => this.mail(userId)),
        'job App.NotificationMails',
      )
    } catch (error) {
      if (!(error instanceof BusinessError)) throw error
      // A person who may not sign in gets no mail, and is not asked about every minute.
      await this.notifications.dropMails(userId)
    }
  }

  private async mail(userId: string): Promise<void> {
    const titles = await this.notifications.takeToMail(userId)
    const { user } = ambient().principal
    const [title] = titles
    // What is taken without an address to mail to stays in the inbox.
    if (title === undefined || !user?.isEmailConfirmed || !isMailAddress(user.email)) return
    const mail =
      titles.length === 1
        ? await this.templates.mail(NotificationMailTemplates.One, { title })
        : await this.templates.mail(NotificationMailTemplates.Several, {
            count: String(titles.length),
            titles:
              titles.slice(0, mostMailedTitles).join(' ') + (titles.length > mostMailedTitles ? ' …' : ''),
          })
    await this.mailer.sendLater({ to: user.email, ...mail })
  }
}
