import type { AnyDto, WireKind } from '../../contracts/index.js'
import type { ContractTexts } from '../../modularity/contract-texts.js'
import { exampleValue, type Tsdoc, wholeText } from '../../modularity/tsdoc.js'

type Json = Record<string, unknown>

/** A DTO's schema with the TSDoc of the class and of its members. */
export function describeDto(json: Json, dto: AnyDto, texts: ContractTexts): Json {
  const properties = Object.entries((json.properties ?? {}) as Record<string, Json>).map(
    ([name, schema]) => [name, describeMember(schema, texts.ofMember(dto, name))] as const,
  )
  const described = describeMember(json, texts.ofDto(dto))
  return json.properties ? { ...described, properties: Object.fromEntries(properties) } : described
}

/** A schema with what its author says of it: what the contract says by `.meta({ … })` wins over TSDoc. */
export function describeMember(json: Json, doc: Tsdoc | undefined): Json {
  if (!doc) return json
  const isText = typesOf(json).includes('string')
  const examples = doc.examples
    .map((example) => exampleValue(example, isText))
    .filter((value) => value !== undefined)
  const text = wholeText(doc)
  const isEnumeration = 'enum' in json
  const description = isEnumeration ? [text, json.description].filter(Boolean).join(' ') : json.description
  return {
    ...json,
    ...(text && { description: description ?? text }),
    ...(examples.length && !json.examples && { examples }),
    ...(doc.deprecated !== undefined && { deprecated: true }),
  }
}

/** The types that a schema takes, in its choices too. */
function typesOf({ type, anyOf }: Json): unknown[] {
  return [type, ...((anyOf ?? []) as Json[]).map((option) => option.type)].flat()
}

/** The meanings of an enumeration's members, as one text and, for generators, as a list. */
export function describeEnumeration(
  kind: Extract<WireKind, { kind: 'enum' | 'enumName' }>,
  texts: ContractTexts | undefined,
): Json {
  const found = texts?.ofEnumeration(kind.name)
  const told = Object.entries(kind.members).map(([name, value]) => {
    const doc = found?.members.get(name)
    const code = kind.kind === 'enum' ? `${value} ${name}` : name
    return { code, text: doc ? wholeText(doc) : '' }
  })
  const isTold = told.some(({ text }) => text)
  const options = told
    .map(({ code, text }) => (text ? `${code} (${text.replace(/\.$/, '')})` : code))
    .join(', ')
  const subject = found?.doc
    ? `${kind.name}, ${found.doc.summary.charAt(0).toLowerCase()}${found.doc.summary.slice(1)}`
    : kind.name
  return {
    description: kind.kind === 'enum' || isTold ? `${subject}: ${options}` : subject,
    ...(isTold && { 'x-enum-descriptions': told.map(({ text }) => text) }),
  }
}
