import { type ColumnMeta, columnSql, type EntityMeta } from '../entities/entity.js'
import { and, quote, raw, type Sql, sql } from '../wire/sql.js'
import { VisibleRows } from './late-values.js'

/** A row variable as the statement knows it: its alias, and the joins along the relations that were followed from it. */
export class Frame {
  readonly joins: Sql[] = []
  readonly aliases = new Map<string, string>()
  /** The tables of {@link joins}, and a column of each that is null where no row was joined. */
  readonly joined: { readonly entity: EntityMeta; readonly alias: string; readonly key: string }[] = []

  /** The names of its own columns that the statement reads so far. */
  readonly columns = new Set<string>()
  private fence: readonly Sql[] | undefined

  constructor(readonly alias: string) {}

  /** One of its own columns, as SQL. Whatever stands outside a fence names columns by this function or {@link note}. */
  column(name: string): string {
    this.note(name)
    return `${this.alias}.${quote(name)}`
  }

  /** The value of one of its own columns, as SQL. */
  value(column: ColumnMeta): string {
    this.note(column.column)
    return columnSql(column, this.alias)
  }

  note(column: string): void {
    this.columns.add(column)
  }

  /** From here on only rows of the table that meet these conditions reach any other part of the statement. */
  fenceBy(conditions: readonly Sql[]): void {
    this.fence = conditions
  }

  /**
   * A table with the joins that expressions needed so far. Written last: a fence gives out the columns that were asked for until then.
   * @param order of columns of the table, for a statement that reads the first rows in this order alone
   */
  from(table: Sql, order?: Sql): Sql {
    const rows = this.fence ? sql`(${this.fenced(table, this.fence, order)}) ${raw(this.alias)}` : table
    return this.joins.reduce((all, joined) => sql`${all} ${joined}`, rows)
  }

  private fenced(table: Sql, conditions: readonly Sql[], order: Sql | undefined): Sql {
    const columns = raw([...this.columns].map((name) => `${this.alias}.${quote(name)}`).join(', '))
    const end = order ? sql`${order} limit ${mostRows}` : noRowsSkipped
    return sql`select ${columns} from ${table} where ${and(conditions)}${end}`
  }
}

/**
 * The end of a select that PostgreSQL evaluates no condition from outside in: a limit or an offset forbids it, one that changes nothing too.
 * The offset costs nothing when the statement runs.
 */
export const noRowsSkipped = raw(' offset 0')

/** With a limit, PostgreSQL also considers plans that give the first rows early: those that read an index in its order. */
const mostRows = raw(String(2n ** 63n - 1n))

/** The conditions of the caller on the rows known by an alias. */
export function visible(entity: EntityMeta, alias: string): Sql {
  return sql`${new VisibleRows(entity, alias)}`
}

/** The conditions on rows known by a frame, as SQL; written before, so that the frame has the joins they need. */
export interface WrittenConditions {
  /** Those that may be evaluated on any row, and that indexes may serve. */
  readonly beside: readonly Sql[]
  /** Those that may be evaluated on any row, but tell the planner nothing of how many rows meet them. */
  readonly computed: readonly Sql[]
  /** Those that are never evaluated on a row that the rules hide. */
  readonly behind: readonly Sql[]
}

/**
 * The condition on rows known by a frame: the row rules of the caller, and conditions of the query. PostgreSQL evaluates the conditions of a `where`
 * in any order, and some before it joins. The result of a `case` is evaluated only where its condition is true, so conditions that must stay behind
 * the rules stand in one that asks for the rules again. Indexes serve for the rules beside it.
 * @param entity of the rows; undefined where rules were applied to them before
 */
export function visibleAnd(
  entity: EntityMeta | undefined,
  frame: Frame,
  { beside, computed, behind }: WrittenConditions,
): Sql[] {
  const conditions = entity ? [visible(entity, frame.alias), ...beside] : [...beside]
  const rules = rulesOf(entity, frame)
  if (!rules.length) {
    const others = [...computed, ...behind]
    if (entity) return [...conditions, ...others]
    return others.length ? [...conditions, notEstimated(others)] : conditions
  }
  if (computed.length) conditions.push(notEstimated(computed))
  if (behind.length) conditions.push(sql`case when ${and(rules)} then ${and(behind)} end`)
  return conditions
}

/**
 * Like {@link visibleAnd} for conditions that read other rows, and for rows that a relation leads to: a fence between the table and the conditions,
 * a select of its own, has PostgreSQL evaluate them only on as many rows as are wanted, and not read a whole table instead of some rows of it. With
 * joins a fence would keep it from starting with the joined rows.
 *
 * Rows that are counted are fenced like this too: the rules are evaluated once, and an index that has the columns of the conditions is enough, where
 * the case of {@link visibleAnd} reads the rows for their mark of deletion. A page of rows is not: all columns that it shows would be handed through
 * the fence, for rows that the conditions leave out as well, and rows that no index gives in order would be sorted before the conditions leave some out.
 */
export function fencedAnd(
  entity: EntityMeta | undefined,
  frame: Frame,
  conditions: WrittenConditions,
): Sql[] {
  const { behind, ...others } = conditions
  if (!entity || !isRestricted(entity) || !behind.length || frame.joined.length)
    return visibleAnd(entity, frame, conditions)
  frame.fenceBy(visibleAnd(entity, frame, { ...others, behind: [] }))
  return [notEstimated(behind)]
}

/** The rules that hide rows of a frame or of those joined to it. */
function rulesOf(entity: EntityMeta | undefined, frame: Frame): Sql[] {
  const rules = entity && isRestricted(entity) ? [visible(entity, frame.alias)] : []
  for (const { entity: target, alias, key } of frame.joined)
    if (isRestricted(target))
      rules.push(sql`(${raw(`${alias}.${quote(key)}`)} is null or ${visible(target, alias)})`)
  return rules
}

/** To plan a bare condition on a column, PostgreSQL evaluates it on some values of the table, those of hidden rows too. */
function notEstimated(behind: readonly Sql[]): Sql {
  return sql`coalesce(${and(behind)}, false)`
}

/** True when rules hide rows of an entity from anybody. */
function isRestricted({ rules, softDelete }: EntityMeta): boolean {
  return softDelete || rules.length > 0
}
