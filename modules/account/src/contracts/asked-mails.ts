/** A mail with a link that people may ask for by their address. */
export type AskedMail = 'PasswordReset' | 'EmailConfirmation'

/** The target of the link in a mail. */
export interface LinkTarget {
  /** One of the applications that the settings name. */
  readonly appName: string
  /** The address to continue at; it counts only when it stays within the application. */
  readonly returnUrl?: string | null | undefined
  readonly returnUrlHash?: string | null | undefined
}

/** Extension point: mails that strangers ask for. The account module provides it, in this process only. */
export abstract class AskedMails {
  /**
   * Sends a mail to whoever has the address, if they have a use for it. Who has it is looked up behind the
   * answer, so that neither the answer nor its time tells. `ValidationError` for what is no address,
   * `AccountErrors.UnknownApplication`, `TooManyRequestsError` for the sixth of a kind to one address, or the
   * 101st that one network asks for, in a quarter of an hour.
   */
  abstract send(mail: AskedMail, email: string, target: LinkTarget): Promise<void>
}
