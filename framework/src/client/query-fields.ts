import { unwrap, wireKind, type z } from '../contracts/index.js'
import { pascalCase } from '../contracts/routes.js'

/** A condition on rows, as `$filter` writes it. */
export class Condition {
  constructor(
    /** In OData's language. */
    readonly text: string,
  ) {}

  and(other: Condition): Condition {
    return new Condition(`(${this.text} and ${other.text})`)
  }

  or(other: Condition): Condition {
    return new Condition(`(${this.text} or ${other.text})`)
  }

  not(): Condition {
    return new Condition(`not (${this.text})`)
  }
}

/** The comparisons of every type. A value that is absent equals null. */
export interface Comparable<V> {
  eq(value: V | null): Condition
  ne(value: V | null): Condition
  /** True when it is one of these. */
  in(values: readonly V[]): Condition
}

/** A value that comes before and after others. */
export interface Ordered<V> extends Comparable<V> {
  gt(value: V): Condition
  ge(value: V): Condition
  lt(value: V): Condition
  le(value: V): Condition
}

/** A text, also a GUID or an exact decimal. Comparing tells upper from lower case. */
export interface TextField extends Ordered<string> {
  contains(text: string): Condition
  startsWith(text: string): Condition
  endsWith(text: string): Condition
  toLower(): TextField
  toUpper(): TextField
  trim(): TextField
  length(): Ordered<number>
}

/** A point in time; its parts are those in UTC. */
export interface InstantField extends Ordered<Date> {
  year(): Ordered<number>
  month(): Ordered<number>
  day(): Ordered<number>
  hour(): Ordered<number>
}

/** Rows that belong to this one. */
export interface CollectionField<T> {
  /** True when one of them, or with a condition one that meets it, is there. */
  any(condition?: (row: FieldsOf<T>) => Condition): Condition
  /** True when all meet the condition; true of none. */
  all(condition: (row: FieldsOf<T>) => Condition): Condition
  count(): Ordered<number>
}

type Present<V> = Exclude<V, null | undefined>

/** The type that a member of a DTO has in conditions. */
export type FieldOf<V> =
  Present<V> extends Date
    ? InstantField
    : Present<V> extends readonly (infer E)[]
      ? CollectionField<E>
      : Present<V> extends string
        ? TextField
        : Present<V> extends boolean
          ? Comparable<boolean>
          : Present<V> extends number
            ? Ordered<Present<V>>
            : Present<V> extends object
              ? FieldsOf<Present<V>>
              : never

/** The members of a DTO in a condition: values, and what is related to it. */
export type FieldsOf<T> = { readonly [K in keyof T]-?: FieldOf<T[K]> }

/** The members of `schema` for conditions; `prefix` is the path to them. */
export function fieldsFor<T>(schema: z.ZodObject, prefix: string): FieldsOf<T> {
  return new Proxy({} as Record<string, unknown>, {
    get: (_target, name) => {
      const member = typeof name === 'string' ? schema.shape[name] : undefined
      if (!member)
        throw new TypeError(
          `${String(name)} is no member to ask for; there are ${Object.keys(schema.shape).join(', ')}`,
        )
      return fieldFor(member as z.ZodType, `${prefix}${pascalCase(name as string)}`)
    },
  }) as unknown as FieldsOf<T>
}

function fieldFor(schema: z.ZodType, path: string): unknown {
  const bare = unwrap(schema)
  const { type, element } = bare._zod.def as { type: string; element?: z.ZodType }
  if (type === 'array' && element) return new Rows(unwrap(element) as z.ZodObject, path)
  return type === 'object' ? fieldsFor(bare as z.ZodObject, `${path}/`) : new Value(path, bare)
}

class Rows {
  constructor(
    private readonly schema: z.ZodObject,
    private readonly path: string,
  ) {}

  any(condition?: (row: FieldsOf<unknown>) => Condition): Condition {
    return condition ? this.lambda('any', condition) : new Condition(`${this.path}/any()`)
  }

  all(condition: (row: FieldsOf<unknown>) => Condition): Condition {
    return this.lambda('all', condition)
  }

  count(): Value {
    return new Value(`${this.path}/$count`)
  }

  private lambda(operator: string, condition: (row: FieldsOf<unknown>) => Condition): Condition {
    // Inside of each other they need names of their own.
    const variable = `r${this.path.split('/').length}`
    return new Condition(
      `${this.path}/${operator}(${variable}:${condition(fieldsFor(this.schema, `${variable}/`)).text})`,
    )
  }
}

class Value {
  constructor(
    private readonly text: string,
    private readonly schema?: z.ZodType,
  ) {}

  eq(value: unknown): Condition {
    return this.compare('eq', value)
  }
  ne(value: unknown): Condition {
    return this.compare('ne', value)
  }
  gt(value: unknown): Condition {
    return this.compare('gt', value)
  }
  ge(value: unknown): Condition {
    return this.compare('ge', value)
  }
  lt(value: unknown): Condition {
    return this.compare('lt', value)
  }
  le(value: unknown): Condition {
    return this.compare('le', value)
  }
  in(values: readonly unknown[]): Condition {
    return new Condition(
      `${this.text} in (${values.map((value) => literalOf(value, this.schema)).join(',')})`,
    )
  }
  contains(text: string): Condition {
    return this.test('contains', text)
  }
  startsWith(text: string): Condition {
    return this.test('startswith', text)
  }
  endsWith(text: string): Condition {
    return this.test('endswith', text)
  }
  toLower(): Value {
    return this.call('tolower', this.schema)
  }
  toUpper(): Value {
    return this.call('toupper', this.schema)
  }
  trim(): Value {
    return this.call('trim', this.schema)
  }
  length(): Value {
    return this.call('length')
  }
  year(): Value {
    return this.call('year')
  }
  month(): Value {
    return this.call('month')
  }
  day(): Value {
    return this.call('day')
  }
  hour(): Value {
    return this.call('hour')
  }

  /** As `$orderby` takes it. */
  toString(): string {
    return this.text
  }

  private compare(operator: string, value: unknown): Condition {
    return new Condition(`${this.text} ${operator} ${literalOf(value, this.schema)}`)
  }

  private test(name: string, text: string): Condition {
    return new Condition(`${name}(${this.text},${quoted(text)})`)
  }

  private call(name: string, schema?: z.ZodType): Value {
    return new Value(`${name}(${this.text})`, schema)
  }
}

/** A value as OData's language writes it; enumerations by the names of their members. */
function literalOf(value: unknown, schema: z.ZodType | undefined): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'boolean') return String(value)
  const kind = schema && wireKind(schema)
  if (kind?.kind === 'enum') {
    const name = Object.entries(kind.members).find(([, number]) => number === value)?.[0]
    if (name === undefined) throw new TypeError(`${value} is no member of ${kind.name}`)
    return quoted(name)
  }
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : nonFinite(value)
  const text = String(value)
  const isBare =
    (kind?.kind === 'decimal' && /^-?\d+(\.\d+)?$/.test(text)) ||
    (kind?.kind === 'date' && /^\d{4}-\d\d-\d\d$/.test(text)) ||
    (isGuid(schema) && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text))
  return isBare ? text : quoted(text)
}

function nonFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? 'INF' : '-INF'
}

function isGuid(schema: z.ZodType | undefined): boolean {
  return (schema?._zod.def as { format?: string } | undefined)?.format === 'guid'
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
