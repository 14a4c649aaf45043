import type { Class } from '../../modularity/class.js'
import type { Sql } from '../wire/sql.js'

/** Answers what a row rule needs to know of the caller, e.g. their organizations. */
export interface RowScope<T> {
  current(): T | Promise<T>
}

/** Which rows of an entity a caller may see. */
// biome-ignore lint/suspicious/noExplicitAny: rules over scopes of all kinds
export interface RowRule<T = any> {
  readonly scope: Class<RowScope<T>>
  /** The condition for rows of the table known by `alias` (already quoted); undefined for no restriction. */
  readonly condition: (scope: T, alias: Sql) => Sql | undefined
}

/**
 * Declares who may see which rows: a pure function of the caller's scope, applied to every read of the entity.
 * @example
 * rowRule(OrganizationScope, ({ all, ids }, t) => (all ? undefined : sql`${t}."OrganizationId" = any(${ids}::uuid[])`))
 */
export function rowRule<T>(scope: Class<RowScope<T>>, condition: RowRule<T>['condition']): RowRule<T> {
  return { scope, condition }
}
