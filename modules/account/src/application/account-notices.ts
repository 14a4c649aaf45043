import { Logger, Provides } from '@keel/framework'
import { confirmedEmail, type NoticeRecipient, UserNotices, UserTokens } from '@keel/identity/contracts'
import { AccountMails } from './account-mails.js'

/** The account module's {@link UserNotices}. That a mail can not be sent fails nothing: the change is stored. */
@Provides(UserNotices)
export class AccountNotices implements UserNotices {
  constructor(
    private readonly mails: AccountMails,
    private readonly tokens: UserTokens,
    private readonly logger: Logger,
  ) {}

  async emailChanged(before: NoticeRecipient): Promise<void> {
    await this.send('EmailChanged', before)
  }

  async passwordChanged(user: NoticeRecipient): Promise<void> {
    await this.send('PasswordChanged', user)
    if (user.isEmailConfirmed) return
    // Who took the account over has changed the address first.
    const email = await this.tokens.find({ userId: user.userId, ...confirmedEmail })
    if (email !== undefined) await this.send('PasswordChanged', { ...user, email, isEmailConfirmed: true })
  }

  private async send(kind: 'EmailChanged' | 'PasswordChanged', recipient: NoticeRecipient): Promise<void> {
    try {
      await this.mails.send(kind, recipient)
    } catch (error) {
      this.logger.error({ err: error, userId: recipient.userId, kind }, 'a user was not told of a change')
    }
  }
}
