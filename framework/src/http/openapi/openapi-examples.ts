type Json = Readonly<Record<string, unknown>>

const someId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const formats: Readonly<Record<string, string>> = {
  uuid: someId,
  'date-time': '2026-11-21T14:00:00Z',
  date: '2026-11-21',
  email: 'someone@example.com',
  uri: 'https://example.com',
}

/**
 * Makes examples of JSON Schemas: what the author gave (`.meta({ examples: [...] })`), else values made from
 * the schema, the same each time.
 * @param components the schemas that references name
 */
export function exampleMaker(components: Json): (schema: Json) => unknown {
  return (schema) => exampleOf(schema, '', [])

  /** @param name of the member, which a text is made of @param inside the references on the way here */
  function exampleOf(schema: Json, name: string, inside: readonly string[]): unknown {
    const { $ref, examples, anyOf, enum: values } = schema as SchemaParts
    if (examples?.length) return examples[0]
    if ($ref) return ofReference($ref, name, inside)
    if ('const' in schema) return schema.const
    if (values) return values[0]
    if (schema.default !== undefined && schema.default !== null) return schema.default
    const option = anyOf?.find(({ type }) => type !== 'null')
    if (option) return exampleOf(option, name, inside)
    switch ([schema.type].flat().find((type) => type !== 'null')) {
      case 'object':
        return ofObject(schema as SchemaParts, inside)
      case 'array':
        return ofList(schema as SchemaParts, name, inside)
      case 'string':
        return textOf(schema, name)
      case 'integer':
      case 'number':
        return numberOf(schema)
      case 'boolean':
        return true
      default:
        return null
    }
  }

  function ofReference(reference: string, name: string, inside: readonly string[]): unknown {
    const component = reference.split('/').at(-1) ?? ''
    return exampleOf((components[component] ?? {}) as Json, name, [...inside, component])
  }

  function ofObject({ properties, additionalProperties }: SchemaParts, inside: readonly string[]): unknown {
    if (properties)
      return Object.fromEntries(
        Object.entries(properties).flatMap(([name, schema]) => {
          if (!isEndless(schema, inside)) return [[name, exampleOf(schema, name, inside)]]
          return isNullable(schema) ? [[name, null]] : []
        }),
      )
    const hasValues = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
    return hasValues ? { name: exampleOf(additionalProperties, 'value', inside) } : {}
  }

  function ofList(
    { items = {}, minItems = 1 }: SchemaParts,
    name: string,
    inside: readonly string[],
  ): unknown {
    if (isEndless(items, inside)) return []
    return Array.from({ length: Math.max(1, minItems) }, () => exampleOf(items, name, inside))
  }

  /** True when an example would hold an example of the same schema inside itself. */
  function isEndless({ $ref, anyOf = [] }: SchemaParts, inside: readonly string[]): boolean {
    if ($ref) return inside.includes($ref.split('/').at(-1) ?? '')
    return anyOf.some((option) => isEndless(option as SchemaParts, inside))
  }
}

const isNullable = ({ anyOf = [] }: SchemaParts): boolean => anyOf.some(({ type }) => type === 'null')

interface SchemaParts {
  readonly $ref?: string
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly Json[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Json>>
  readonly additionalProperties?: Json | boolean
  readonly items?: Json
  readonly minItems?: number
}

function numberOf(schema: Json): number {
  const { minimum, maximum, exclusiveMinimum } = schema as { [bound: string]: number | undefined }
  const least = Math.max(minimum ?? 1, exclusiveMinimum === undefined ? 1 : Math.floor(exclusiveMinimum) + 1)
  return Math.min(least, maximum ?? least)
}

/**
 * A text of the length that is allowed: its format's, one that its pattern knows, else the member's name in
 * words.
 */
function textOf(schema: Json, name: string): string {
  const { format, pattern, minLength = 0, maxLength = 100 } = schema as TextSchema
  const known = format && formats[format]
  if (known) return known
  const words = name.replace(/([a-z\d])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`)
  const text = (words.charAt(0).toUpperCase() + words.slice(1) || 'Text')
    .slice(0, maxLength)
    .padEnd(minLength, 'x')
  if (!pattern) return text
  const expression = new RegExp(pattern, 'u')
  const candidates = [text, text.toUpperCase(), text.toLowerCase(), ...common]
  return (
    candidates.find((one) => expression.test(one) && one.length >= minLength && one.length <= maxLength) ??
    text
  )
}

interface TextSchema {
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
}

/** Texts that common patterns allow: codes of so many letters or digits, and a few more. */
const common = [
  ...Array.from({ length: 12 }, (_, index) => 'ABCDEFGHIJKL'.slice(0, index + 1)),
  ...Array.from({ length: 12 }, (_, index) => '123456789012'.slice(0, index + 1)),
  ...['name', 'Name', 'A1', 'a1', '#336699', '2026-11-21 14:00:00', '/path'],
]
