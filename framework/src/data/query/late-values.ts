import { type EntityClass, type EntityMeta, entityMeta } from '../entities/entity.js'
import type { CallerRules } from '../entities/row-rules.js'
import { and, raw, type Sql, sql } from '../wire/sql.js'

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

/** The conditions of the caller at hand on the rows of an entity that stands in a statement under an alias. */
export function visibleRows(entity: EntityClass, alias: string): Sql {
  return sql`${new VisibleRows(entityMeta(entity), alias)}`
}

/** A statement made ready for one run: row rules become conditions, late values what `values` says. */
export function bindLate(
  template: Sql,
  rules: CallerRules,
  values: Readonly<Record<string, unknown>> = {},
): Sql | Promise<Sql> {
  const isLate = template.values.some((value) => value instanceof VisibleRows || value instanceof LateValue)
  return isLate ? bind(template, rules, values) : template
}

async function bind(
  template: Sql,
  rules: CallerRules,
  values: Readonly<Record<string, unknown>>,
): Promise<Sql> {
  const texts: string[] = [template.texts[0] ?? '']
  const bound: unknown[] = []
  for (const [index, value] of template.values.entries()) {
    if (value instanceof VisibleRows) append(await visible(value))
    else {
      bound.push(value instanceof LateValue ? lateValue(value, values) : value)
      texts.push('')
    }
    texts[texts.length - 1] += template.texts[index + 1] ?? ''
  }
  return { texts, values: bound }

  async function visible({ entity, alias }: VisibleRows): Promise<Sql> {
    const conditions = await rules.conditionsFor(entity, alias)
    return conditions.length ? and(conditions) : raw('true')
  }

  function append(part: Sql): void {
    texts[texts.length - 1] += part.texts[0] ?? ''
    texts.push(...part.texts.slice(1))
    bound.push(...part.values)
  }
}

/** What a late value is in one run; `now` comes as the function that tells it. */
export function lateValue({ name }: LateValue, values: Readonly<Record<string, unknown>>): unknown {
  if (name !== 'now') return values[name]
  const now = values.now as (() => Date) | undefined
  return (now?.() ?? new Date()).toISOString()
}
