import { LateValue, VisibleRows } from '../../data/query/late-values.js'
import { PlannedStatement } from '../../data/query/planned-statement.js'
import type { StatementShapes } from '../../data/query/statement-shapes.js'
import type { Sql } from '../../data/wire/sql.js'
import type { CallerRights } from '../binding/caller-rights.js'
import type { BoundRequest } from '../binding/request-binder.js'
import { type LiftedText, LiteralExchange } from './lifted-literals.js'

/** How a request is answered, and every other that differs from it in literals alone which do not decide how it is understood. */
export class Plan {
  readonly whole: PlannedStatement
  /** Of a collection with count or facets: these alone, and the page alone. */
  readonly apart: { readonly totals: PlannedStatement; readonly page: PlannedStatement } | undefined

  /**
   * @param decisions permissions asked for while binding: a plan holds for callers of whom the same is true
   * @param literals those of the request it was made for
   */
  constructor(
    readonly request: BoundRequest,
    readonly decisions: CallerRights['decisions'],
    private readonly literals: LiftedText['literals'],
    shapes: StatementShapes,
  ) {
    const { sql, apart } = request
    this.whole = new PlannedStatement(sql, shapes)
    this.apart = apart && {
      totals: new PlannedStatement(apart.totals, shapes),
      page: new PlannedStatement(apart.page, shapes),
    }
  }

  /** What makes the plan one for these literals; undefined for those it was made for. */
  exchangeFor(literals: LiftedText['literals']): LiteralExchange | undefined {
    return literals.every(({ text }, index) => text === this.literals[index]?.text)
      ? undefined
      : new LiteralExchange(this.literals, literals)
  }
}

/** Whether a request that was bound with other literals is the same but for these. */
export function isSameBut(exchange: LiteralExchange, request: BoundRequest, other: BoundRequest): boolean {
  const isSameSql = (a: Sql | undefined, b: Sql | undefined) => sameBut(exchange, a, b)
  const isSameText = (a = '', b = '') => exchange.text(a) === b
  return (
    request.kind === other.kind &&
    request.set === other.set &&
    isSameText(request.context, other.context) &&
    isSameText(request.next?.query, other.next?.query) &&
    request.next?.top === other.next?.top &&
    request.next?.skip === other.next?.skip &&
    isSameSql(request.sql, other.sql) &&
    isSameSql(request.apart?.totals, other.apart?.totals) &&
    isSameSql(request.apart?.page, other.apart?.page) &&
    isSameSql(request.stream?.before, other.stream?.before)
  )
}

function sameBut(exchange: LiteralExchange, sql: Sql | undefined, other: Sql | undefined): boolean {
  if (!sql || !other) return sql === other
  return (
    sql.texts.length === other.texts.length &&
    sql.texts.every((text, index) => text === other.texts[index]) &&
    sql.values.every((value, index) => sameValue(exchange, value, other.values[index]))
  )
}

function sameValue(exchange: LiteralExchange, value: unknown, other: unknown): boolean {
  if (value instanceof VisibleRows)
    return other instanceof VisibleRows && value.entity === other.entity && value.alias === other.alias
  if (value instanceof LateValue) return other instanceof LateValue && value.name === other.name
  const exchanged = exchange.value(value)
  return Array.isArray(exchanged) && Array.isArray(other)
    ? exchanged.length === other.length && exchanged.every((one, index) => one === other[index])
    : exchanged === other
}
