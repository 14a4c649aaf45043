import { ambient, Provides, withAmbient } from '@keel/framework'
import { faultOf, isMailAddress, ValidationError, z } from '@keel/framework/contracts'
import { networkOf } from '@keel/framework/http'
import { BackgroundJobs, JobArgs, JobHandler } from '@keel/framework/jobs'
import {
  confirmedEmail,
  normalizedName,
  UserDirectory,
  type UserRecord,
  UserTokens,
} from '@keel/identity/contracts'
import { type AskedMail, AskedMails, type LinkTarget } from '../contracts/index.js'
import { type AttemptLimit, AttemptLimits } from '../persistence/attempt-limits.js'
import { LinkMails } from './link-mails.js'

/** Limits the mails to one address, which strangers may enter. */
const limits: Readonly<Record<AskedMail, AttemptLimit>> = {
  PasswordReset: { name: 'password reset mail', most: 5, seconds: 900 },
  EmailConfirmation: { name: 'confirmation mail', most: 5, seconds: 900 },
}
/** Each mail is a job, also for addresses without a user: one network must not fill the queue. */
const limitOfNetwork: AttemptLimit = { name: 'mails asked for by a network', most: 100, seconds: 900 }

/** A requested mail, with its application written out: the link is the same in every host. */
class AskedMailArgs extends JobArgs(
  'Account.AskedMail',
  {
    mail: z.enum(['PasswordReset', 'EmailConfirmation']),
    email: z.string(),
    app: z.object({ root: z.string(), passwordReset: z.string(), emailConfirmation: z.string() }),
    returnUrl: z.string().nullish(),
    returnUrlHash: z.string().nullish(),
    culture: z.string(),
  },
  { maxTries: 5 },
) {}

/** {@link AskedMails} as jobs. Each address makes one, so that no answer tells of users. */
@Provides(AskedMails)
export class QueuedAskedMails implements AskedMails {
  constructor(
    private readonly jobs: BackgroundJobs,
    private readonly limits: AttemptLimits,
    private readonly users: UserDirectory,
    private readonly tokens: UserTokens,
    private readonly mails: LinkMails,
  ) {}

  async send(mail: AskedMail, email: string, { appName, ...returning }: LinkTarget): Promise<void> {
    if (!isMailAddress(email))
      throw new ValidationError([faultOf('email', 'ThisFieldIsNotAValidEmailAddress.')])
    const app = this.mails.appOf(appName)
    const { culture, request } = ambient()
    if (request?.ip) await this.limits.spend(limitOfNetwork, networkOf(request.ip))
    await this.limits.spend(limits[mail], normalizedName(email.trim()))
    await this.jobs.enqueue(new AskedMailArgs({ mail, email, app, culture, ...returning }))
  }

  @JobHandler(AskedMailArgs)
  async work({ mail, email, culture, ...target }: AskedMailArgs): Promise<void> {
    const owner = await this.users.findByEmail(email)
    // Asked for every address: no statement more for some than for others.
    const former = mail === 'PasswordReset' ? await this.formerOwner(email) : undefined
    const user = owner ?? former
    await withAmbient({ ...ambient(), culture }, () => this.mails.answer(mail, email, user, target))
  }

  /**
   * The user whose confirmed address it was before an unconfirmed one took its place. Users who lost an
   * account get it back this way.
   */
  private async formerOwner(email: string): Promise<UserRecord | undefined> {
    const userId = await this.tokens.findUser(confirmedEmail, email.trim())
    return userId === undefined ? undefined : this.users.find(userId)
  }
}
