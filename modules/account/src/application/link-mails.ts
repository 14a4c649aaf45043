import { Configuration, Injectable } from '@keel/framework'
import { BusinessError, emptyGuid } from '@keel/framework/contracts'
import { AppUrls, authServerAddress } from '@keel/framework/texts'
import { confirmedEmail, type UserRecord, UserTokens } from '@keel/identity/contracts'
import { AccountErrors, type AskedMail, type LinkTarget } from '../contracts/index.js'
import { AccountMailTemplates } from '../domain/account-texts.js'
import { type KnownApp, knownApps, linkInto } from '../domain/app-urls.js'
import { AccountMails, type MailedUser, type Readers, recipientOf } from './account-mails.js'
import { PurposeTokens, type TokenOwner, tokenSeconds } from './purpose-tokens.js'

/** An application that is known, and where in it to go on. */
export type KnownTarget = Omit<LinkTarget, 'appName'> & { readonly app: KnownApp }

/** Mails with a link. Its token is the proof that its follower reads the mails of the address. */
@Injectable()
export class LinkMails {
  private readonly apps

  constructor(
    private readonly tokens: PurposeTokens,
    private readonly mails: AccountMails,
    private readonly userTokens: UserTokens,
    configuration: Configuration,
  ) {
    this.apps = knownApps(configuration.read(AppUrls), authServerAddress(configuration))
  }

  /** The application of a name. Throws for one that the settings do not know. */
  appOf(appName: string): KnownApp {
    const app = this.apps.get(appName.toLowerCase())
    if (app) return app
    throw new BusinessError(AccountErrors.UnknownApplication, { appName })
  }

  /** Sends a mail to a user, unless they have no use for it. */
  async send(mail: AskedMail, user: UserRecord, target: KnownTarget): Promise<void> {
    if (hasUseFor(mail, user)) await this.write(mail, user, target)
  }

  /**
   * Sends a mail that a stranger asked for to whoever has the address, if they have a use for it. Otherwise the same work is done for a
   * mail that nobody gets: who watches how busy the process is learns nothing.
   */
  async answer(
    mail: AskedMail,
    email: string,
    user: UserRecord | undefined,
    target: KnownTarget,
  ): Promise<void> {
    const isForNobody = user === undefined || !hasUseFor(mail, user)
    await this.write(mail, isForNobody ? { ...nobody, email } : user, target, { isForNobody })
  }

  private async write(
    mail: AskedMail,
    user: LinkedUser,
    { app, ...returning }: KnownTarget,
    readers: Readers = {},
  ): Promise<void> {
    const recipient = mail === 'PasswordReset' ? await this.reachable(user) : user
    const token = await this.tokens.make(mail, user)
    const url =
      mail === 'PasswordReset'
        ? linkInto(app.root, {
            path: app.passwordReset,
            query: { userId: user.id, resetToken: token },
            ...returning,
          })
        : linkInto(app.root, {
            path: app.emailConfirmation,
            query: { userId: user.id, confirmationToken: token },
            ...returning,
          })
    const lasts = tokenSeconds[mail] / 60
    await this.mails.send(AccountMailTemplates[mail], recipientOf(recipient), { url, lasts }, readers)
  }

  /** The address that surely reaches a user: while a new one is not confirmed, the one before. */
  private async reachable(user: LinkedUser): Promise<LinkedUser> {
    // Asked for everybody: no statement more for some than for others.
    const email = await this.userTokens.find({ userId: user.id, ...confirmedEmail })
    return user.isEmailConfirmed || email === undefined ? user : { ...user, email, isEmailConfirmed: true }
  }
}

/** What a mail with a link takes of a user. */
type LinkedUser = TokenOwner & MailedUser

/** Stands for the user of an address that nobody has. */
const nobody = {
  id: emptyGuid,
  userName: '',
  name: null,
  isEmailConfirmed: true,
  securityStamp: '0'.repeat(32),
}

/** Another server keeps the password of an external user, and inactive users need no mail. */
function hasUseFor(mail: AskedMail, { isActive, isExternal, isEmailConfirmed }: UserRecord): boolean {
  return isActive && (mail === 'PasswordReset' ? !isExternal : !isEmailConfirmed)
}
