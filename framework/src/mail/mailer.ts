/** A sender or recipient. */
export interface MailParty {
  readonly address: string
  readonly name?: string
}

/** A message to one person. */
export interface MailMessage {
  /** A bare address. */
  readonly to: string
  /** One line. */
  readonly subject: string
  readonly text: string
  /** The same for readers that show it. Whoever writes it escapes what is filled in. */
  readonly html?: string
  /** Who the settings name when not given. */
  readonly from?: MailParty
}

/** The code of a message that the mail server refused for good; `reason` has the server's answer. */
export const mailRefused = 'Keel:MailRefused'

/**
 * Sends mail. In Development it is written to a folder and listed in the log; elsewhere it goes to the SMTP server of the settings
 * (`Abp.Mailing.…`).
 */
export abstract class Mailer {
  /**
   * Sends a message and waits until the server took it. Throws `ValidationError` for an address or a subject that can't be a header,
   * `BusinessError` ({@link mailRefused}) when the server refuses for good, `UnavailableError` when it does not answer in time.
   */
  abstract send(message: MailMessage): Promise<void>
  /**
   * Sends a message once the unit of work at hand is committed, behind the answer to the caller: how long it takes and whether it succeeds
   * tells them nothing. Checks the message at once, as {@link send} does. With the `MailQueueModule` the message waits in the queue of jobs
   * and is tried again; without it a failure is logged, and what waits ends with the process.
   */
  abstract sendLater(message: MailMessage): Promise<void>
}
