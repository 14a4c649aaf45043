import {
  AppService,
  Dto,
  EntityDto,
  guid,
  instant,
  listResultOf,
  op,
  param,
  z,
} from '@keel/framework/contracts'
import { AbpAccount } from './account.js'

const route = '/api/account/user-delegation'
const userName = z.string().trim().max(256)

/** A delegation as one of its two sides sees it: with the name of the other. */
export class UserDelegationDto extends EntityDto({
  userName: z.string(),
  startTime: instant(),
  endTime: instant(),
}) {}

/** Somebody to delegate to. */
export class UserLookupDto extends EntityDto({ userName: z.string() }) {}

/** The user to look up: the whole user name, in any case. Nobody learns names by trying parts of them. */
export class GetUserLookupInput extends Dto({ userName: userName.nullish() }) {}

/** The user who is to act for the caller, and when. */
export class DelegateNewUserInput extends Dto({
  targetUserId: guid(),
  startTime: instant(),
  /** After the start, and not in the past. */
  endTime: instant(),
}) {}

/**
 * Lets users have others act for them for some time, by ABP's routes. Acting itself is the auth server's
 * grant type `Impersonation`.
 */
export abstract class UserDelegationAppService extends AppService(
  AbpAccount,
  'UserDelegationAppService',
  {
    /** Lists users who may act for the caller, now, later or until lately. */
    getDelegatedUsers: op().returns(listResultOf(UserDelegationDto)).at('GET', `${route}/delegated-users`),
    /** Lists users for whom the caller may act, now, later or until lately. */
    getMyDelegatedUsers: op()
      .returns(listResultOf(UserDelegationDto))
      .at('GET', `${route}/my-delegated-users`),
    /** Lists users for whom the caller may act at this moment. */
    getActiveDelegations: op()
      .returns(listResultOf(UserDelegationDto))
      .at('GET', `${route}/active-delegations`),
    /** Finds a user to delegate to, by the whole user name. */
    getUserLookup: op(GetUserLookupInput)
      .returns(listResultOf(UserLookupDto))
      .at('GET', `${route}/user-lookup`),
    /** Lets another user act for the caller for some time. */
    delegateNewUser: op(DelegateNewUserInput).at('POST', `${route}/delegate-new-user`),
    /** Takes back a delegation of the caller. Whoever acts by it stops. */
    deleteDelegation: op(param('id', guid())).at('POST', `${route}/delete-delegation`),
  },
  'Delegations',
) {}

/** A delegation that counts at this moment: who acts for whom, and until when. */
export interface ActiveDelegation {
  readonly id: string
  /** For whom somebody acts. */
  readonly sourceUserId: string
  readonly endTime: Date
}

/**
 * Extension point: delegations, for who lets people act for others. The account module provides it, in this
 * process only.
 */
export abstract class UserDelegations {
  /** A delegation to somebody that counts at this moment; undefined when there is none. */
  abstract findActive(id: string, targetUserId: string): Promise<ActiveDelegation | undefined>
}
