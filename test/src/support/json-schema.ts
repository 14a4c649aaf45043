import type { Schema } from './open-api.js'

/** Tells what keeps a value from matching a schema, each with its path; nothing when it matches. */
export type Check = (value: unknown, path: string) => string[]

/**
 * The schemas of a document as checks, each compiled once. An object may have the members that are declared and no others, unless its schema
 * says of what kind the others are.
 */
export class SchemaChecks {
  private readonly compiled = new WeakMap<Schema, Check>()

  constructor(private readonly components: Readonly<Record<string, Schema>>) {}

  /** What keeps a value from matching a schema. */
  mismatches(value: unknown, schema: Schema, path = '$'): string[] {
    return this.of(schema)(value, path)
  }

  private readonly of = (schema: Schema): Check => {
    const known = this.compiled.get(schema)
    if (known) return known
    // A schema may contain itself: what is inside asks for this entry while it is being made.
    let made: Check = () => []
    this.compiled.set(schema, (value, path) => made(value, path))
    made = this.compile(schema)
    this.compiled.set(schema, made)
    return made
  }

  private compile(schema: Schema): Check {
    const checks = Object.entries(schema).flatMap(([keyword, argument]) => {
      const rule = rules[keyword]
      if (rule) return [rule({ argument, schema, components: this.components, of: this.of })]
      return keyword.startsWith('x-') || annotations.has(keyword)
        ? []
        : [(_: unknown, path: string) => [`${path}: ${keyword} is a keyword this checker does not know`]]
    })
    if (schema.properties && schema.additionalProperties === undefined) checks.push(noOthers(schema))
    const [only] = checks
    if (only && checks.length === 1) return only
    return (value, path) => {
      let faults: string[] = []
      for (const check of checks) {
        const found = check(value, path)
        if (found.length) faults = faults.concat(found)
      }
      return faults
    }
  }
}

/** Keywords that say nothing about a value. */
const annotations = new Set([
  'title',
  'description',
  'default',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
])

interface Keyword {
  readonly argument: unknown
  readonly schema: Schema
  readonly components: Readonly<Record<string, Schema>>
  /** The check of a schema inside. */
  readonly of: (schema: Schema) => Check
}

const none: string[] = []
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: isObject,
  null: (value) => value === null,
}

const formats: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
  email: /^[^@\s]+@[^@\s]+$/,
  uri: /^[a-z][a-z\d+.-]*:/i,
  'uri-reference': /^\S*$/,
}

/** A check of one whole fact. */
const holds =
  (isSo: (value: unknown) => boolean, otherwise: (value: unknown) => string): Check =>
  (value, path) =>
    isSo(value) ? none : [`${path}: ${otherwise(value)}`]

/** A rule about texts, numbers or lists that says nothing about other values. */
const bound =
  (kind: string, make: (argument: never) => (value: never) => boolean) =>
  ({ argument }: Keyword): Check => {
    const isWithin = make(argument as never)
    return holds(
      (value) => !types[kind]?.(value) || isWithin(value as never),
      (value) => `${JSON.stringify(value)} is not within ${String(argument)}`,
    )
  }

function noOthers(schema: Schema): Check {
  const declared = new Set(Object.keys(schema.properties as object))
  return (value, path) =>
    isObject(value)
      ? Object.keys(value)
          .filter((name) => !declared.has(name))
          .map((name) => `${path}.${name} is not declared`)
      : none
}

const rules: Readonly<Record<string, (keyword: Keyword) => Check>> = {
  $ref: ({ argument, components, of }) => {
    const name = String(argument).replace('#/components/schemas/', '')
    const schema = components[name]
    return schema ? of(schema) : (_, path) => [`${path}: there is no schema ${name}`]
  },
  type: ({ argument }) => {
    const allowed = [argument].flat().map((type) => types[String(type)])
    return holds(
      (value) => allowed.some((isOfType) => isOfType?.(value)),
      (value) => `${JSON.stringify(value)} is no ${String(argument)}`,
    )
  },
  enum: ({ argument }) =>
    holds(
      (value) => (argument as unknown[]).includes(value),
      (value) => `${JSON.stringify(value)} is none of the values`,
    ),
  const: ({ argument }) =>
    holds(
      (value) => value === argument,
      (value) => `${JSON.stringify(value)} is not ${String(argument)}`,
    ),
  anyOf: ({ argument, of }) => {
    const options = (argument as Schema[]).map(of)
    return (value, path) => {
      const tries: string[][] = []
      for (const option of options) {
        const faults = option(value, path)
        if (faults.length === 0) return none
        tries.push(faults)
      }
      return tries.flat()
    }
  },
  allOf: ({ argument, of }) => {
    const all = (argument as Schema[]).map(of)
    return (value, path) => all.flatMap((check) => check(value, path))
  },
  properties: ({ argument, of }) => {
    const members = Object.entries(argument as Record<string, Schema>).map(
      ([name, schema]) => [name, of(schema)] as const,
    )
    return (value, path) =>
      isObject(value)
        ? members.flatMap(([name, check]) => (name in value ? check(value[name], `${path}.${name}`) : none))
        : none
  },
  required:
    ({ argument }) =>
    (value, path) =>
      isObject(value)
        ? (argument as string[])
            .filter((name) => !(name in value))
            .map((name) => `${path}.${name} is missing`)
        : none,
  additionalProperties: ({ argument, schema, of }) => {
    if (argument === true) return () => none
    if (argument === false) return noOthers({ properties: {}, ...schema })
    const declared = new Set(Object.keys((schema.properties as object | undefined) ?? {}))
    const check = of(argument as Schema)
    return (value, path) =>
      isObject(value)
        ? Object.entries(value).flatMap(([name, member]) =>
            declared.has(name) ? none : check(member, `${path}.${name}`),
          )
        : none
  },
  propertyNames: ({ argument, of }) => {
    const check = of(argument as Schema)
    return (value, path) =>
      isObject(value) ? Object.keys(value).flatMap((name) => check(name, `${path}.${name}`)) : none
  },
  items: ({ argument, of }) => {
    const check = of(argument as Schema)
    return (value, path) =>
      Array.isArray(value) ? value.flatMap((item, index) => check(item, `${path}[${index}]`)) : none
  },
  format: ({ argument }) => {
    const format = formats[String(argument)]
    if (!format) return (_, path) => [`${path}: ${String(argument)} is a format this checker does not know`]
    return holds(
      (value) => typeof value !== 'string' || format.test(value),
      (value) => `${String(value)} is no ${String(argument)}`,
    )
  },
  pattern: bound('string', (pattern: string) => {
    const expression = new RegExp(pattern, 'u')
    return (value: string) => expression.test(value)
  }),
  minLength: bound('string', (length: number) => (value: string) => [...value].length >= length),
  maxLength: bound('string', (length: number) => (value: string) => [...value].length <= length),
  minimum: bound('number', (limit: number) => (value: number) => value >= limit),
  maximum: bound('number', (limit: number) => (value: number) => value <= limit),
  exclusiveMinimum: bound('number', (limit: number) => (value: number) => value > limit),
  minItems: bound('array', (count: number) => (value: unknown[]) => value.length >= count),
  maxItems: bound('array', (count: number) => (value: unknown[]) => value.length <= count),
}
