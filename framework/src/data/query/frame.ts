import type { ColumnMeta, EntityMeta } from '../entities/entity.js'
import { join, quote, raw, type Sql, sql } from '../wire/sql.js'
import { VisibleRows } from './late-values.js'

/** A row variable as the statement knows it: its alias, and the joins along the relations that were followed from it. */
export class Frame {
  readonly joins: Sql[] = []
  readonly aliases = new Map<string, string>()
  /** The tables of {@link joins}, and a column of each that is null where no row was joined. */
  readonly joined: { readonly entity: EntityMeta; readonly alias: string; readonly key: string }[] = []

  constructor(readonly alias: string) {}

  /** Hears which of its own columns are asked for. */
  note(_column: ColumnMeta): void {}

  /** A table with the joins that expressions needed so far. */
  from(table: Sql): Sql {
    return this.joins.reduce((all, joined) => sql`${all} ${joined}`, table)
  }
}

/** The conditions of the caller on the rows known by an alias. */
export function visible(entity: EntityMeta, alias: string): Sql {
  return sql`${new VisibleRows(entity, alias)}`
}

/**
 * What rows known by a frame must meet: the row rules of the caller, conditions that may stand beside these, and others that are never evaluated on
 * a row that the rules hide. PostgreSQL evaluates the conditions of a `where` in any order, and some before it joins; but the result of a `case` only
 * where its condition is true. So the rules are there twice: beside the conditions, where indexes serve for them, and around those that need it.
 * @param entity of the rows; undefined where rules were applied to them before
 * @param behind written before, so that the frame has the joins they need
 */
export function visibleAnd(
  entity: EntityMeta | undefined,
  frame: Frame,
  beside: readonly Sql[],
  behind: readonly Sql[],
): Sql[] {
  const conditions = entity ? [visible(entity, frame.alias), ...beside] : [...beside]
  if (!behind.length) return conditions
  const rules = entity && isRestricted(entity) ? [visible(entity, frame.alias)] : []
  for (const { entity: target, alias, key } of frame.joined)
    if (isRestricted(target))
      rules.push(sql`(${raw(`${alias}.${quote(key)}`)} is null or ${visible(target, alias)})`)
  // A step has visible rows alone, but PostgreSQL plans a search in it by searching some values of the table, unless something is around it.
  if (!rules.length && !entity) return [...conditions, sql`coalesce(${join(behind, ' and ')}, false)`]
  if (!rules.length) return [...conditions, ...behind]
  return [...conditions, sql`case when ${join(rules, ' and ')} then ${join(behind, ' and ')} end`]
}

/** Whether rules hide rows of an entity from anybody. */
function isRestricted({ rules, softDelete }: EntityMeta): boolean {
  return softDelete || rules.length > 0
}
