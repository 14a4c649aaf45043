/**
 * Extension point: whether the caller is the person and not somebody who came by their session. What could
 * take an account over asks for it: another e-mail address or second factor, linked accounts, keys, ending
 * other sessions. The account module provides it; a host without it asks for nothing.
 */
export abstract class Reauthentication {
  /**
   * Throws a `BusinessError` (`AccountErrors.ReauthenticationRequired`) unless the user of the request has
   * proved in the last minutes, in the session of the request, who they are. Clients, API keys and the system
   * itself have no such session and are let through.
   */
  abstract demand(): Promise<void>
  /**
   * Notes a proof of identity in these sessions (`AbpSessions.SessionId`); now, when `since` is not given.
   */
  abstract note(userId: string, sessionIds: readonly string[], since?: Date): Promise<void>
}
