import { randomUUID } from 'node:crypto'
import {
  BusinessError,
  e164,
  faultOf,
  instant,
  UnavailableError,
  ValidationError,
  z,
} from '../contracts/index.js'
import { JobPriority } from '../jobs/background-job.js'
import { BackgroundJobs } from '../jobs/background-jobs.js'
import { JobAbandoned, JobArgs, JobHandler } from '../jobs/job-handler.js'
import { Application } from '../modularity/application.js'
import { Clock } from '../modularity/clock.js'
import { Provides } from '../modularity/injectable.js'
import { Logger } from '../modularity/logging.js'
import { OutwardAddresses } from '../security/outward-addresses.js'
import { FolderSms } from './folder-sms.js'
import { longestText, SmsGateway, type SmsMessage, SmsSender, smsNotConfigured } from './sms-sender.js'
import { Sms } from './sms-settings.js'
import { WebhookSms } from './webhook-sms.js'

/** A message that waits to be sent. A code is worth nothing after some minutes, so there are few tries. */
class SendSmsArgs extends JobArgs(
  'Keel.SendSms',
  {
    id: z.guid(),
    phoneNumber: z.string(),
    text: z.string(),
    usefulUntil: instant().nullish(),
  },
  { priority: JobPriority.AboveNormal, maxTries: 5 },
) {}

// Also the line and paragraph separators.
const controlCharacters = /[^\P{Cc}\n]|[\u2028\u2029]/u

/** The framework's {@link SmsSender}. */
@Provides(SmsSender)
export class DeliveringSmsSender implements SmsSender {
  private readonly gateway: SmsGateway | undefined

  constructor(
    application: Application,
    private readonly jobs: BackgroundJobs,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.gateway = gatewayOf(application, logger)
  }

  get isAvailable(): boolean {
    return this.gateway !== undefined
  }

  async send(message: SmsMessage): Promise<void> {
    await this.demandGateway().deliver({ id: randomUUID(), ...checked(message) })
  }

  async sendLater(message: SmsMessage): Promise<void> {
    this.demandGateway()
    const { usefulUntil } = message
    await this.jobs.enqueue(
      new SendSmsArgs({ id: randomUUID(), ...checked(message), ...(usefulUntil && { usefulUntil }) }),
    )
  }

  @JobHandler(SendSmsArgs)
  async work({ usefulUntil, id, phoneNumber, text }: SendSmsArgs): Promise<void> {
    if (usefulUntil && usefulUntil <= this.clock.now) throw new JobAbandoned('The message came too late')
    // Another host of the queue may have one.
    if (!this.gateway)
      throw new UnavailableError('This host sends no text messages', undefined, {
        text: { key: smsNotConfigured },
      })
    try {
      await this.gateway.deliver({ id, phoneNumber, text })
      this.logger.info({ to: masked(phoneNumber), id }, 'text message sent')
    } catch (error) {
      // A gateway that is away comes back; one that refuses will refuse again.
      if (error instanceof BusinessError || error instanceof ValidationError)
        throw new JobAbandoned(error.message, { cause: error })
      throw error
    }
  }

  private demandGateway(): SmsGateway {
    if (this.gateway) return this.gateway
    throw new BusinessError(smsNotConfigured)
  }
}

/** The gateway that delivers the messages of this host; undefined when none is configured. */
function gatewayOf(application: Application, logger: Logger): SmsGateway | undefined {
  const { configuration } = application
  const { isDevelopment } = configuration
  const { delivery, folder, webhookUrl = '', webhookSecret = '' } = configuration.read(Sms)
  const gateway = delivery ? undefined : application.find(SmsGateway)
  if (gateway) return gateway
  switch (delivery ?? (webhookUrl ? 'Webhook' : isDevelopment ? 'Folder' : 'None')) {
    case 'None':
      return undefined
    case 'Folder':
      return new FolderSms(folder, logger)
    case 'Webhook':
      return new WebhookSms(webhookUrl, webhookSecret, new OutwardAddresses(configuration), logger)
  }
}

function checked({ phoneNumber, text }: SmsMessage): { phoneNumber: string; text: string } {
  const number = e164(phoneNumber)
  const faults = [
    ...(number === undefined ? [faultOf('phoneNumber', 'Validation:PhoneNumber')] : []),
    ...(!text || text.length > longestText || controlCharacters.test(text)
      ? [faultOf('text', 'Validation:SmsText', { most: longestText })]
      : []),
  ]
  if (faults.length || number === undefined) throw new ValidationError(faults)
  return { phoneNumber: number, text }
}

/** A number as logs show it. */
function masked(phoneNumber: string): string {
  return phoneNumber.replace(/\d(?=\d{2})/g, '*')
}
