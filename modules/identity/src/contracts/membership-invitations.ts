import { EventDto, guid, instant, type PagedInput, z } from '@keel/framework/contracts'

/** Invitations into one group that may be open at a time. */
export const maxMembershipInvitations = 100

/** The group that an invitation leads into. */
export interface InvitedGroup {
  /** Names the module's kind of group, e.g. `Hub.Organization`. */
  readonly kind: string
  readonly groupId: string
}

/** An invitation to be. */
export interface NewMembershipInvitation extends InvitedGroup {
  readonly email: string
  /** Shown on the page of the invitation, never in the mail: its words may be those of the inviter. */
  readonly groupName: string
  /** The kind of membership, as the module of the group writes it. */
  readonly terms: Readonly<Record<string, unknown>>
  /** The permission that the inviter must have, now and when the invitation is accepted. */
  readonly permission: string
}

/** An open invitation into a group. */
export interface MembershipInvitation extends InvitedGroup {
  readonly id: string
  readonly email: string
  readonly terms: Readonly<Record<string, unknown>>
  readonly permission: string
  /** When the last mail was sent. */
  readonly invitationDate: Date
  readonly expirationTime: Date
  readonly inviterId: string
}

/**
 * Extension point: invites the owner of an e-mail address into a group of another module. The same is done and answered whether an account has
 * the address or not: only the page behind the link of the mail tells. The caller decides who may invite into which group. The identity module
 * provides it in hosts that check permissions.
 */
export abstract class MembershipInvitations {
  /** Open invitations into a group, the newest first. */
  abstract getList(
    group: InvitedGroup,
    page: Pick<InstanceType<typeof PagedInput>, 'skipCount' | 'maxResultCount'>,
  ): Promise<{ readonly totalCount: number; readonly items: readonly MembershipInvitation[] }>
  /** The open invitation with an id; undefined for none of this kind. */
  abstract find(kind: string, id: string): Promise<MembershipInvitation | undefined>
  /** The open invitation of an address into a group; undefined for none. */
  abstract findOf(group: InvitedGroup, email: string): Promise<MembershipInvitation | undefined>
  /**
   * Sends the mail, and writes the invitation in place of an open one of the address into the group: the link of that one ends.
   * Refuses callers who are no users, or who could not give the roles of new users, with `ForbiddenError` or
   * `IdentityErrors.RoleNotAssignable`, and one too many open ones with `IdentityErrors.TooManyInvitations`. `TooManyRequestsError` for the
   * sixth mail of a day to an address, and for the 51st of an inviter.
   */
  abstract invite(invitation: NewMembershipInvitation): Promise<MembershipInvitation>
  /** Takes an invitation back: its link ends. Nothing for one that is not open. */
  abstract revoke(kind: string, id: string): Promise<void>
  /** Takes back all invitations into a group, or those that one user sent. */
  abstract revokeAll(group: InvitedGroup, inviterId?: string): Promise<void>
}

/** An invitation into a group was accepted: its module makes the user a member, if the inviter may still have it so. */
export class MembershipInvitationAcceptedEto extends EventDto('Identity.MembershipInvitation.Accepted', {
  invitationId: guid(),
  kind: z.string(),
  groupId: guid(),
  terms: z.record(z.string(), z.unknown()),
  inviterId: guid(),
  /** The user who accepted. */
  userId: guid(),
  occurredAt: instant(),
}) {}
