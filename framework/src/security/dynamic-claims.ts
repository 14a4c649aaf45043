import type { Database } from '../data/connections/database.js'
import type { Constructor } from '../modularity/class.js'
import type { Principal } from '../modularity/principal.js'

/** A claim as it is now. */
export interface Claim<T> {
  readonly value: T
  /** From when on it has to be asked for again although no row changed; undefined for never. */
  readonly validUntil?: Date
}

/**
 * Knows something about users that changes while their tokens live, such as the organizations they belong to.
 * Marked with {@link DynamicClaims} and listed in `services` of its module; read by {@link claimOf}.
 */
export interface DynamicClaimsContributor<T = unknown> {
  /** The database and the watched tables that the claim is read from: changes to them invalidate it. */
  readonly database: Database
  readonly tables: readonly string[]
  /** The claim of a user at this moment. Runs one statement. */
  contribute(userId: string): Promise<Claim<T>>
}

/** Reads claims of a principal; made by those who make principals. */
export interface ClaimReader {
  read<T>(contributor: Constructor<DynamicClaimsContributor<T>>, userId: string): T | Promise<T>
}

const contributors = new WeakSet<Constructor>()
const readers = new WeakMap<Principal, ClaimReader>()

/**
 * Makes a class a contributor of dynamic claims: what it knows of a user is read when it is first asked for,
 * and again after a change.
 * @example
 * @DynamicClaims() export class OrganizationClaims implements DynamicClaimsContributor<Membership> { … }
 */
export function DynamicClaims() {
  return (target: Constructor<DynamicClaimsContributor>): void => {
    contributors.add(target)
  }
}

/** True when a class is marked with {@link DynamicClaims}. */
export function contributesClaims(target: Constructor): boolean {
  return contributors.has(target)
}

/**
 * The claim that a contributor makes for the principal's user, for bearers of tokens and of API keys alike:
 * without a promise when nothing changed since the last time. Undefined for principals without a user.
 * @example const organizations = await claimOf(ambient().principal, OrganizationClaims)
 */
export function claimOf<T>(
  principal: Principal,
  contributor: Constructor<DynamicClaimsContributor<T>>,
): T | Promise<T> | undefined {
  if (principal.userId === undefined) return undefined
  return readers.get(principal)?.read(contributor, principal.userId)
}

/** Lets {@link claimOf} answer for a principal as it does for another one of the same user. */
export function shareClaims(from: Principal, to: Principal): Principal {
  const reader = readers.get(from)
  return reader ? giveClaims(to, reader) : to
}

/** Lets {@link claimOf} answer for a principal. */
export function giveClaims(principal: Principal, reader: ClaimReader): Principal {
  readers.set(principal, reader)
  return principal
}
