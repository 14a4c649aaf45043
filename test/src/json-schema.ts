import type { Schema } from './open-api.js'

/** What keeps a value from matching a schema, each with its path; empty when it matches. */
export function mismatches(
  value: unknown,
  schema: Schema,
  components: Readonly<Record<string, Schema>>,
  path = '$',
): string[] {
  return Object.entries(schema).flatMap(([keyword, argument]) => {
    const rule = rules[keyword]
    if (rule)
      return rule({
        value,
        argument,
        schema,
        path,
        check: (inner, of, at) => mismatches(inner, of, components, at),
        components,
      })
    return keyword.startsWith('x-') || annotations.has(keyword)
      ? []
      : [`${path}: ${keyword} is a keyword this checker does not know`]
  })
}

/** Keywords that say nothing about a value. */
const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
])

interface Case {
  readonly value: unknown
  readonly argument: unknown
  readonly schema: Schema
  readonly path: string
  readonly check: (value: unknown, schema: Schema, path: string) => string[]
  readonly components: Readonly<Record<string, Schema>>
}

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
}

/** A rule about texts, numbers or lists that says nothing about other values. */
const bound =
  (kind: string, holds: (value: never, argument: never) => boolean) =>
  ({ value, argument, path }: Case): string[] =>
    !types[kind]?.(value) || holds(value as never, argument as never)
      ? []
      : [`${path}: ${JSON.stringify(value)} is not within ${String(argument)}`]

const rules: Readonly<Record<string, (of: Case) => string[]>> = {
  $ref: ({ value, argument, path, check, components }) => {
    const name = String(argument).replace('#/components/schemas/', '')
    const schema = components[name]
    return schema ? check(value, schema, path) : [`${path}: there is no schema ${name}`]
  },
  type: ({ value, argument, path }) =>
    [argument].flat().some((type) => types[String(type)]?.(value))
      ? []
      : [`${path}: ${JSON.stringify(value)} is no ${String(argument)}`],
  enum: ({ value, argument, path }) =>
    (argument as unknown[]).includes(value)
      ? []
      : [`${path}: ${JSON.stringify(value)} is none of the values`],
  const: ({ value, argument, path }) =>
    value === argument ? [] : [`${path}: ${JSON.stringify(value)} is not ${String(argument)}`],
  anyOf: ({ value, argument, path, check }) => {
    const tries = (argument as Schema[]).map((schema) => check(value, schema, path))
    return tries.some((faults) => faults.length === 0) ? [] : tries.flat()
  },
  allOf: ({ value, argument, path, check }) =>
    (argument as Schema[]).flatMap((schema) => check(value, schema, path)),
  properties: ({ value, argument, path, check }) =>
    !isObject(value)
      ? []
      : Object.entries(argument as Record<string, Schema>).flatMap(([name, schema]) =>
          name in value ? check(value[name], schema, `${path}.${name}`) : [],
        ),
  required: ({ value, argument, path }) =>
    !isObject(value)
      ? []
      : (argument as string[]).filter((name) => !(name in value)).map((name) => `${path}.${name} is missing`),
  additionalProperties: ({ value, argument, schema, path, check }) => {
    if (!isObject(value)) return []
    const known = Object.keys((schema.properties as object | undefined) ?? {})
    const others = Object.keys(value).filter((name) => !known.includes(name))
    if (argument === true) return []
    if (argument === false) return others.map((name) => `${path}.${name} is not declared`)
    return others.flatMap((name) => check(value[name], argument as Schema, `${path}.${name}`))
  },
  propertyNames: ({ value, argument, path, check }) =>
    !isObject(value)
      ? []
      : Object.keys(value).flatMap((name) => check(name, argument as Schema, `${path}.${name}`)),
  items: ({ value, argument, path, check }) =>
    !Array.isArray(value)
      ? []
      : value.flatMap((item, index) => check(item, argument as Schema, `${path}[${index}]`)),
  format: ({ value, argument, path }) => {
    const format = formats[String(argument)]
    if (!format) return [`${path}: ${String(argument)} is a format this checker does not know`]
    return typeof value !== 'string' || format.test(value)
      ? []
      : [`${path}: ${value} is no ${String(argument)}`]
  },
  pattern: bound('string', (value: string, pattern: string) => new RegExp(pattern, 'u').test(value)),
  minLength: bound('string', (value: string, length: number) => [...value].length >= length),
  maxLength: bound('string', (value: string, length: number) => [...value].length <= length),
  minimum: bound('number', (value: number, limit: number) => value >= limit),
  maximum: bound('number', (value: number, limit: number) => value <= limit),
  exclusiveMinimum: bound('number', (value: number, limit: number) => value > limit),
  minItems: bound('array', (value: unknown[], count: number) => value.length >= count),
  maxItems: bound('array', (value: unknown[], count: number) => value.length <= count),
}
