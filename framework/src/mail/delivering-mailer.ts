import { setTimeout as delay } from 'node:timers/promises'
import { BlobStore } from '../blobs/blob-store.js'
import { faultOf, isMailAddress, ValidationError } from '../contracts/index.js'
import { UnitOfWork } from '../data/connections/unit-of-work.js'
import { Application } from '../modularity/application.js'
import { Provides } from '../modularity/injectable.js'
import { Logger } from '../modularity/logging.js'
import { Settings } from '../modularity/settings.js'
import { OutwardAddresses } from '../security/outward-addresses.js'
import { FolderDelivery, throwAway } from './folder-delivery.js'
import { checkMessage, envelopeOf, findBlobs, type MailBlobs, sizeOf } from './mail-envelope.js'
import { MailQueue } from './mail-queue.js'
import { configuredMailServer, Mail, readMailServer } from './mail-settings.js'
import { Mailer, type MailMessage } from './mailer.js'
import { SmtpDelivery } from './smtp-delivery.js'

/** Messages on their way at once, and how many may wait behind them. */
const mostOnTheWay = 4
const mostWaiting = 1000

/** The framework's {@link Mailer}. Without a {@link MailQueue} what `sendLater` was given lives in this process. */
@Provides(Mailer)
export class DeliveringMailer implements Mailer {
  private readonly folder: FolderDelivery | undefined
  private readonly smtp: SmtpDelivery
  private readonly maxAttachmentBytes: number
  private readonly waiting: MailMessage[] = []
  private readonly onTheWay = new Set<Promise<void>>()

  constructor(
    private readonly settings: Settings,
    private readonly logger: Logger,
    private readonly application: Application,
  ) {
    const { configuration } = application
    const { delivery, folder, maxAttachmentBytes } = configuration.read(Mail)
    this.maxAttachmentBytes = maxAttachmentBytes
    const writesFiles = (delivery ?? (configuration.isDevelopment ? 'Folder' : 'Smtp')) === 'Folder'
    if (writesFiles) this.folder = new FolderDelivery(folder)
    const addresses = new OutwardAddresses(configuration, [configuredMailServer(configuration)])
    this.smtp = new SmtpDelivery(addresses, logger)
  }

  async send(message: MailMessage, signal?: AbortSignal): Promise<void> {
    checkMessage(message)
    const { to, subject, attachments = [] } = message
    const blobs = await this.blobsOf(message)
    const server = await readMailServer(this.settings)
    const from = message.from ?? server.from
    if (!isMailAddress(from.address)) throw new ValidationError([faultOf('from', 'Validation:MailAddress')])
    const { envelope, close } = envelopeOf(message, from, blobs)
    try {
      if (message.isForNobody) return await throwAway(envelope)
      if (!this.folder)
        return await this.smtp.deliver(server, envelope, { bytes: sizeOf(attachments, blobs), signal })
      const file = await this.folder.deliver(envelope)
      this.logger.info({ to, subject, file }, 'mail written')
    } finally {
      close()
    }
  }

  async sendLater(message: MailMessage): Promise<void> {
    checkMessage(message)
    await this.blobsOf(message)
    const queue = this.application.find(MailQueue)
    if (queue) return queue.add(message)
    const unit = UnitOfWork.current
    if (unit) unit.onCommitted(() => this.enqueue(message))
    else this.enqueue(message)
  }

  /** Waits until everything is sent, or some seconds. */
  async drain(ms: number): Promise<void> {
    const given = new AbortController()
    const end = delay(ms, undefined, { signal: given.signal, ref: false }).catch(() => undefined)
    let isLate = false
    void end.then(() => (isLate = true))
    while (this.onTheWay.size > 0 && !isLate) await Promise.race([...this.onTheWay, end])
    given.abort()
  }

  private blobsOf({ attachments = [] }: MailMessage): Promise<MailBlobs> {
    return findBlobs(attachments, this.application.find(BlobStore), this.maxAttachmentBytes)
  }

  private enqueue(message: MailMessage): void {
    if (this.waiting.length >= mostWaiting) {
      this.logger.error(
        { subject: message.subject, waiting: this.waiting.length },
        'mail lost: too many wait',
      )
      return
    }
    this.waiting.push(message)
    this.advance()
  }

  private advance(): void {
    while (this.onTheWay.size < mostOnTheWay) {
      const message = this.waiting.shift()
      if (!message) return
      const sending = this.send(message)
        .catch((error: unknown) =>
          this.logger.error({ err: error, subject: message.subject }, 'mail lost: it was not sent'),
        )
        .finally(() => {
          this.onTheWay.delete(sending)
          this.advance()
        })
      this.onTheWay.add(sending)
    }
  }
}
