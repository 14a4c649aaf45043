import { createHmac, randomBytes } from 'node:crypto'

const secretPrefix = 'whsec_'

/** A request to a webhook. */
export interface WebhookMessage {
  /** The same for each attempt: receivers know by it what they have. */
  readonly id: string
  readonly sentAt: Date
  /** Read once. */
  readonly body: string | AsyncIterable<Uint8Array>
}

/** A new secret to sign requests to a webhook with: `whsec_` and the base64 of 32 random bytes, as Standard Webhooks has it. */
export function newWebhookSecret(): string {
  return `${secretPrefix}${randomBytes(32).toString('base64')}`
}

/**
 * The headers of Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature`, HMAC-SHA256 over id, timestamp and body. Each secret
 * gives a signature; a receiver takes the request when one of them is its own. So a secret can be replaced while requests are sent.
 * @param secrets with or without `whsec_` in front
 * @example const headers = await webhookHeaders({ id, sentAt: clock.now, body }, [secret])
 */
export async function webhookHeaders(
  { id, sentAt, body }: WebhookMessage,
  secrets: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000))
  const hmacs = secrets.map((secret) => {
    const key = Buffer.from(
      secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret,
      'base64',
    )
    return createHmac('sha256', key).update(`${id}.${timestamp}.`)
  })
  for await (const chunk of typeof body === 'string' ? [body] : body)
    for (const hmac of hmacs) hmac.update(chunk)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': hmacs.map((hmac) => `v1,${hmac.digest('base64')}`).join(' '),
  }
}
