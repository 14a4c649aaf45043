import { Provides } from '@keel/framework'
import { confirmedEmail, type NoticeRecipient, UserNotices, UserTokens } from '@keel/identity/contracts'
import { AccountMailTemplates } from '../domain/account-texts.js'
import { AccountMails } from './account-mails.js'

/** The account module's {@link UserNotices}. */
@Provides(UserNotices)
export class AccountNotices implements UserNotices {
  constructor(
    private readonly mails: AccountMails,
    private readonly tokens: UserTokens,
  ) {}

  async emailChanged(before: NoticeRecipient): Promise<void> {
    await this.mails.notify(AccountMailTemplates.EmailChanged, before)
  }

  async passwordChanged(user: NoticeRecipient): Promise<void> {
    await this.mails.notify(AccountMailTemplates.PasswordChanged, user)
    if (user.isEmailConfirmed) return
    // An attacker who took the account over has changed the address first.
    const email = await this.tokens.find({ userId: user.userId, ...confirmedEmail })
    if (email !== undefined)
      await this.mails.notify(AccountMailTemplates.PasswordChanged, {
        ...user,
        email,
        isEmailConfirmed: true,
      })
  }
}
