/** A text message to one telephone. */
export interface SmsMessage {
  /** In E.164: `+4940123456`. */
  readonly phoneNumber: string
  /** Without control characters but line breaks, {@link longestText} characters at most. */
  readonly text: string
  /** After this time the message is worth nothing: it is not sent any more. */
  readonly usefulUntil?: Date
}

/** The most characters of a message: four parts of 67, as texts beyond the Latin alphabet are cut. */
export const longestText = 268

/** The code of a message that no gateway is there for. */
export const smsNotConfigured = 'Keel:SmsNotConfigured'
/** The code of a message that the gateway refused for good. */
export const smsRefused = 'Keel:SmsRefused'

/**
 * Sends text messages. In Development they are written to a folder and listed in the log; elsewhere a gateway takes them, which the host
 * configures (`Sms:WebhookUrl`) or provides ({@link SmsGateway}). Without one every message is refused.
 */
export abstract class SmsSender {
  /** True when messages leave this host at all. What needs a message is only offered where they do. */
  abstract readonly isAvailable: boolean
  /**
   * Sends a message and waits until the gateway took it. Throws `ValidationError` for what is no number or no text, `BusinessError`
   * ({@link smsNotConfigured} without a gateway, {@link smsRefused} when it refuses for good), `UnavailableError` when it does not answer in time.
   */
  abstract send(message: SmsMessage): Promise<void>
  /**
   * Sends a message as a job, once the unit of work at hand is committed; refuses at once what {@link send} refuses without asking the gateway. Some
   * host needs the `JobWorkerModule`.
   */
  abstract sendLater(message: SmsMessage): Promise<void>
}

/** A message as gateways get it. */
export interface OutgoingSms {
  /** The same at every try: a gateway that knows it sends the message once. */
  readonly id: string
  /** In E.164. */
  readonly phoneNumber: string
  readonly text: string
}

/**
 * Extension point: the service that brings messages to telephones. A host that provides one (`@Provides(SmsGateway)`, on its module's list of services)
 * has messages sent by it, unless `Sms:Delivery` says otherwise.
 * @example @Provides(SmsGateway) export class AcmeSms extends SmsGateway { async deliver({ phoneNumber, text }: OutgoingSms) { … } }
 */
export abstract class SmsGateway {
  /**
   * Hands a message over. Throws `BusinessError` ({@link smsRefused}) when trying again is in vain, anything else when it may work later.
   */
  abstract deliver(message: OutgoingSms): Promise<void>
}
