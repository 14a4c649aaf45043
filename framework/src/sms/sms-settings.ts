import { z } from '../contracts/index.js'
import { type Configuration, configurationSection } from '../modularity/configuration.js'
import { StartupError } from '../modularity/startup-error.js'

/** Where text messages go. */
export const Sms = configurationSection('Sms', {
  /**
   * `Folder` writes files, `Webhook` posts to `Sms:WebhookUrl`, `None` refuses every message. When not set: the gateway that the host provides, else
   * `Webhook` when there is an address, else `Folder` in Development and `None` elsewhere.
   */
  delivery: z.enum(['Folder', 'Webhook', 'None']).optional(),
  /** Where files are written, below the working directory unless absolute. */
  folder: z.string().min(1).default('.keel/sms'),
  /** The gateway's address. Outside Development https, and inside the network only where `App:AllowedInternalAddresses` says so. */
  webhookUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Sent to the gateway as bearer token, so that it takes messages from these hosts alone. */
  webhookSecret: z.string().min(16).optional(),
})

/** Throws when messages are to go to a webhook that lacks its address, its secret or encryption. */
export function refuseUnusableWebhook(configuration: Configuration): void {
  const { delivery, webhookUrl, webhookSecret } = configuration.read(Sms)
  if (delivery ? delivery !== 'Webhook' : webhookUrl === undefined) return
  if (!webhookUrl || !webhookSecret)
    throw new StartupError('Text messages go to a webhook, so set Sms:WebhookUrl and Sms:WebhookSecret')
  if (!configuration.isDevelopment && !webhookUrl.startsWith('https:'))
    throw new StartupError(
      'Sms:WebhookUrl must begin with https: outside Development, as messages carry codes',
    )
}
