/** Whom a notice goes to. */
export interface NoticeRecipient {
  readonly userId: string
  /** As the user wants to be called: it may be somebody else's choice where the address is not confirmed. */
  readonly name: string
  readonly email: string
  readonly isEmailConfirmed: boolean
}

/** Extension point: tells users by mail what happened to their accounts. The account module provides it; without it nobody is told. */
export abstract class UserNotices {
  /** Tells the owner of an address that it is not that of the account any more. Called once the change is stored. */
  abstract emailChanged(before: NoticeRecipient): Promise<void>
  /** Tells that the password was changed. Called once the change is stored. */
  abstract passwordChanged(user: NoticeRecipient): Promise<void>
}
