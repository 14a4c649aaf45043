import {
  AppService,
  Dto,
  EntityDto,
  guid,
  id,
  instant,
  op,
  PagedInput,
  pageOf,
  param,
  z,
} from '@keel/framework/contracts'
import { Identity } from './identity.js'
import type { RequestOrigin } from './security-events.js'

const path = '/api/identity/sessions'

/** A user who is signed in on a device. */
export class IdentitySessionDto extends EntityDto({
  /** The `sid` claim of the session's tokens. */
  sessionId: z.string(),
  /** True when it is the caller's own session. */
  isCurrent: z.boolean(),
  /** `Web`, `OAuth` or `Mobile`. */
  device: z.string(),

  /** Browser or application, as far as it told. */
  deviceInfo: z.string().nullable(),
  tenantId: z.guid().nullable(),
  tenantName: z.string().nullable(),
  userId: z.guid(),
  userName: z.string().nullable(),
  clientId: z.string().nullable(),

  /** The addresses that the session was used from. */
  ipAddresses: z.array(z.string()),

  /** When it began. */
  signedIn: instant(),

  /** When it was used last; null when it was not used since it began. */
  lastAccessed: instant().nullable(),
  extraProperties: z.record(z.string(), z.unknown()),
}) {}

/** Which sessions; the newest first, unless sorted otherwise. */
export class GetIdentitySessionListInput extends Dto({
  ...PagedInput.shape,
  userId: guid().nullish(),
  device: z.string().max(64).nullish(),
  clientId: z.string().max(64).nullish(),
}) {}

/** The sessions of users. Ending a session ends its tokens. */
export abstract class IdentitySessionAppService extends AppService(Identity, 'IdentitySessionAppService', {
  /** Lists sessions of users, in pages. */
  getList: op(GetIdentitySessionListInput).returns(pageOf(IdentitySessionDto)).at('GET', path),
  /** Gets a session of a user. */
  get: op(id).returns(IdentitySessionDto).at('GET', `${path}/{id}`),
  /** Ends a session and its tokens. */
  revoke: op(id).at('DELETE', `${path}/{id}`),
  /**
   * Signs a user out everywhere.
   * @param userId The user to sign out.
   */
  revokeAll: op(param('userId', guid())).at('DELETE', path),
}) {}

/** A page of sessions. */
export type SessionPage = InstanceType<ReturnType<typeof pageOf<typeof IdentitySessionDto.shape>>>

/** A browser that is signed in at the auth server, and the sessions that were begun in it. */
export interface BegunBrowser {
  readonly uid: string
  readonly sessionIds: readonly string[]
}

/** A session that begins. */
export interface NewSession {
  /** The session id in the session's tokens. */
  readonly sessionId: string
  readonly device: 'Web' | 'OAuth' | 'Mobile'
  readonly userId: string
  readonly origin?: RequestOrigin | undefined
  /** The browser of the new session, which stays signed in, and the earlier sessions of that browser. */
  readonly browser?: BegunBrowser | undefined
  /** Somebody else acts as the user: the user's own sessions go on, whatever the settings say. */
  readonly isInOthersHands?: boolean
  /** The person wants to be remembered on the device: the session does not end for not being used. */
  readonly isRemembered?: boolean
  /** The delegation by which somebody else acts as the user. */
  readonly delegationId?: string | undefined
}

/** Extension point: the sessions of users, for modules of this process. The identity module provides it. */
export abstract class Sessions {
  /**
   * Writes a session down, with the address it is used from. Where the setting
   * `Abp.Identity.Session.PreventConcurrentLogin` wants it, the user's other sessions end, but for those of
   * the same browser. Else those that were used longest ago end, beyond `Identity.MaxSessionsPerUser`.
   */
  abstract begin(session: NewSession): Promise<void>
  /** Writes down that a session was used again; one that has ended stays ended. */
  abstract touch(sessionId: string, origin?: RequestOrigin): Promise<void>
  /** Changes whether the person wants to be remembered on the device of a session. */
  abstract remember(sessionId: string, isRemembered: boolean): Promise<void>
  /**
   * True when a browser has been idle for too long (`Abp.Account.Idle.*`): by its own last use, and by that
   * of each session that was begun in it. False while none ends for that.
   */
  abstract isIdle(browser: BegunBrowser, lastUsed: Date): Promise<boolean>
  /** Ends sessions by what their tokens carry; one that is unknown is fine. */
  abstract end(...sessionIds: readonly string[]): Promise<void>
  /** Ends the sessions of a user in which others act by a delegation, with the unit of work at hand. */
  abstract endDelegated(userId: string, delegationId: string): Promise<void>
  abstract getList(input: GetIdentitySessionListInput): Promise<SessionPage>
  /** The session with this id, of the given user if any. `EntityNotFoundError` when there is none. */
  abstract get(id: string, userId?: string): Promise<IdentitySessionDto>
  /** Ends the session with this id, under the rules of `get`, and signs its browser out. */
  abstract revoke(id: string, userId?: string): Promise<void>
  /**
   * Ends every session of a user and signs their browsers out, with the unit of work at hand. The session of
   * the caller stays when it is the user in person who changes something of their own.
   */
  abstract endOthers(userId: string): Promise<void>
  /**
   * Ends every session of a user, the caller's too, and signs their browsers out, with the unit of work at
   * hand.
   * @param kept a browser that stays signed in, with the sessions that were begun in it
   */
  abstract endAll(userId: string, kept?: BegunBrowser): Promise<void>
}

/**
 * Extension point: browsers that are signed in at the auth server itself, where the next client that asks is
 * let in. The openid module provides it; a host without one leaves browsers alone.
 */
export abstract class BrowserSessions {
  /** Signs out the browser that a session was begun from. */
  abstract end(userId: string, sessionId: string): Promise<void>
  /** Signs out all browsers of a user, but that of one session, or the one with this uid. */
  abstract endAll(userId: string, except?: string): Promise<void>
  /** The number of browsers that are signed in as a user, without the one with this uid. */
  abstract countOthers(userId: string, uid: string): Promise<number>
}
