import { type EntityClass, type EntityMeta, entityMeta } from '../entities/entity.js'
import type { CallerRules } from '../entities/row-rules.js'
import { and, type Sql, sql } from '../wire/sql.js'
import { Parameter, type ParameterRun } from './parameter.js'

/** Stands in a statement for the conditions of the caller at hand on the rows of an entity, known by an alias. */
export class VisibleRows {
  constructor(
    readonly entity: EntityMeta,
    readonly alias: string,
  ) {}
}

/** Stands in a statement for a value that every run of it has anew. */
export class LateValue {
  constructor(readonly name: string) {}
}

/** The time of the request. */
export const now = new LateValue('now')

/** The session of the caller at hand; null for callers without one. For lists. */
export const sessionOfCaller = new LateValue('sessionOfCaller')

/** The conditions of the caller at hand on the rows of an entity that stands in a statement under an alias. */
export function visibleRows(entity: EntityClass, alias: string): Sql {
  return sql`${new VisibleRows(entityMeta(entity), alias)}`
}

/** The values that are different in every run of a statement. */
export interface RunValues {
  /** The late values by their names; `now` is the function that tells it. */
  readonly late: Readonly<Record<string, unknown>>
  /** Needed by statements with parameters. */
  readonly parameters?: ParameterRun
}

/** A statement made ready for one run: row rules become conditions, late values and parameters what they are in the run. */
export function bindLate(template: Sql, rules: CallerRules, run: RunValues): Sql | Promise<Sql> {
  return template.values.some(isLate) ? bind(template, rules, run) : template
}

function isLate(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isLate)
  return value instanceof VisibleRows || value instanceof LateValue || value instanceof Parameter
}

async function bind(template: Sql, rules: CallerRules, run: RunValues): Promise<Sql> {
  const texts: string[] = [template.texts[0] ?? '']
  const bound: unknown[] = []
  for (const [index, value] of template.values.entries()) {
    if (value instanceof VisibleRows) append(await conditionOf(value, rules))
    else {
      bound.push(runValue(value, run))
      texts.push('')
    }
    texts[texts.length - 1] += template.texts[index + 1] ?? ''
  }
  return { texts, values: bound }

  function append(part: Sql): void {
    texts[texts.length - 1] += part.texts[0] ?? ''
    texts.push(...part.texts.slice(1))
    bound.push(...part.values)
  }
}

/** The condition that stands for visible rows in a statement of a caller. */
export function conditionOf({ entity, alias }: VisibleRows, rules: CallerRules): Sql | Promise<Sql> {
  const conditions = rules.conditionsFor(entity, alias)
  return conditions instanceof Promise ? conditions.then(and) : and(conditions)
}

/** A value of a statement in one run. */
export function runValue(value: unknown, { late, parameters }: RunValues): unknown {
  if (!(value instanceof LateValue)) return parameters ? parameters.valueOf(value) : value
  if (value.name !== 'now') return late[value.name]
  const now = late.now as (() => Date) | undefined
  return (now?.() ?? new Date()).toISOString()
}
