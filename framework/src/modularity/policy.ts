import type { Principal } from './principal.js'

/**
 * A rule about who calls, for what no permission can say. Clients see those that admit them among their granted policies, by the name.
 * @example { name: 'apiKeyManagement', description: 'signed in, and not with an API key', admits: ({ apiKeyId }) => !apiKeyId }
 */
export interface Policy {
  /** Told apart from those of permissions, which are policies too. */
  readonly name: string
  /** The callers that it admits, for documents. */
  readonly description: string
  admits(principal: Principal): boolean
}
