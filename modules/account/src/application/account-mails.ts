import { ambient, Configuration, Injectable, Localization, Logger, Settings } from '@keel/framework'
import { isMailAddress, Mailer, MailSettings } from '@keel/framework/mail'
import type { NoticeRecipient, UserRecord } from '@keel/identity/contracts'
import { renderMail } from '../domain/mail-template.js'

/** A mail by the keys of its texts. */
interface MailTexts {
  readonly subject: string
  readonly body: string
  /** The text of the button. */
  readonly action?: string
  readonly footer: string
}

const mails = {
  PasswordReset: {
    subject: 'PasswordReset',
    body: 'PasswordResetInfoInEmail',
    action: 'ResetMyPassword',
    footer: 'Mail:NotAskedFor',
  },
  EmailConfirmation: {
    subject: 'EmailConfirmation',
    body: 'EmailConfirmationInfoInEmail',
    action: 'ConfirmMyEmail',
    footer: 'Mail:NotAskedFor',
  },
  Invitation: {
    subject: 'Mail:InvitationSubject',
    body: 'Mail:Invitation',
    action: 'Mail:AcceptInvitation',
    footer: 'Mail:NotAskedFor',
  },
  SecurityCode: {
    subject: 'EmailSecurityCodeSubject',
    body: 'EmailSecurityCodeInfoInEmail',
    footer: 'Mail:SomebodyKnowsPassword',
  },
  EmailChanged: {
    subject: 'Mail:EmailChangedSubject',
    body: 'Mail:EmailChanged',
    footer: 'Mail:ChangedByOthers',
  },
  PasswordChanged: {
    subject: 'Mail:PasswordChangedSubject',
    body: 'Mail:PasswordChanged',
    footer: 'Mail:ChangedByOthers',
  },
  PasskeyAdded: {
    subject: 'Mail:PasskeyAddedSubject',
    body: 'Mail:PasskeyAdded',
    footer: 'Mail:PasskeyChangedByOthers',
  },
  PasskeyRemoved: {
    subject: 'Mail:PasskeyRemovedSubject',
    body: 'Mail:PasskeyRemoved',
    footer: 'Mail:PasskeyChangedByOthers',
  },
} as const satisfies Record<string, MailTexts>

/** Writes the mails of this module in the language of the request and sends them behind its answer. */
@Injectable()
export class AccountMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly localization: Localization,
    private readonly settings: Settings,
    private readonly configuration: Configuration,
    private readonly logger: Logger,
  ) {}

  /** @param minutes how long the link or code counts; not given in a mail that only tells something */
  async send(
    kind: keyof typeof mails,
    { userId, name, email, isEmailConfirmed }: NoticeRecipient,
    { minutes, ...content }: { minutes?: number; url?: string; code?: string } = {},
  ): Promise<void> {
    if (!isMailAddress(email)) {
      this.logger.warn({ userId, kind }, 'mail not sent: the user has no usable address')
      return
    }
    const { culture } = ambient()
    const texts: MailTexts = mails[kind]
    const productName = await this.productName()
    const data = { productName, name, ...(minutes !== undefined && { minutes, hours: minutes / 60 }) }
    const say = (key: string) => this.localization.find(key, culture, data) ?? key
    const { text, html } = renderMail({
      culture,
      productName,
      title: say(texts.subject),
      paragraphs: [
        // A person who enters a stranger's address must not choose a word of the mail.
        say(isEmailConfirmed ? 'Mail:Greeting' : 'Mail:GreetingWithoutName'),
        say(texts.body),
        ...(minutes === undefined ? [] : [say(minutes < 120 ? 'Mail:EndsInMinutes' : 'Mail:EndsInHours')]),
      ],
      ...(texts.action && content.url && { action: { label: say(texts.action), url: content.url } }),
      ...(content.code && { code: content.code }),
      footer: say(texts.footer),
    })
    await this.mailer.sendLater({
      to: email,
      subject: `${say(texts.subject)} – ${oneLine(productName)}`,
      text,
      html,
    })
  }

  /** Tells a user of a change that is stored already. A mail that can't be sent is only logged. */
  async notify(kind: keyof typeof mails, recipient: NoticeRecipient): Promise<void> {
    try {
      await this.send(kind, recipient)
    } catch (error) {
      this.logger.error({ err: error, userId: recipient.userId, kind }, 'a user was not told of a change')
    }
  }

  /** The product's name in mails: the white label's `AppName`, else the sender's display name. */
  async productName(): Promise<string> {
    return (
      this.configuration.get('App:WhiteLabeling:AppName') ??
      (await this.settings.valueOf(MailSettings.DefaultFromDisplayName.name)) ??
      'Keel'
    )
  }
}

/** A user as mails address them. */
export function recipientOf({ id, userName, name, email, isEmailConfirmed }: UserRecord): NoticeRecipient {
  return { userId: id, name: name || userName, email, isEmailConfirmed }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 100)
}
