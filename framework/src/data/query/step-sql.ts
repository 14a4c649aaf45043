import type { EntityMeta } from '../entities/entity.js'
import { and, join, quote, raw, type Sql, sql } from '../wire/sql.js'
import type { Condition, Value } from './expression.js'
import { aggregateCall, type ExpressionSql, orderSql } from './expression-sql.js'
import { type Frame, noRowsSkipped } from './frame.js'
import { type Aggregate, type RowSource, rowVersion, type Step } from './query-tree.js'
import { computedType } from './storage.js'

/** Turns the sources of rows into SQL: a table, or what the steps of `$apply` make, each a derived table. */
export class StepSql {
  constructor(private readonly expressions: ExpressionSql) {}

  /**
   * The source as it stands behind `from`, and the frame that its row variable has from here on. A step may know its rows by the same
   * variable: it is written before.
   */
  open(source: RowSource): { frame: Frame; table: Sql } {
    if (source.kind === 'table') {
      const frame = this.expressions.frame(source.row)
      return { frame, table: raw(`${quote(source.entity.table)} ${frame.alias}`) }
    }
    const step = this.step(source.step)
    const frame = this.expressions.frame(source.row)
    return { frame, table: sql`(${step}) ${raw(frame.alias)}` }
  }

  /** The condition on rows of a source: what the caller may see, a condition of the query, and such as our own code adds. */
  where(source: RowSource, frame: Frame, where: Condition | undefined, own: readonly Sql[] = []): Sql {
    return and(this.expressions.restrictions(entityOf(source), frame, where, own))
  }

  /** The same for rows that are counted or summed up, and for those that a relation leads to. Written before the table is: it may fence the rows. */
  whereFenced(source: RowSource, frame: Frame, where: Condition | undefined, own: readonly Sql[] = []): Sql {
    return and(this.expressions.restrictions(entityOf(source), frame, where, own, true))
  }

  /** Each ends with an `offset`, of 0 rows too: PostgreSQL then evaluates no condition on these rows before it has them. */
  private step(step: Step): Sql {
    switch (step.kind) {
      case 'some':
        return this.some(step)
      case 'group':
        return this.group(step)
      case 'concat':
        return this.concat(step)
    }
  }

  private some(step: Extract<Step, { kind: 'some' }>): Sql {
    const { from, order, per, until, top, skip } = step
    const { frame, table } = this.open(from)
    const own = (from.row.entity ? [...from.row.entity.columns.values(), rowVersion] : []).map(({ column }) =>
      raw(frame.column(column)),
    )
    const columns = [...own, ...this.fields(step.fields)]
    const sorted = order.length
      ? sql` order by ${orderSql(order, (value) => this.expressions.stored(value))}`
      : raw('')
    const condition = this.where(from, frame, step.where)
    const windowed = until !== undefined || per !== undefined
    const partition = per?.length
      ? sql`partition by ${join(
          per.map((value) => this.expressions.stored(value)),
          ', ',
        )}`
      : raw('')
    if (until) {
      const by = sql`coalesce(${this.expressions.value(until.by)}, 0)`
      const before = sql`coalesce(sum(${by}) over (${partition}${sorted} rows between unbounded preceding and 1 preceding), 0)`
      const amount = this.expressions.value(until.amount)
      const goal = until.percent ? sql`${amount} * sum(${by}) over (${partition}) / 100` : amount
      columns.push(sql`(${before} < ${goal}) as w`)
    } else if (windowed) {
      const number = sql`row_number() over (${partition}${sorted})`
      const first = sql`${number} > ${skip ?? 0}`
      columns.push(
        top === undefined ? sql`(${first}) as w` : sql`(${first} and ${number} <= ${(skip ?? 0) + top}) as w`,
      )
    }
    const rows = sql`select ${columns.length ? join(columns, ', ') : raw('')} from ${frame.from(table)} where ${condition}`
    if (windowed) return sql`select * from (${rows}) s where s.w${noRowsSkipped}`
    const limit = top === undefined ? raw('') : sql` limit ${top}`
    return sql`${rows}${sorted}${limit}${skip ? sql` offset ${skip}` : noRowsSkipped}`
  }

  private group(step: Extract<Step, { kind: 'group' }>): Sql {
    const { from, by, levels, aggregates, counted } = step
    const { frame, table } = this.open(from)
    const condition = this.whereFenced(from, frame, step.where)
    const inner = by.map((value, index) => sql`${this.expressions.value(value)} as g${raw(String(index))}`)
    if (counted) inner.push(sql`(${this.expressions.isTrue(counted)}) as f`)
    const filter = counted ? ' filter (where s.f)' : ''
    const outer = by.map((_, index) => raw(`s.g${index}`))
    for (const aggregate of aggregates) outer.push(this.aggregate(aggregate, inner, filter))
    if (levels) for (const index of by.keys()) outer.push(raw(`(grouping(s.g${index}) = 0)`))
    const columns = outer.map((column, index) => sql`${column} as c${raw(String(index))}`)
    const rows = sql`select ${inner.length ? join(inner, ', ') : raw('')} from ${frame.from(table)} where ${condition}`
    return sql`select ${join(columns, ', ')} from (${rows}) s${raw(groupBy(by.length, levels))}${noRowsSkipped}`
  }

  private aggregate(aggregate: Aggregate, inner: Sql[], filter: string): Sql {
    if (aggregate.kind === 'count') return raw(`count(*)${filter}`)
    const argument = (value: Sql): string => {
      const name = `a${inner.length}`
      inner.push(sql`${value} as ${raw(name)}`)
      return `s.${name}`
    }
    const type = computedType(aggregate.type)
    if (aggregate.kind !== 'related') {
      const value = argument(this.expressions.value(aggregate.value))
      return aggregateCall(aggregate.kind, raw(value), type, filter)
    }
    const over = (method: string): string =>
      argument(this.expressions.aggregated(aggregate.rows, method, aggregate.value))
    switch (aggregate.method) {
      case 'count':
        return raw(`(coalesce(sum(${over('count')})${filter}, 0))::${type}`)
      case 'countdistinct':
        // One row's values are related to it, the group's are those of all its rows.
        return raw(
          `(select count(distinct e) from jsonb_path_query(jsonb_agg(${over('jsonb_agg')})${filter}, '$[*][*]') e where e <> 'null')`,
        )
      case 'average':
        return raw(`(sum(${over('sum')})${filter} / nullif(sum(${over('count')})${filter}, 0))::${type}`)
      default:
        return raw(`(${aggregate.method}(${over(aggregate.method)})${filter})::${type}`)
    }
  }

  private concat({ parts, types }: Extract<Step, { kind: 'concat' }>): Sql {
    const selects = parts.map(({ from, where, fields }, part) => {
      const { frame, table } = this.open(from)
      const condition = this.where(from, frame, where)
      const columns = types.map((type, index) => {
        const value = fields[index]
        const written = value ? this.expressions.value(value) : raw(`null::${computedType(type)}`)
        return sql`${written} as c${raw(String(index))}`
      })
      columns.push(raw(`${part} as c${types.length}`))
      return sql`select ${join(columns, ', ')} from ${frame.from(table)} where ${condition}`
    })
    return sql`${join(selects, ' union all ')}${noRowsSkipped}`
  }

  private fields(values: readonly Value[]): Sql[] {
    return values.map((value, index) => sql`${this.expressions.value(value)} as c${raw(String(index))}`)
  }
}

function entityOf(source: RowSource): EntityMeta | undefined {
  return source.kind === 'table' ? source.entity : undefined
}

function groupBy(count: number, levels: readonly (readonly number[])[] | undefined): string {
  if (!levels) return count ? ` group by ${[...Array(count).keys()].map((i) => `s.g${i}`).join(', ')}` : ''
  const sets = levels.map((level) => `(${level.map((index) => `s.g${index}`).join(', ')})`)
  return ` group by grouping sets (${sets.join(', ')})`
}
