import { BusinessError, UnavailableError } from '../contracts/index.js'
import type { Logger } from '../modularity/logging.js'
import type { OutwardAddresses } from '../security/outward-addresses.js'
import { outwardFetch } from '../security/outward-fetch.js'
import { type OutgoingSms, SmsGateway, smsRefused } from './sms-sender.js'

/** Posts messages as JSON (`id`, `phoneNumber`, `text`) to an address, with a secret as bearer token. Any 2xx means that the message was taken. */
export class WebhookSms extends SmsGateway {
  private readonly fetch

  constructor(
    private readonly address: string,
    private readonly secret: string,
    addresses: OutwardAddresses,
    private readonly logger: Logger,
  ) {
    super()
    this.fetch = outwardFetch(addresses)
  }

  async deliver(message: OutgoingSms): Promise<void> {
    const body = Buffer.from(JSON.stringify(message))
    const headers = {
      authorization: `Bearer ${this.secret}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
    }
    const status = await this.fetch(this.address, { method: 'POST', headers, body }).then(
      (answer) => answer.status,
      (error: unknown) => {
        this.logger.warn({ err: error }, 'the SMS gateway does not answer')
        throw unavailable()
      },
    )
    if (status >= 200 && status < 300) return
    this.logger.warn({ status, id: message.id }, 'the SMS gateway did not take a message')
    // Too many requests and slow ones may go through later; other answers of this kind, and redirects, will not.
    if (status < 500 && status !== 408 && status !== 429) throw new BusinessError(smsRefused, { status })
    throw unavailable()
  }
}

/** Without the cause, which the log has: callers are not told what answers at an address inside. */
function unavailable(): UnavailableError {
  const text = { key: 'Keel:SmsUnavailable' }
  return new UnavailableError('The SMS gateway does not take messages', 60, { text })
}
