/**
 * Extension point: which accounts are one person's, for who signs them in. The account module provides it, in
 * this process only.
 */
export abstract class LinkedAccounts {
  /** True when one account can be reached from another, directly or over others. */
  abstract areLinked(one: string, other: string): Promise<boolean>
}
