import type { AnyDto, z } from '../contracts/index.js'
import { pascalCase } from '../contracts/routes.js'
import type { RelatedKey, ValueKey } from './query.js'
import { type Condition, type FieldsOf, fieldsFor } from './query-fields.js'

type Present<V> = Exclude<V, null | undefined>

/** The members of a DTO that can be summed up: numbers, and decimals, which are texts in code. */
export type SummableKey<T> = {
  [K in ValueKey<T>]: Present<T[K]> extends number | string ? K : never
}[ValueKey<T>]

/** A sum or an average: exact decimals stay texts. Null where no row has a value. */
export type Summed<V> = (Present<V> extends string ? string : number) | null

/**
 * Groups of rows with what is calculated of them (`$apply`): `T` is what the DTO has, `R` what the answer's rows have.
 * Never changed, only made anew.
 */
export interface Groups<T, R> {
  /** Of which rows groups are made; several calls must all be met. */
  filter(condition: (row: FieldsOf<T>) => Condition): Groups<T, R>
  /** One group for each combination of these values; without any all rows are one group. */
  by<K extends Exclude<ValueKey<T>, RelatedKey<T>>>(...keys: readonly K[]): Groups<T, R & Pick<T, K>>
  /** The number of rows. @param as the member of the answer */
  count<const A extends string>(as: A): Groups<T, R & { [P in A]: number }>
  /** The number of different values. */
  countDistinct<const A extends string>(key: ValueKey<T>, as: A): Groups<T, R & { [P in A]: number }>
  sum<K extends SummableKey<T>, const A extends string>(
    key: K,
    as: A,
  ): Groups<T, R & { [P in A]: Summed<T[K]> }>
  average<K extends SummableKey<T>, const A extends string>(
    key: K,
    as: A,
  ): Groups<T, R & { [P in A]: Summed<T[K]> }>
  min<K extends ValueKey<T>, const A extends string>(
    key: K,
    as: A,
  ): Groups<T, R & { [P in A]: Present<T[K]> | null }>
  max<K extends ValueKey<T>, const A extends string>(
    key: K,
    as: A,
  ): Groups<T, R & { [P in A]: Present<T[K]> | null }>
  /** The order of the groups, by a member of the answer; several calls order within each other. */
  orderBy(member: keyof R & string, direction?: 'asc' | 'desc'): Groups<T, R>
  top(count: number): Groups<T, R>
}

/** An aggregate: how its value is read. */
interface Aggregate {
  readonly text: string
  readonly as: string
  /** The schema of the value; undefined for counts. */
  readonly schema: z.ZodType | undefined
}

/** The state of {@link Groups}. */
export interface GroupState {
  readonly schema: z.ZodObject
  readonly filters: readonly string[]
  readonly keys: readonly string[]
  readonly aggregates: readonly Aggregate[]
  readonly orderBy: readonly string[]
  readonly top?: number
}

/** Holds what was asked for. */
export class GroupBuilder {
  constructor(readonly state: GroupState) {}

  /** All rows of a DTO as one group. */
  static of({ schema }: AnyDto): GroupBuilder {
    return new GroupBuilder({ schema, filters: [], keys: [], aggregates: [], orderBy: [] })
  }

  filter(condition: (row: FieldsOf<unknown>) => Condition): GroupBuilder {
    const { text } = condition(fieldsFor(this.state.schema, ''))
    return this.with({ filters: [...this.state.filters, text] })
  }

  by(...keys: readonly string[]): GroupBuilder {
    for (const key of keys) this.schemaOf(key)
    return this.with({ keys: [...new Set([...this.state.keys, ...keys])] })
  }

  count(as: string): GroupBuilder {
    return this.add('$count', as, undefined)
  }

  countDistinct(key: string, as: string): GroupBuilder {
    this.schemaOf(key)
    return this.add(`${pascalCase(key)} with countdistinct`, as, undefined)
  }

  sum(key: string, as: string): GroupBuilder {
    return this.add(`${pascalCase(key)} with sum`, as, this.schemaOf(key))
  }

  average(key: string, as: string): GroupBuilder {
    return this.add(`${pascalCase(key)} with average`, as, this.schemaOf(key))
  }

  min(key: string, as: string): GroupBuilder {
    return this.add(`${pascalCase(key)} with min`, as, this.schemaOf(key))
  }

  max(key: string, as: string): GroupBuilder {
    return this.add(`${pascalCase(key)} with max`, as, this.schemaOf(key))
  }

  orderBy(member: string, direction: 'asc' | 'desc' = 'asc'): GroupBuilder {
    const { keys, aggregates, orderBy } = this.state
    if (!keys.includes(member) && !aggregates.some(({ as }) => as === member))
      throw new TypeError(`${member} is no member of the groups`)
    const text = `${pascalCase(member)}${direction === 'desc' ? ' desc' : ''}`
    return this.with({ orderBy: [...orderBy, text] })
  }

  top(top: number): GroupBuilder {
    return this.with({ top })
  }

  private add(what: string, as: string, schema: z.ZodType | undefined): GroupBuilder {
    // The name becomes a part of the query.
    if (!/^[a-z][A-Za-z\d]*$/.test(as))
      throw new TypeError(`${as} is no name for a member: letters and digits, the first a small letter`)
    if (Object.hasOwn(this.state.schema.shape, as) || this.state.aggregates.some((one) => one.as === as))
      throw new TypeError(`${as} is the name of another member`)
    const text = `${what} as ${pascalCase(as)}`
    return this.with({ aggregates: [...this.state.aggregates, { text, as, schema }] })
  }

  private schemaOf(key: string): z.ZodType {
    const { shape } = this.state.schema
    if (!Object.hasOwn(shape, key))
      throw new TypeError(`${key} is no member; there are ${Object.keys(shape).join(', ')}`)
    return shape[key] as z.ZodType
  }

  private with(more: Partial<GroupState>): GroupBuilder {
    return new GroupBuilder({ ...this.state, ...more })
  }
}

/** The query options that ask for groups, in OData's language, not encoded. */
export function groupOptions({
  filters,
  keys,
  aggregates,
  orderBy,
  top,
}: GroupState): (readonly [name: string, value: string])[] {
  const aggregate = aggregates.length ? `aggregate(${aggregates.map(({ text }) => text).join(',')})` : ''
  if (!keys.length && !aggregate)
    throw new TypeError('Groups need a value to group by, or something to calculate')
  const grouped = keys.length
    ? `groupby((${keys.map(pascalCase).join(',')})${aggregate && `,${aggregate}`})`
    : aggregate
  const filter = filters.length > 1 ? filters.map((text) => `(${text})`).join(' and ') : filters[0]
  const options: (readonly [string, string | undefined])[] = [
    ['$apply', filter === undefined ? grouped : `filter(${filter})/${grouped}`],
    ['$orderby', orderBy.join(',') || undefined],
    ['$top', top?.toString()],
  ]
  return options.filter((option): option is readonly [string, string] => option[1] !== undefined)
}
