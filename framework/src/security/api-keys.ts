import type { Database } from '../data/connections/database.js'

/** An API key as it stands in the database now. */
export interface StoredApiKey {
  readonly id: string
  /** The user that the key acts as. */
  readonly userId: string
  /** Null for users of the host. */
  readonly tenantId: string | null
  readonly isActive: boolean
  /** From when on the key is refused; null when it never ends. */
  readonly expirationTime: Date | null
  /** Of the full key, in ASP.NET Core Identity's format. */
  readonly hash: string
  /** Of the full key that a rotation replaced, and until when that works beside the new one. */
  readonly previousHash: string | null
  readonly overlapEndTime: Date | null
}

/** Extension point: knows the API keys and hears what they are used for. The api-keys module provides it. */
export abstract class ApiKeySource {
  /** The database and the watched tables that a key is read from: changes to them invalidate it. */
  abstract readonly database: Database
  abstract readonly tables: readonly string[]
  /** The key, or undefined when there is none or it is deleted. One statement. */
  abstract find(prefix: string): Promise<StoredApiKey | undefined>
  /** The same by its id. */
  abstract findById(id: string): Promise<StoredApiKey | undefined>
  /** Notes a request of a key, or a used permission. Returns at once: requests wait for it. */
  abstract noteUse(keyId: string, permission?: string): void
}
