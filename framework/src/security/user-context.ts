import { auditProgram } from '../auditing/program-audit.js'
import { ActingErrors, BusinessError, ForbiddenError, UnauthenticatedError } from '../contracts/index.js'
import { type Ambient, ambient, withSeparateAmbient } from '../modularity/ambient.js'
import { Application } from '../modularity/application.js'
import { cultureChain } from '../modularity/culture.js'
import { Injectable } from '../modularity/injectable.js'
import { PlatformSettings } from '../modularity/platform-settings.js'
import type { Principal } from '../modularity/principal.js'
import { timeZoneNames } from '../modularity/time-zone.js'
import { limitToKey } from './api-key-principal.js'
import { ApiKeySource } from './api-keys.js'
import { shareClaims } from './dynamic-claims.js'
import { Impersonators } from './impersonators.js'
import { Principals } from './principals.js'
import { GrantSource, UserSource } from './stored-user.js'

/** A person in whose name the program works, and the limits of the caller who had it work. */
export interface ActingUser {
  readonly userId: string
  /** The impersonator who started the work: it ends when they may not sign in or not act as the person any more. */
  readonly impersonatorId?: string | undefined
  /** The API key that started the work: the work may do what the key may do, and ends with the key. */
  readonly apiKeyId?: string | undefined
  /** The language that the person used; without it their own setting counts. */
  readonly culture?: string | undefined
}

/**
 * Lets the program work in a person's name: with the roles, permissions, dynamic claims and organizations that the
 * person has now, in their language and time zone. Rights are read when the work begins; long work calls
 * {@link runAs} for each part. Services of other processes do not take part: the program has no token of the person.
 */
@Injectable()
export class UserContext {
  private readonly keys: ApiKeySource | undefined
  private readonly impersonators: Impersonators | undefined

  constructor(
    private readonly application: Application,
    private readonly principals: Principals,
    private readonly users: UserSource,
    private readonly grants: GrantSource,
  ) {
    this.keys = application.find(ApiKeySource)
    this.impersonators = application.find(Impersonators)
  }

  /**
   * Runs `work` in a person's name. Throws a `BusinessError` with a code of `ActingErrors` for a person who is deleted, inactive or locked out,
   * and `ForbiddenError` when a caller who is not the program itself names another person. The audit log names
   * the person, and `ranBy` beside them.
   * @param ranBy the program, e.g. `job Hub.ExportShipments`
   * @example await this.people.runAs(schedule.userId, () => this.export(schedule))
   */
  async runAs<T>(user: string | ActingUser, work: () => Promise<T>, ranBy = 'system'): Promise<T> {
    const { correlationId, trace, principal } = ambient()
    const { userId } = typeof user === 'string' ? { userId: user } : user
    // Only the program itself states limits; those of a caller are the caller's own.
    const acting = principal.kind === 'system' && typeof user !== 'string' ? user : this.actingFor(userId)
    const values: Ambient = {
      correlationId,
      principal: await this.principalOf(acting, ranBy),
      culture: await this.cultureOf(acting),
      ...(await this.timeZoneOf(acting)),
      ...(trace && { trace }),
    }
    return withSeparateAmbient(values, () => auditProgram(this.application, values, work))
  }

  /**
   * Describes the person for work that begins later: the caller, with the limits of the caller's API key or impersonation. Of another
   * person only the program itself may ask. Throws `UnauthenticatedError` for strangers, `ForbiddenError` for clients
   * without a user and for callers who name another person.
   * @param userId never from a request; the caller when not given
   */
  actingFor(userId?: string): ActingUser {
    const { principal, culture } = ambient()
    if (principal.kind === 'anonymous') throw new UnauthenticatedError()
    if (userId !== undefined && principal.kind === 'system') return { userId }
    if (principal.userId === undefined || (userId ?? principal.userId).toLowerCase() !== principal.userId)
      throw new ForbiddenError()
    const { impersonator, apiKeyId } = principal
    return {
      userId: principal.userId,
      culture,
      ...(impersonator && { impersonatorId: impersonator.userId }),
      ...(apiKeyId && { apiKeyId }),
    }
  }

  private async principalOf(
    { userId, impersonatorId, apiKeyId }: ActingUser,
    ranBy: string,
  ): Promise<Principal> {
    const found = await this.principals.of({
      sub: userId,
      ...(impersonatorId && { impersonator_userid: impersonatorId }),
      exp: 0,
    })
    if (found.kind === 'anonymous') throw await this.reasonAgainst([userId, impersonatorId])
    const mayAct =
      !impersonatorId || !this.impersonators || (await this.impersonators.mayActAs(impersonatorId, userId))
    if (!mayAct) throw new BusinessError(ActingErrors.ImpersonationEnded, { userId: impersonatorId })
    const { authenticationType: _, ...made } = apiKeyId ? await this.limited(found, apiKeyId) : found
    return shareClaims(found, { ...made, ranBy })
  }

  /** Permissions of the person that the API key was granted, too; refuses a key that is not in force. */
  private async limited(owner: Principal, apiKeyId: string): Promise<Principal> {
    if (!this.keys) throw new Error('Work of an API key runs in hosts that know API keys.')
    const key = await this.keys.findById(apiKeyId)
    const { nowMs } = this.application.clock
    const isInForce =
      key?.isActive &&
      key.userId === owner.userId &&
      !(key.expirationTime && key.expirationTime.getTime() <= nowMs)
    if (!isInForce) throw new BusinessError(ActingErrors.ApiKeyEnded, { apiKeyId })
    return limitToKey(owner, key, { source: this.keys, grants: this.grants })
  }

  private async reasonAgainst(userIds: readonly (string | undefined)[]): Promise<BusinessError> {
    let code: string = ActingErrors.UserDeleted
    for (const userId of userIds) {
      if (userId === undefined) continue
      const user = await this.users.find(userId)
      if (user?.isActive && (user.lockoutEnd?.getTime() ?? 0) <= this.application.clock.nowMs) continue
      if (user) code = user.isActive ? ActingErrors.UserLockedOut : ActingErrors.UserInactive
      return new BusinessError(code, { userId }, { message: `${code}: ${userId}` })
    }
    // Let in again since the principal was made.
    return new BusinessError(ActingErrors.UserLockedOut, { userId: userIds[0] })
  }

  private async cultureOf({ userId, culture }: ActingUser): Promise<string> {
    const { cultures, defaultCulture } = this.application.localization
    const wanted = culture ?? (await this.settingOf(PlatformSettings.DefaultLanguage.name, userId)) ?? ''
    return cultureChain(wanted).find((name) => cultures.includes(name)) ?? defaultCulture
  }

  private async timeZoneOf({ userId }: ActingUser): Promise<{ timeZone?: string }> {
    const { iana } = timeZoneNames(await this.settingOf(PlatformSettings.TimeZone.name, userId))
    return iana ? { timeZone: iana } : {}
  }

  private async settingOf(name: string, userId: string): Promise<string | null> {
    const { settings } = this.application
    return settings.definitionOf(name) ? settings.valueOf(name, userId) : null
  }
}
