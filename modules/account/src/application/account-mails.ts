import { ambient, Configuration, Injectable, Localization, Logger, Settings } from '@keel/framework'
import { isMailAddress, Mailer, MailSettings } from '@keel/framework/mail'
import type { UserRecord } from '@keel/identity/contracts'
import { renderMail } from '../domain/mail-template.js'

/** A mail by the keys of its texts. */
interface MailTexts {
  readonly subject: string
  readonly body: string
  /** What the reader may press. */
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
  SecurityCode: {
    subject: 'EmailSecurityCodeSubject',
    body: 'EmailSecurityCodeInfoInEmail',
    footer: 'Mail:SomebodyKnowsPassword',
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

  /** @param minutes how long the link or code counts */
  async send(
    kind: keyof typeof mails,
    user: UserRecord,
    { minutes, ...content }: { minutes: number; url?: string; code?: string },
  ): Promise<void> {
    if (!isMailAddress(user.email)) {
      this.logger.warn({ userId: user.id, kind }, 'mail not sent: the user has no usable address')
      return
    }
    const { culture } = ambient()
    const texts: MailTexts = mails[kind]
    const productName = await this.productName()
    const name = user.name || user.userName
    const say = (key: string) =>
      this.localization.find(key, culture, { productName, name, minutes, hours: minutes / 60 }) ?? key
    const { text, html } = renderMail({
      culture,
      productName,
      title: say(texts.subject),
      paragraphs: [
        say('Mail:Greeting'),
        say(texts.body),
        say(minutes < 120 ? 'Mail:EndsInMinutes' : 'Mail:EndsInHours'),
      ],
      ...(texts.action && content.url && { action: { label: say(texts.action), url: content.url } }),
      ...(content.code && { code: content.code }),
      footer: say(texts.footer),
    })
    await this.mailer.sendLater({
      to: user.email,
      subject: `${say(texts.subject)} – ${oneLine(productName)}`,
      text,
      html,
    })
  }

  /** What the product is called: the white label's `AppName`, else who mail comes from. */
  async productName(): Promise<string> {
    return (
      this.configuration.get('App:WhiteLabeling:AppName') ??
      (await this.settings.valueOf(MailSettings.DefaultFromDisplayName.name)) ??
      'Keel'
    )
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 100)
}
