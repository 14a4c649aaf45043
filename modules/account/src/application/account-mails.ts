import { Injectable, Logger } from '@keel/framework'
import { isMailAddress } from '@keel/framework/contracts'
import { Mailer, type MailMessage } from '@keel/framework/mail'
import {
  type MailTemplate,
  type TemplateParameters,
  type TemplateValues,
  TextTemplates,
} from '@keel/framework/texts'
import type { NoticeRecipient, UserRecord } from '@keel/identity/contracts'

/** Whether anybody gets a mail. */
export type Readers = Pick<MailMessage, 'isForNobody'>

/** Sends the mails of this module in the language of the request, behind its answer. */
@Injectable()
export class AccountMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly templates: TextTemplates,
    private readonly logger: Logger,
  ) {}

  /** Sends a mail to a user, who is named in it once the address is confirmed. */
  async send<P extends TemplateParameters & { readonly name: 'text' }>(
    template: MailTemplate<P>,
    { userId, name, email, isEmailConfirmed }: NoticeRecipient,
    values: Omit<TemplateValues<P>, 'name'>,
    readers: Readers = {},
  ): Promise<void> {
    const named = { ...values, name: isEmailConfirmed ? name : '' } as unknown as TemplateValues<P>
    if (await this.sendTo(email, template, named, readers)) return
    this.logger.warn({ userId, mail: template.name }, 'mail not sent: the user has no usable address')
  }

  /** Sends a mail to an address; false when it is none. */
  async sendTo<P extends TemplateParameters>(
    email: string,
    template: MailTemplate<P>,
    values: TemplateValues<P>,
    readers: Readers = {},
  ): Promise<boolean> {
    if (!isMailAddress(email)) return false
    await this.mailer.sendLater({ to: email, ...readers, ...(await this.templates.mail(template, values)) })
    return true
  }

  /** Tells a user of a change that is stored already. A mail that can't be sent is only logged. */
  async notify(template: MailTemplate<{ readonly name: 'text' }>, recipient: NoticeRecipient): Promise<void> {
    try {
      await this.send(template, recipient, {})
    } catch (error) {
      const { userId } = recipient
      this.logger.error({ err: error, userId, mail: template.name }, 'a user was not told of a change')
    }
  }
}

/** What a mail takes of a user. */
export type MailedUser = Pick<UserRecord, 'id' | 'userName' | 'name' | 'email' | 'isEmailConfirmed'>

/** A user as mails address them. */
export function recipientOf({ id, userName, name, email, isEmailConfirmed }: MailedUser): NoticeRecipient {
  return { userId: id, name: name || userName, email, isEmailConfirmed }
}
