import {
  Dto,
  EntityDto,
  emailAddress,
  enumeration,
  FilteredPagedInput,
  instant,
  z,
} from '@keel/framework/contracts'
import { normalizedName } from './normalized-name.js'
import type { UserRecord } from './user-directory.js'

/** Days that an invitation can be accepted. */
export const invitationDays = 7
/** Invitations that may wait at a time, all together. */
export const maxInvitations = 1000

/** ABP's numbers. Only invitations that wait are kept. */
export const UserInvitationStatus = { Pending: 0, Accepted: 1, Rejected: 2, Canceled: 3 } as const

/** Somebody who was invited and has not come yet. ABP's name. */
export class UserSharingInvitationDto extends EntityDto({
  inviteeEmail: z.string(),
  invitationDate: instant(),
  /** Empty where the roles are those of every new user. */
  assignedRoles: z.array(z.string()),
  status: enumeration('UserInvitationStatus', UserInvitationStatus),
}) {}

/** Which invitations; the newest first, unless sorted otherwise. The filter is for their addresses. */
export class GetPendingInvitationsInput extends Dto({ ...FilteredPagedInput.shape }) {}

/** People to invite. An address that was invited before gets a new link, and these roles instead. */
export class InviteUsersInput extends Dto({
  /** An application that the settings know; the link leads to the auth server, whichever it is. */
  appName: z.string().max(64).nullish(),
  emailAddress: z.array(emailAddress).min(1).max(100),
  /** Role names; none given means the default roles. Ignored without the permission to manage roles. */
  assignedRoles: z.array(z.string().max(256)).max(100).nullish(),
}) {}

/** How many were invited for the first time, and how many again. */
export class InviteUsersSummaryDto extends Dto({
  newInvitations: z.int(),
  resentInvitations: z.int(),
}) {}

/** An invitation whose mail is to be sent again. */
export class ResendInvitationInput extends Dto({
  id: z.guid(),
  appName: z.string().max(64).nullish(),
}) {}

/** The choices of a person who accepts an invitation. */
export interface AcceptedInvitation {
  readonly token: string
  readonly userName: string
  readonly password: string
  /** Values of own fields of users, by name. */
  readonly extraProperties?: Readonly<Record<string, unknown>>
}

/** True when an account has an address, as its e-mail address or as its user name: people sign in with either. */
export function hasAddress(
  { userName, email }: Pick<UserRecord, 'userName' | 'email'>,
  address: string,
): boolean {
  return [userName, email].map(normalizedName).includes(normalizedName(address))
}

/** An open invitation, as its page shows it. */
export interface FoundInvitation {
  readonly email: string
  /** The name of the group that it leads into; undefined for one that makes a user and nothing else. */
  readonly groupName?: string
  /** True when an account has the address: it alone accepts the invitation into the group. */
  readonly hasAccount: boolean
}

/**
 * Extension point: accepting invitations, for the pages of the auth server. Who holds the token got the mail.
 * The identity module provides it.
 */
export abstract class Invitations {
  /** The invitation of a token; undefined when it is none, was used or taken back, or has ended. */
  abstract find(token: string): Promise<FoundInvitation | undefined>
  /**
   * Makes the invited user, whose address is confirmed by that, and uses the token up. Refuses with
   * `IdentityErrors.InvalidInvitation` a token that does not count, or whose sender may not add users or give
   * these roles any more, and what `UserDirectory.create` refuses. `ValidationError` for own
   * fields that are missing or invalid.
   */
  abstract accept(invitation: AcceptedInvitation): Promise<UserRecord>
  /**
   * Accepts an invitation into a group with the account that has its address, and uses the token up. Refuses with
   * `IdentityErrors.InvalidInvitation` another account and whatever `accept` would refuse so.
   */
  abstract join(token: string, account: Pick<UserRecord, 'id' | 'userName' | 'email'>): Promise<void>
}

/** Extension point: mails invitations. The account module provides it; a host without it invites nobody. */
export abstract class InvitationMails {
  /** Refuses an application that the settings do not know. */
  abstract demandApp(appName: string): void
  /** Sends the link in the request's language. `TooManyRequestsError` for the sixth a day to an address. */
  abstract send(email: string, token: string): Promise<void>
  /**
   * Sends the link of an invitation into a group, which the mail does not name. `TooManyRequestsError` as for `send`, and for the 51st a day of
   * an inviter.
   */
  abstract sendIntoGroup(invitation: {
    readonly email: string
    readonly token: string
    readonly inviterId: string
  }): Promise<void>
}
