/** The recipient of a notice. */
export interface NoticeRecipient {
  readonly userId: string
  /** As the user wants to be called: it may be somebody else's choice where the address is not confirmed. */
  readonly name: string
  readonly email: string
  readonly isEmailConfirmed: boolean
}

/** Extension point: mails users about their accounts. Provided by the account module; without it no mail. */
export abstract class UserNotices {
  /**
   * Tells the owner of an address that the account has another one now. Called after the change is stored.
   */
  abstract emailChanged(before: NoticeRecipient): Promise<void>
  /** Tells that the password was changed. Called once the change is stored. */
  abstract passwordChanged(user: NoticeRecipient): Promise<void>
}
