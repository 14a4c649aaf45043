/** The current rows of the database from which the principal of a signed-in user is made. */
export interface StoredUser {
  readonly id: string
  readonly userName: string
  readonly name: string | null
  readonly surname: string | null
  readonly email: string
  readonly isEmailConfirmed: boolean
  readonly phoneNumber: string | null
  readonly isPhoneNumberConfirmed: boolean
  readonly isActive: boolean
  /** Until when sign-in is refused; null when it is not. */
  readonly lockoutEnd: Date | null
  /** Names of the roles assigned to the user. */
  readonly roles: readonly string[]
}

/** An administrator who acts as somebody else. */
export interface Impersonator {
  /** Lower-case GUID. */
  readonly userId: string
  readonly userName: string
}

/** The caller. Made once per token and version of the user's data; never changed afterwards. */
export interface Principal {
  readonly kind: 'anonymous' | 'user' | 'client' | 'system'
  /** Lower-case GUID of the user, also the one a client acts for; undefined without a user. */
  readonly userId?: string
  readonly userName?: string
  /** The user as it is stored now: name, e-mail address and the like; undefined without a user. */
  readonly user?: StoredUser
  /**
   * How the caller proved who they are: by a token of the auth server or by an API key; undefined where
   * nobody had to.
   */
  readonly authenticationType?: 'Bearer' | 'api-key'
  /** The API key that stands for the user. */
  readonly apiKeyId?: string
  /** The tenant of the API key; undefined for the host. */
  readonly tenantId?: string
  /** The session that the token belongs to, `AbpSessions.SessionId`; undefined for tokens without one. */
  readonly sessionId?: string
  /**
   * When the person last proved who they are, where the host keeps that itself: the pages of the auth server.
   * Tokens do not tell.
   */
  readonly provenAt?: Date
  /** The person who acts in the user's name and is logged beside the user; undefined when the user acts. */
  readonly impersonator?: Impersonator
  /**
   * The program that acts in the user's name, e.g. `job Hub.ExportShipments`; undefined when the user sent
   * the request. What demands the person themselves refuses it.
   */
  readonly ranBy?: string
  /** The OAuth client that the token was given to. */
  readonly clientId?: string
  /** Names of the roles held now (not those of the token), without the inherited ones. */
  readonly roles: readonly string[]
  /** Every permission held now, the roles' and their parents' included. */
  readonly permissions: ReadonlySet<string>
  /** Called with each used permission; API keys have it. Returns at once. */
  readonly noteUse?: (permission: string) => void
}

/** True when a principal holds a permission. Tells {@link Principal.noteUse} that it was used. */
export function usesPermission(principal: Principal, permission: string): boolean {
  const held = principal.permissions.has(permission)
  if (held) principal.noteUse?.(permission)
  return held
}

/** Nobody. */
export const anonymous: Principal = { kind: 'anonymous', roles: [], permissions: new Set() }

/** The program itself: seeders and jobs. It may do everything, and is never made from a request. */
export const system: Principal = {
  kind: 'system',
  roles: [],
  permissions: Object.freeze({ has: () => true }) as unknown as ReadonlySet<string>,
}
