import { type AnyDto, unwrap, type z } from '../contracts/index.js'
import { pascalCase } from '../contracts/routes.js'
import { type Condition, type FieldsOf, fieldsFor } from './query-fields.js'

type Present<V> = Exclude<V, null | undefined>

/** The members that are related rows: to one, or a list of them. */
export type RelatedKey<T> = {
  [K in keyof T]-?: Present<T[K]> extends Date
    ? never
    : Present<T[K]> extends readonly (infer E)[]
      ? E extends object
        ? K
        : never
      : Present<T[K]> extends object
        ? K
        : never
}[keyof T] &
  string

/** The members that are values of the row itself. */
export type ValueKey<T> = Exclude<keyof T, RelatedKey<T>> & string

/** The row type of a related member: its elements when it is a list. */
export type RelatedRow<V> = Present<V> extends readonly (infer E)[] ? E : Present<V>

/** The type of an expanded member: a list, or one row or null. */
export type Related<V, R> = Present<V> extends readonly unknown[] ? R[] : R | null

/** Which rows are asked for, and how much of each: `T` is what the DTO has, `R` what the answer's rows have. Never changed, only made anew. */
export interface Query<T, R> {
  /** Rows that meet the condition; several calls must all be met. */
  filter(condition: (row: FieldsOf<T>) => Condition): Query<T, R>
  /** Rows in which the words are found, as `$search` has it: `"new york" AND NOT air`. */
  search(words: string): Query<T, R>
  /** Only these values. */
  select<K extends ValueKey<T>>(
    ...keys: readonly K[]
  ): Query<T, Pick<T, K> & Pick<R, Extract<RelatedKey<T>, keyof R>>>
  /** Related rows too, as far as the caller may see them. */
  expand<K extends RelatedKey<T>, E = ValuesOf<RelatedRow<T[K]>>>(
    key: K,
    build?: (related: Query<RelatedRow<T[K]>, ValuesOf<RelatedRow<T[K]>>>) => Query<RelatedRow<T[K]>, E>,
  ): Query<T, R & { [P in K]: Related<T[K], E> }>
  /** The order; several calls order within each other. Rows without a value come first. */
  orderBy(by: ValueKey<T> | ((row: FieldsOf<T>) => unknown), direction?: 'asc' | 'desc'): Query<T, R>
  top(count: number): Query<T, R>
  skip(count: number): Query<T, R>
  /** How many rows there are beside this page. */
  count(): Query<T, R>
  /** How often each value of the set's facet fields occurs. */
  facets(): Query<T, R>
}

/** A row as it comes without anything related. */
export type ValuesOf<T> = { [K in ValueKey<T>]: T[K] }

/** The options that a {@link Query} has collected. */
export interface QueryState {
  readonly schema: z.ZodObject
  readonly filters: readonly string[]
  readonly search?: string
  readonly select?: readonly string[]
  readonly expand: readonly { readonly key: string; readonly options: string }[]
  readonly orderBy: readonly string[]
  readonly top?: number
  readonly skip?: number
  readonly count?: boolean
  readonly facets?: boolean
}

/** Holds what was asked for. */
export class QueryBuilder {
  constructor(readonly state: QueryState) {}

  /** Everything of a DTO. */
  static of(dto: AnyDto): QueryBuilder {
    return new QueryBuilder({ schema: dto.schema, filters: [], expand: [], orderBy: [] })
  }

  filter(condition: (row: FieldsOf<unknown>) => Condition): QueryBuilder {
    const { text } = condition(fieldsFor(this.state.schema, ''))
    return this.with({ filters: [...this.state.filters, text] })
  }

  search(search: string): QueryBuilder {
    return this.with({ search })
  }

  select(...keys: readonly string[]): QueryBuilder {
    return this.with({ select: keys })
  }

  expand(key: string, build?: (related: QueryBuilder) => QueryBuilder): QueryBuilder {
    const related = new QueryBuilder({
      schema: relatedSchema(this.state.schema, key),
      filters: [],
      expand: [],
      orderBy: [],
    })
    const { state } = build ? build(related) : related
    const options = optionsOf(state)
      .map(([name, value]) => `${name}=${value}`)
      .join(';')
    return this.with({ expand: [...this.state.expand.filter((one) => one.key !== key), { key, options }] })
  }

  orderBy(
    by: string | ((row: FieldsOf<unknown>) => unknown),
    direction: 'asc' | 'desc' = 'asc',
  ): QueryBuilder {
    const text = typeof by === 'string' ? pascalCase(by) : String(by(fieldsFor(this.state.schema, '')))
    return this.with({ orderBy: [...this.state.orderBy, direction === 'desc' ? `${text} desc` : text] })
  }

  top(top: number): QueryBuilder {
    return this.with({ top })
  }

  skip(skip: number): QueryBuilder {
    return this.with({ skip })
  }

  count(): QueryBuilder {
    return this.with({ count: true })
  }

  facets(): QueryBuilder {
    return this.with({ facets: true })
  }

  private with(more: Partial<QueryState>): QueryBuilder {
    return new QueryBuilder({ ...this.state, ...more })
  }
}

function relatedSchema(schema: z.ZodObject, key: string): z.ZodObject {
  const member = schema.shape[key]
  if (!member) throw new TypeError(`${key} is not related; there are ${Object.keys(schema.shape).join(', ')}`)
  const bare = unwrap(member as z.ZodType)
  const { element } = bare._zod.def as { element?: z.ZodType }
  return (element ? unwrap(element) : bare) as z.ZodObject
}

/** The members of a DTO that are values, or lists of them: no rows, and no own fields, which OData publishes one by one. */
function valueKeys(schema: z.ZodObject): string[] {
  return Object.entries(schema.shape)
    .filter(([, member]) => isValue(member as z.ZodType))
    .map(([key]) => key)
}

function isValue(member: z.ZodType): boolean {
  const { type, element } = unwrap(member)._zod.def as { type: string; element?: z.ZodType }
  return element ? isValue(element) : !['object', 'record'].includes(type)
}

/** The members that an answer has: selected ones, and what is expanded. */
export function wantedKeys({ select, schema, expand }: QueryState): string[] {
  return [...(select ?? valueKeys(schema)), ...expand.map(({ key }) => key)]
}

/** The query options that ask for it, in OData's language, not encoded. What is not selected by name is what the DTO has. */
export function optionsOf(state: QueryState): (readonly [name: string, value: string])[] {
  const { filters, search, select, expand, orderBy, top, skip, count, schema } = state
  const filter = filters.length > 1 ? filters.map((text) => `(${text})`).join(' and ') : filters[0]
  const options: (readonly [string, string | undefined])[] = [
    ['$select', (select ?? valueKeys(schema)).map(pascalCase).join(',')],
    [
      '$expand',
      expand.map(({ key, options }) => pascalCase(key) + (options && `(${options})`)).join(',') || undefined,
    ],
    ['$filter', filter],
    ['$search', search],
    ['$orderby', orderBy.join(',') || undefined],
    ['$top', top?.toString()],
    ['$skip', skip?.toString()],
    ['$count', count ? 'true' : undefined],
  ]
  return options.filter((option): option is readonly [string, string] => option[1] !== undefined)
}
