import { Configuration, Injectable } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import type { UserRecord } from '@keel/identity/contracts'
import { AccountErrors, type AskedMail, type LinkTarget } from '../contracts/index.js'
import { AppUrls, type KnownApp, knownApps, linkInto } from '../domain/app-urls.js'
import { AccountMails } from './account-mails.js'
import { PurposeTokens, tokenSeconds } from './purpose-tokens.js'

/** An application that is known, and where in it to go on. */
export type KnownTarget = Omit<LinkTarget, 'appName'> & { readonly app: KnownApp }

/** Mails with a link whose token proves who follows it. */
@Injectable()
export class LinkMails {
  private readonly apps

  constructor(
    private readonly tokens: PurposeTokens,
    private readonly mails: AccountMails,
    configuration: Configuration,
  ) {
    this.apps = knownApps(configuration.read(AppUrls), loginPagesAddress(configuration))
  }

  /** The application that somebody names. Throws for one that the settings do not know. */
  appOf(appName: string): KnownApp {
    const app = this.apps.get(appName.toLowerCase())
    if (app) return app
    throw new BusinessError(AccountErrors.UnknownApplication, { appName })
  }

  /** Sends a mail to a user, unless they have no use for it. */
  async send(mail: AskedMail, user: UserRecord, { app, ...returning }: KnownTarget): Promise<void> {
    if (!hasUseFor(mail, user)) return
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
    await this.mails.send(mail, user, { url, minutes: tokenSeconds[mail] / 60 })
  }
}

/** Somebody else keeps the password of an external user, and who is inactive has no use for anything. */
function hasUseFor(mail: AskedMail, { isActive, isExternal, isEmailConfirmed }: UserRecord): boolean {
  return isActive && (mail === 'PasswordReset' ? !isExternal : !isEmailConfirmed)
}

/** As the auth server finds its own address. */
function loginPagesAddress(configuration: Configuration): string | undefined {
  return configuration.get('AuthServer:Authority') ?? configuration.get('App:SelfUrl')
}
