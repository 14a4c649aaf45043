/** The e-mail address and telephone number that a user has to confirm before they are signed in. */
export interface ConfirmationDemand {
  readonly email: boolean
  readonly phoneNumber: boolean
  /** Shows for ten minutes that they proved who they are. Another telephone number voids it. */
  readonly token: string
}

/**
 * Extension point: what has to be confirmed before somebody is signed in, by the settings
 * `Abp.Identity.SignIn.RequireConfirmed…`. The account module provides it, in this process only.
 */
export abstract class UserConfirmations {
  /**
   * The demand on a user; undefined when nothing is to be confirmed. The caller knows that the user gave the
   * right password, and the second factor where one is asked for.
   */
  abstract demandOf(userId: string): Promise<ConfirmationDemand | undefined>
  /** True for a token that {@link demandOf} made for the user and that counts. */
  abstract isGenuine(userId: string, token: string): Promise<boolean>
  /** Lets clients without a token, such as ABP's, confirm the user's own number for ten minutes. */
  abstract admitClients(userId: string): Promise<void>
}
