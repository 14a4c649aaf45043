/** A sender or recipient of answers. */
export interface MailParty {
  readonly address: string
  readonly name?: string
}

/** A file that goes with a message. */
export type MailAttachment = {
  /** As readers see it; what is not safe in a header or on a disk is replaced. */
  readonly fileName: string
  /** E.g. `text/csv`. */
  readonly contentType: string
  /** For a picture in the HTML of the message, which shows it as `cid:<contentId>`: letters, digits and `.`, `_`, `-`, `@`. */
  readonly contentId?: string
} & (
  | {
      /** The name of a blob, which is read when the message is sent, as a stream. {@link MailFiles} keeps one for a message. */
      readonly blob: string
    }
  | {
      /** At most 64 KB. */
      readonly content: Uint8Array
    }
)

/** A message. At most 100 recipients, who all see `to` and `cc`; 20 attachments, together of `Mail:MaxAttachmentBytes`. */
export interface MailMessage {
  /** Bare addresses. */
  readonly to: string | readonly string[]
  readonly cc?: readonly string[]
  /** Recipients whom the others do not see. */
  readonly bcc?: readonly string[]
  /** The address that answers go to; the sender's when not given. */
  readonly replyTo?: MailParty
  /** One line. */
  readonly subject: string
  readonly text: string
  /** The same for readers that show it. Text templates write both; whoever writes it otherwise escapes what is filled in. */
  readonly html?: string
  /** The sender of the settings when not given. */
  readonly from?: MailParty
  readonly attachments?: readonly MailAttachment[]
  /**
   * True for a message that is checked, queued and written like any other, and that nobody gets: where a stranger asks for a mail to an
   * address, how busy the process is afterwards must not tell whether somebody has it.
   */
  readonly isForNobody?: boolean
}

/** The most characters of a subject. */
export const longestSubject = 250

/** The code of a message that the mail server refused for good; `reason` has the server's answer. */
export const mailRefused = 'Keel:MailRefused'

/**
 * Sends mail. In Development it is written to a folder and listed in the log; elsewhere it goes to the SMTP server of the settings
 * (`Abp.Mailing.…`).
 */
export abstract class Mailer {
  /**
   * Sends a message and waits until the server took it. Throws `ValidationError` for an address or a subject that can't be a header, too
   * many recipients and attachments that are too large, `BusinessError` ({@link mailRefused}) when the server refuses for good,
   * `UnavailableError` when it does not answer in time, or an attachment's blob is not there. A server that takes the message for some
   * recipients alone has taken it; the log lists the others.
   * @param signal ends the conversation, before the server took the message
   */
  abstract send(message: MailMessage, signal?: AbortSignal): Promise<void>
  /**
   * Sends a message once the unit of work at hand is committed, behind the answer to the caller: how long it takes and whether it succeeds
   * tells them nothing. Checks the message at once, as {@link send} does. With the `MailQueueModule` the message waits in the queue of jobs
   * and is tried again; without it a failure is logged, and what waits ends with the process.
   */
  abstract sendLater(message: MailMessage): Promise<void>
}
