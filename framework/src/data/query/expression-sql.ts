import { type ColumnMeta, columnSql, type EntityMeta } from '../entities/entity.js'
import { join, literally, quote, raw, type Sql, sql, textIn } from '../wire/sql.js'
import type {
  Condition,
  ConstantValue,
  OrderKey,
  RelatedRows,
  RowPath,
  RowVariable,
  Value,
} from './expression.js'
import { Frame, fencedAnd, visible, visibleAnd, type WrittenConditions } from './frame.js'
import { functionSql } from './function-sql.js'
import { jsonItemsSql } from './json-items.js'
import { now } from './late-values.js'
import { expected, mapParameter, type Parameter } from './parameter.js'
import { gradeOf, partsByGrade } from './plain-conditions.js'
import { asComputed, computedType, storedType } from './storage.js'
import { isWide, wholeOperators } from './whole-numbers.js'

/** Turns expressions into SQL. One for each statement: its aliases are unique. */
export class ExpressionSql {
  private readonly frames = new Map<RowVariable, Frame>()
  private count = 0
  /** How many selects on other rows were written. */
  private selects = 0

  /** A name for a table that no other has. */
  alias(prefix = 't'): string {
    return `${prefix}${this.count++}`
  }

  /** From here on a row variable is known by a new alias. */
  frame(row: RowVariable, alias = this.alias()): Frame {
    const frame = new Frame(alias)
    this.frames.set(row, frame)
    return frame
  }

  /** From here on a row variable is known as this frame says. */
  use(row: RowVariable, frame: Frame): void {
    this.frames.set(row, frame)
  }

  /** A value over the rows that are related to a row: `count` without one counts them. */
  aggregated(rows: RelatedRows, method: string, value: Value | undefined): Sql {
    const { tail, written } = this.relatedParts(rows, undefined, false, value)
    return sql`(select ${raw(method)}(${written ?? raw('*')}) from ${tail})`
  }

  /** The conditions of the caller on the rows known by an alias. */
  visible(entity: EntityMeta, alias: string): Sql {
    return visible(entity, alias)
  }

  /**
   * The condition on rows known by a frame: the row rules of the caller, and a condition of the query. A condition that may fail or take long is
   * never evaluated on a row that the rules hide.
   * @param entity of the rows; undefined where rules were applied to them before
   * @param own conditions of our own code, on columns of these rows
   * @param isFenced true where the rows are counted or summed up, so that few of their columns are read, and where a relation leads to them
   */
  restrictions(
    entity: EntityMeta | undefined,
    frame: Frame,
    where: Condition | undefined,
    own: readonly Sql[] = [],
    isFenced = false,
  ): Sql[] {
    const { selects } = this
    const { beside, ...others } = this.writtenParts(where)
    const restricted = isFenced || this.selects > selects ? fencedAnd : visibleAnd
    return restricted(entity, frame, { beside: [...own, ...beside], ...others })
  }

  /** A column of the row at the end of a path, joining on the way. */
  reference({ row, via }: RowPath, column: ColumnMeta): string {
    const frame = this.frameOf(row)
    let alias = frame.alias
    frame.note((via[0]?.own ?? column).column)
    for (const { own, target, theirs } of via) {
      const key = `${alias}.${own.column}>${target.table}`
      let joined = frame.aliases.get(key)
      if (!joined) {
        joined = this.alias('j')
        frame.aliases.set(key, joined)
        frame.joined.push({ entity: target, alias: joined, key: theirs.column })
        const on = raw(`${joined}.${quote(theirs.column)} = ${alias}.${quote(own.column)}`)
        frame.joins.push(
          sql`left join ${raw(`${quote(target.table)} ${joined}`)} on ${on} and ${this.visible(target, joined)}`,
        )
      }
      alias = joined
    }
    return columnSql(column, alias)
  }

  /** A value in its computed type. */
  value(value: Value): Sql {
    switch (value.kind) {
      case 'column':
        return raw(asComputed(value.column, this.reference(value.path, value.column)))
      case 'field':
        return raw(`${this.frameOf(value.row).alias}.c${value.field}`)
      case 'constant':
        return constant(value.value, computedType(value.type))
      case 'null':
        return raw(`null::${computedType(value.type)}`)
      case 'now':
        return sql`${now}::timestamptz`
      case 'call':
        return functionSql(value, (arg) => this.value(arg))
      case 'case': {
        const branches = value.branches.map(
          ({ when, value: result }) => sql` when ${this.isTrue(when)} then ${this.value(result)}`,
        )
        return sql`(case${join(branches, '')} end)`
      }
      case 'count':
        return sql`(select count(*) from ${this.related(value.rows)})`
      case 'aggregate':
        return this.aggregateOf(value)
      case 'list':
      case 'objects':
        return raw(this.reference(value.path, value.column))
      case 'lookup':
        return this.lookup(value)
      case 'condition':
        return sql`(${this.truth(value.condition)})`
    }
  }

  /** A value as an order needs it: a column as it is stored, so that its indexes serve. */
  stored(value: Value): Sql {
    return value.kind === 'column' ? raw(this.reference(value.path, value.column)) : this.value(value)
  }

  /** SQL that is true exactly when the condition is; otherwise it is false or null. */
  isTrue(condition: Condition): Sql {
    switch (condition.kind) {
      case 'compare':
        return this.comparison(condition, false)
      case 'in': {
        const found = sql`${this.stored(condition.value)} = any(${this.list(condition)})`
        return condition.orNull ? sql`(${found} or ${this.stored(condition.value)} is null)` : found
      }
      case 'and':
      case 'or':
        return this.all(condition.kind, condition.conditions, (part) => this.isTrue(part))
      case 'not':
        return this.isFalse(condition.condition)
      default:
        return this.truth(condition)
    }
  }

  /** SQL that is true exactly when the condition is false: not when it is null. */
  isFalse(condition: Condition): Sql {
    switch (condition.kind) {
      case 'constant':
        return truthConstant(!condition.value)
      case 'compare':
        return this.comparison(condition, true)
      case 'isNull':
        return sql`${this.stored(condition.value)} is not null`
      case 'in': {
        const value = this.stored(condition.value)
        const missing = sql`${value} <> all(${this.list(condition)})`
        if (condition.orNull) return sql`(${missing} and ${value} is not null)`
        return condition.value.nullable ? sql`(${missing} or ${value} is null)` : missing
      }
      case 'and':
      case 'or':
        return this.all(condition.kind === 'and' ? 'or' : 'and', condition.conditions, (part) =>
          this.isFalse(part),
        )
      case 'not':
        return this.isTrue(condition.condition)
      case 'truth':
        return sql`not ${this.value(condition.value)}`
      case 'search':
      case 'behind':
        return sql`(${this.truth(condition)}) is not true`
      case 'any':
      case 'all':
        return sql`not ${this.truth(condition)}`
      case 'missing':
        return sql`${this.end(condition.path)} is not null`
    }
  }

  /** The condition as a value: true, false, or null where OData says so. */
  private truth(condition: Condition): Sql {
    switch (condition.kind) {
      case 'constant':
        return truthConstant(condition.value)
      case 'compare':
        return this.comparison(condition, false, true)
      case 'isNull':
        return sql`(${this.stored(condition.value)} is null)`
      case 'in': {
        const value = this.stored(condition.value)
        const found = sql`coalesce(${value} = any(${this.list(condition)}), false)`
        return condition.orNull ? sql`(${found} or ${value} is null)` : found
      }
      case 'and':
      case 'or':
        return this.all(condition.kind, condition.conditions, (part) => this.truth(part))
      case 'not':
        return sql`(not ${this.truth(condition.condition)})`
      case 'truth':
        return this.value(condition.value)
      case 'search': {
        const columns = condition.columns.map((column) => this.stored(column))
        return textIn(columns, mapParameter(condition.text, literally)) ?? raw('false')
      }
      case 'any':
        return sql`exists (select from ${this.related(condition.rows, condition.predicate)})`
      case 'all':
        return sql`not exists (select from ${this.related(condition.rows, condition.predicate, true)})`
      case 'missing':
        return sql`(${this.end(condition.path)} is null)`
      case 'behind':
        return this.behind(condition.order, condition.last)
    }
  }

  private frameOf(row: RowVariable): Frame {
    const frame = this.frames.get(row)
    if (!frame) throw new Error('An expression names a row that its statement does not have')
    return frame
  }

  private end(path: RowPath): Sql {
    const last = path.via.at(-1)
    if (!last) throw new Error('Only a row that a relation leads to can be missing')
    return raw(this.reference(path, last.theirs))
  }

  /** The tables and conditions of related rows: what stands behind `from`. */
  private related(rows: RelatedRows, predicate?: Condition, negated = false): Sql {
    return this.relatedParts(rows, predicate, negated).tail
  }

  private relatedParts(
    { from, relation, items, fields, row, where }: RelatedRows,
    predicate?: Condition,
    negated = false,
    value?: Value,
  ): { tail: Sql; written: Sql | undefined } {
    this.selects += 1
    const owner = relation && this.reference(from, relation.own)
    const list = items && this.reference(from, items)
    const frame = this.frame(row)
    const entity = list === undefined ? entityOf(row) : undefined
    const { beside, computed, behind } = this.writtenParts(where)
    if (relation) beside.unshift(raw(`${frame.alias}.${quote(relation.theirs.column)} = ${owner}`))
    if (predicate) {
      const wanted = negated ? sql`(${this.isTrue(predicate)}) is not true` : this.isTrue(predicate)
      if (gradeOf(predicate) === 'plain') beside.push(wanted)
      else behind.push(wanted)
    }
    // Without a fence PostgreSQL may compute with all rows of the table.
    const conditions = fencedAnd(entity, frame, { beside, computed: [], behind: [...computed, ...behind] })
    const written = value && this.value(value)
    const table = frame.from(entity ? raw(`${quote(entity.table)} ${frame.alias}`) : itemsSql())
    if (!conditions.length) return { tail: table, written }
    return { tail: sql`${table} where ${join(conditions, ' and ')}`, written }

    function itemsSql(): Sql {
      const { alias } = frame
      if (list === undefined || !fields) return raw(`unnest(${list}) ${alias}(c0)`)
      return sql`${jsonItemsSql(list, fields)} ${raw(alias)}`
    }
  }

  private writtenParts(where: Condition | undefined): Record<keyof WrittenConditions, Sql[]> {
    const { plain, total, guarded } = partsByGrade(where)
    const written = (condition: Condition) => this.isTrue(condition)
    return { beside: plain.map(written), computed: total.map(written), behind: guarded.map(written) }
  }

  private aggregateOf({ rows, method, of, type }: Extract<Value, { kind: 'aggregate' }>): Sql {
    const { tail, written = raw('null') } = this.relatedParts(rows, undefined, false, of)
    return sql`(select ${aggregateCall(method, written, computedType(type))} from ${tail})`
  }

  private lookup({ row, where, value }: Extract<Value, { kind: 'lookup' }>): Sql {
    const frame = this.frame(row)
    const entity = entityOf(row)
    const found = this.value(value)
    const conditions = this.restrictions(entity, frame, where)
    const table = frame.from(raw(`${quote(entity.table)} ${frame.alias}`))
    return sql`(select ${found} from ${table} where ${join(conditions, ' and ')})`
  }

  private all(
    operator: 'and' | 'or',
    conditions: readonly Condition[],
    write: (condition: Condition) => Sql,
  ): Sql {
    return sql`(${join(conditions.map(write), ` ${operator} `)})`
  }

  private list({ value, values }: Extract<Condition, { kind: 'in' }>): Sql {
    const type = value.kind === 'column' ? storedType(value.column, value.type) : computedType(value.type)
    return sql`${values}::${raw(type)}[]`
  }

  private comparison(
    { comparison, left, right }: Extract<Condition, { kind: 'compare' }>,
    negated: boolean,
    asValue = false,
  ): Sql {
    const l = this.operand(left, right)
    const r = this.operand(right, left)
    const nullable = left.nullable || right.nullable
    const bothNullable = left.nullable && right.nullable
    const isEqual = comparison === 'eq' || comparison === 'ne'
    if (isEqual) {
      const equal = (comparison === 'eq') !== negated
      if (equal)
        return bothNullable || (asValue && nullable) ? sql`${l} is not distinct from ${r}` : sql`${l} = ${r}`
      return nullable ? sql`${l} is distinct from ${r}` : sql`${l} <> ${r}`
    }
    if (negated) {
      if (nullable) return sql`(${l} ${raw(operators[comparison])} ${r}) is not true`
      return sql`${l} ${raw(inverse[comparison])} ${r}`
    }
    const compared = sql`${l} ${raw(operators[comparison])} ${r}`
    return asValue ? sql`((${compared}) is true)` : compared
  }

  /** A side of a comparison: columns stay as they are stored where the other side can follow. */
  private operand(value: Value, other: Value): Sql {
    if (value.kind === 'constant' && other.kind === 'column')
      return constant(value.value, storedType(other.column, other.type))
    if (value.kind === 'column') {
      if (other.kind === 'constant') return this.stored(value)
      if (other.kind === 'column') {
        const same = storedType(value.column, value.type) === storedType(other.column, other.type)
        if (same) return this.stored(value)
      }
    }
    return isWide(value) ? this.wide(value) : this.value(value)
  }

  /** A whole number, computed in 64 bits. */
  private wide(value: Value): Sql {
    if (!isWide(value)) return sql`${this.value(value)}::bigint`
    const args = value.args.map((arg) => this.wide(arg))
    return sql`(${join(args, ` ${wholeOperators[value.name]} `)})`
  }

  private behind(order: readonly OrderKey[], last: Extract<Condition, { kind: 'behind' }>['last']): Sql {
    const keys = order.map((key, index) => {
      const text = last[index] ?? null
      return {
        key,
        reference: this.stored(key.value),
        value: keyConstant(key.value, text),
        isNull: expected(text, (plain) => plain === null),
      }
    })
    let condition = raw('false')
    for (const { key, reference, value, isNull } of keys.reverse()) {
      const equal = isNull ? sql`${reference} is null` : sql`${reference} = ${value}`
      const behind = strictlyBehind(key, reference, value, isNull)
      condition = sql`(${behind} or (${equal} and ${condition}))`
    }
    // A plain bound on the first key, else an index is read from its beginning.
    const first = keys.at(-1)
    if (!first || first.isNull || (first.key.descending && first.key.value.nullable)) return condition
    const bound = sql`${first.reference} ${raw(first.key.descending ? '<=' : '>=')} ${first.value}`
    return sql`(${bound} and ${condition})`
  }
}

/** A call of one of OData's methods of aggregation. @param type of its result */
export function aggregateCall(
  method: Extract<Value, { kind: 'aggregate' }>['method'],
  value: Sql,
  type: string,
  filter = '',
): Sql {
  switch (method) {
    case 'countdistinct':
      return sql`count(distinct ${value})${raw(filter)}`
    case 'average':
      return sql`avg(${value})${raw(filter)}`
    case 'sum':
      return sql`(sum(${value})${raw(filter)})::${raw(type)}`
    default: {
      // uuid has no order of aggregates before PostgreSQL 18, but one as text.
      const text = type === 'uuid' ? '::text' : ''
      return sql`(${raw(method)}(${value}${raw(text)})${raw(filter)})::${raw(type)}`
    }
  }
}

function entityOf({ entity }: RowVariable): EntityMeta {
  if (!entity) throw new Error('Rows of no entity can only be read where they are made')
  return entity
}

/** Nulls come first in ascending order, last in descending order. */
function strictlyBehind(
  { value, descending }: OrderKey,
  reference: Sql,
  last: Sql,
  lastIsNull: boolean,
): Sql {
  if (lastIsNull) return descending ? raw('false') : sql`${reference} is not null`
  if (!descending) return sql`${reference} > ${last}`
  return value.nullable ? sql`(${reference} < ${last} or ${reference} is null)` : sql`${reference} < ${last}`
}

/** With a cast: PostgreSQL orders by no bare constant. */
function truthConstant(value: boolean): Sql {
  return raw(`${value}::boolean`)
}

function keyConstant(value: Value, text: string | null | Parameter<string | null>): Sql {
  return constant(
    text,
    value.kind === 'column' ? storedType(value.column, value.type) : computedType(value.type),
  )
}

function constant(value: ConstantValue | null | Parameter<string | null>, type: string): Sql {
  return sql`${value}::${raw(type)}`
}

const operators = { lt: '<', le: '<=', gt: '>', ge: '>=', eq: '=', ne: '<>' } as const
const inverse = { lt: '>=', le: '>', gt: '<=', ge: '<', eq: '<>', ne: '=' } as const

/** The keys of an order as SQL: `nulls` is only said of what may be null, else it keeps indexes from serving. */
export function orderSql(order: readonly OrderKey[], write: (value: Value) => Sql): Sql {
  return join(
    order.map(({ value, descending }) => {
      const nulls = value.nullable ? (descending ? ' nulls last' : ' nulls first') : ''
      return sql`${write(value)}${raw(`${descending ? ' desc' : ''}${nulls}`)}`
    }),
    ', ',
  )
}
