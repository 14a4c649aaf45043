import { defineSetting, z } from '../contracts/index.js'
import { type Configuration, configurationSection } from '../modularity/configuration.js'
import type { Settings } from '../modularity/settings.js'

const defaultHost = '127.0.0.1'
const defaultPort = 25

/** The sender of mails and the mail server, by ABP's names. Hidden from clients. */
export const MailSettings = {
  DefaultFromAddress: defineSetting('Abp.Mailing.DefaultFromAddress', {
    default: 'noreply@keel.local',
    displayName: 'Default sender address',
  }),
  DefaultFromDisplayName: defineSetting('Abp.Mailing.DefaultFromDisplayName', {
    default: 'Keel',
    displayName: 'Default sender name',
  }),
  SmtpHost: defineSetting('Abp.Mailing.Smtp.Host', { default: defaultHost, displayName: 'SMTP host' }),
  SmtpPort: defineSetting('Abp.Mailing.Smtp.Port', { default: defaultPort, displayName: 'SMTP port' }),
  SmtpUserName: defineSetting('Abp.Mailing.Smtp.UserName', { displayName: 'SMTP user name' }),
  SmtpPassword: defineSetting('Abp.Mailing.Smtp.Password', {
    displayName: 'SMTP password',
    isEncrypted: true,
  }),
  /** Goes before the user name: `domain\user`. */
  SmtpDomain: defineSetting('Abp.Mailing.Smtp.Domain', { displayName: 'SMTP domain' }),
  /**
   * Encryption is demanded: from the first byte on port 465, by STARTTLS elsewhere. Without it STARTTLS is
   * used where it is offered.
   */
  SmtpEnableSsl: defineSetting('Abp.Mailing.Smtp.EnableSsl', {
    default: false,
    displayName: 'SMTP demands encryption',
  }),
  /** Nobody signs in at the server; user name and password do not count. */
  SmtpUseDefaultCredentials: defineSetting('Abp.Mailing.Smtp.UseDefaultCredentials', {
    default: true,
    displayName: 'SMTP without signing in',
  }),
} as const

/** Where mail goes. */
export const Mail = configurationSection('Mail', {
  /** `Folder` writes files, `Smtp` sends. When not set: `Folder` in Development, `Smtp` elsewhere. */
  delivery: z.enum(['Folder', 'Smtp']).optional(),
  /** Where files are written, below the working directory unless absolute. */
  folder: z.string().min(1).default('.keel/mail'),
  /**
   * The most bytes of the attachments of a message, before they are encoded. Many servers take 25 MB, which
   * are 18 MB before.
   */
  maxAttachmentBytes: z.int().min(0).max(200_000_000).default(18_000_000),
})

/** The mail settings as they are now. */
export interface MailServer {
  readonly from: { readonly address: string; readonly name: string }
  readonly host: string
  readonly port: number
  readonly demandsEncryption: boolean
  /** Undefined when nobody signs in. */
  readonly credentials: { readonly user: string; readonly pass: string } | undefined
}

/** The server that configuration and defaults give, whatever administrators set. */
export function configuredMailServer(configuration: Configuration): { host: string; port: number } {
  const [host, port] = [MailSettings.SmtpHost, MailSettings.SmtpPort].map(
    ({ name, defaultValue }) => configuration.get(`Settings:${name}`) ?? defaultValue,
  )
  return { host: host || defaultHost, port: Number(port) || defaultPort }
}

/** Reads what is set now, for nobody in particular. */
export async function readMailServer(settings: Settings): Promise<MailServer> {
  const [address, name, host, port, user, password, domain] = await Promise.all(
    Object.values(MailSettings).map(async (setting) => (await settings.valueOf(setting.name)) ?? ''),
  )
  const signsIn = user && !(await settings.isOn(MailSettings.SmtpUseDefaultCredentials))
  return {
    from: { address: address ?? '', name: name ?? '' },
    host: host || defaultHost,
    port: Number(port) || defaultPort,
    demandsEncryption: await settings.isOn(MailSettings.SmtpEnableSsl),
    credentials: signsIn ? { user: domain ? `${domain}\\${user}` : user, pass: password ?? '' } : undefined,
  }
}
