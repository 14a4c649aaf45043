/** The user of a person, also after the user was deleted. */
export interface PersonAccount {
  readonly id: string
  readonly userName: string
  /** In lower case; undefined while it is not confirmed. */
  readonly email: string | undefined
  readonly isDeleted: boolean
}

/** Extension point: the accounts of persons, for what is done to all data of one of them. Provided by identity. */
export abstract class PersonAccounts {
  /** Undefined when there never was such a user. */
  abstract find(id: string): Promise<PersonAccount | undefined>
  /**
   * Deletes a user and ends all sessions, in the unit of work at hand. Tokens and API keys of the user are refused from its commit on. Nothing
   * happens when the user is deleted already. Refuses the caller's own user, the last administrator, and users who hold more than the caller.
   */
  abstract close(id: string): Promise<void>
}
