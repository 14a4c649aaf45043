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
/** Limits the invitations into groups to one address: they leave those of administrators as many as before. */
const mailsIntoGroups: AttemptLimit = { ...mailsToOne, name: 'invitation mail into a group' }
/** Limits the invitations into groups that one user sends: users invite who administer no users otherwise. */
const mailsOfOne: AttemptLimit = { name: 'invitation into a group', most: 50, seconds: 86_400 }

type InvitationTemplate = typeof AccountMailTemplates.Invitation

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

  send(email: string, token: string): Promise<void> {
    return this.mail(AccountMailTemplates.Invitation, mailsToOne, email, token)
  }

  async sendIntoGroup({
    email,
    token,
    inviterId,
  }: {
    readonly email: string
    readonly token: string
    readonly inviterId: string
  }): Promise<void> {
    await this.limits.spend(mailsOfOne, inviterId)
    await this.mail(AccountMailTemplates.MembershipInvitation, mailsIntoGroups, email, token)
  }

  private async mail(
    template: InvitationTemplate,
    limit: AttemptLimit,
    email: string,
    token: string,
  ): Promise<void> {
    if (this.authServer === undefined)
      throw new Error('The address of the auth server is not known: set AuthServer:Authority')
    await this.limits.spend(limit, normalizedName(email))
    const url = linkInto(this.authServer, { path: invitationPath.slice(1), query: { token } })
    const lasts = invitationDays * 24 * 60
    await this.mails.sendTo(email, template, { url, lasts })
  }
}
