import { Configuration, Provides } from '@keel/framework'
import { authServerAddress } from '@keel/framework/texts'
import { InvitationMails, invitationDays, normalizedName } from '@keel/identity/contracts'
import { invitationPath } from '../contracts/index.js'
import { AccountMailTemplates } from '../domain/account-texts.js'
import { linkInto } from '../domain/app-urls.js'
import { type AttemptLimit, AttemptLimits } from '../persistence/attempt-limits.js'
import { AccountMails } from './account-mails.js'
import { LinkMails } from './link-mails.js'

/** Limits the invitations to one address. */
const mailsToOne: AttemptLimit = { name: 'invitation mail', most: 5, seconds: 86_400 }

/**
 * The account module's {@link InvitationMails}. The link leads to the auth server, where the invited choose
 * how they sign in.
 */
@Provides(InvitationMails)
export class MailedInvitations implements InvitationMails {
  private readonly authServer: string | undefined

  constructor(
    private readonly links: LinkMails,
    private readonly mails: AccountMails,
    private readonly limits: AttemptLimits,
    configuration: Configuration,
  ) {
    this.authServer = authServerAddress(configuration)
  }

  demandApp(appName: string): void {
    this.links.appOf(appName)
  }

  async send(email: string, token: string): Promise<void> {
    if (this.authServer === undefined)
      throw new Error('The address of the auth server is not known: set AuthServer:Authority')
    await this.limits.spend(mailsToOne, normalizedName(email))
    const url = linkInto(this.authServer, { path: invitationPath.slice(1), query: { token } })
    const lasts = invitationDays * 24 * 60
    await this.mails.sendTo(email, AccountMailTemplates.Invitation, { url, lasts })
  }
}
