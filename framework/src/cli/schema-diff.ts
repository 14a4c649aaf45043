/** A JSON Schema, as far as it is compared. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly [bound: string]: unknown
}

/** A change between two releases. */
export interface Change {
  /** Somebody who relied on the old one may fail with the new one. */
  readonly isBreaking: boolean
  /** E.g. `POST /api/hub/port body.name`. */
  readonly where: string
  readonly what: string
}

/** Two schemas and where their references lead. */
export interface SchemaPair {
  readonly before: Schema
  readonly after: Schema
  readonly schemasBefore: Readonly<Record<string, Schema>>
  readonly schemasAfter: Readonly<Record<string, Schema>>
  /** The schemas with a name that were compared before, so that each is reported once, however many others use it. */
  readonly compared?: Set<string>
}

/**
 * Changes for clients that send values of a schema (`sent`: the new one must take all that the old one took)
 * or get them (`received`: the new one must give nothing that the old one did not).
 */
export function schemaChanges(pair: SchemaPair, direction: 'sent' | 'received', where: string): Change[] {
  const changes: Change[] = []
  const compared = pair.compared ?? new Set<string>()
  compare(pair.before, pair.after, where)
  return changes

  function note(isBreaking: boolean, at: string, what: string): void {
    changes.push({ isBreaking, where: at, what })
  }

  function compare(givenBefore: Schema, givenAfter: Schema, path: string): void {
    const before = plain(givenBefore, pair.schemasBefore)
    const after = plain(givenAfter, pair.schemasAfter)
    compareNull(before, after, path)
    const name = nameOf(givenBefore) === nameOf(givenAfter) ? nameOf(givenBefore) : undefined
    const at = name ? `${direction} ${name}` : path
    if (name && compared.has(at)) return
    if (name) compared.add(at)
    if (!compareTypes(before, after, at)) return
    compareEnum(before, after, at)
    compareBounds(before, after, at)
    for (const keyword of ['format', 'pattern'] as const)
      if (before[keyword] !== after[keyword])
        note(
          direction === 'sent' ? after[keyword] !== undefined : keyword === 'format',
          at,
          `${keyword} ${shown(before[keyword])} → ${shown(after[keyword])}`,
        )
    if (before.items && after.items) compare(before.items, after.items, `${at}[]`)
    const [mapBefore, mapAfter] = [before.additionalProperties, after.additionalProperties]
    if (typeof mapBefore === 'object' && typeof mapAfter === 'object')
      compare(mapBefore, mapAfter, `${at}[*]`)
    compareMembers(before, after, at)
    if (JSON.stringify(before.anyOf) !== JSON.stringify(after.anyOf))
      note(true, at, 'takes another choice of shapes')
  }

  function compareNull(before: Plain, after: Plain, at: string): void {
    if (before.isNullable === after.isNullable) return
    if (after.isNullable) note(direction === 'received', at, 'may be null now')
    else note(direction === 'sent', at, 'may no longer be null')
  }

  function compareTypes(before: Plain, after: Plain, at: string): boolean {
    const [wide, narrow] = direction === 'sent' ? [after.types, before.types] : [before.types, after.types]
    const fits =
      wide.length === 0 ||
      (narrow.length > 0 &&
        narrow.every((type) => wide.includes(type) || (type === 'integer' && wide.includes('number'))))
    if (before.types.join() === after.types.join()) return true
    note(!fits, at, `type ${before.types.join('|') || 'any'} → ${after.types.join('|') || 'any'}`)
    return fits
  }

  function compareEnum({ enum: before }: Plain, { enum: after }: Plain, at: string): void {
    if (JSON.stringify(before) === JSON.stringify(after)) return
    if (!before || !after) {
      const isNarrower = after !== undefined
      const what = isNarrower ? 'takes a list of values only now' : 'takes more than a list of values now'
      note(isNarrower === (direction === 'sent'), at, what)
      return
    }
    const gone = before.filter((value) => !after.includes(value))
    const added = after.filter((value) => !before.includes(value))
    if (gone.length) note(direction === 'sent', at, `loses the values ${gone.map(shown).join(', ')}`)
    if (added.length) note(false, at, `gets the values ${added.map(shown).join(', ')}`)
  }

  function compareBounds(before: Plain, after: Plain, at: string): void {
    for (const [keyword, isUpper] of bounds) {
      const [old, now] = [before[keyword] as number | undefined, after[keyword] as number | undefined]
      if (old === now) continue
      const isTighter = now !== undefined && (old === undefined || (isUpper ? now < old : now > old))
      note(isTighter && direction === 'sent', at, `${keyword} ${shown(old)} → ${shown(now)}`)
    }
  }

  function compareMembers(before: Plain, after: Plain, at: string): void {
    const [old, now] = [before.properties ?? {}, after.properties ?? {}]
    for (const [name, schema] of Object.entries(old)) {
      const there = now[name]
      const path = `${at}.${name}`
      if (!there) {
        note(true, path, direction === 'sent' ? 'is no longer read' : 'is gone')
        continue
      }
      const [was, is] = [before.required?.includes(name) ?? false, after.required?.includes(name) ?? false]
      if (!was && is) note(direction === 'sent', path, 'must be there now')
      if (was && !is) note(direction === 'received', path, 'may be missing now')
      compare(schema, there, path)
    }
    for (const name of Object.keys(now).filter((one) => !(one in old))) {
      const isDemanded = direction === 'sent' && (after.required?.includes(name) ?? false)
      note(isDemanded, `${at}.${name}`, isDemanded ? 'is new and must be there' : 'is new')
    }
  }
}

const bounds: readonly (readonly [string, boolean])[] = [
  ['maxLength', true],
  ['minLength', false],
  ['maximum', true],
  ['minimum', false],
  ['exclusiveMaximum', true],
  ['exclusiveMinimum', false],
  ['maxItems', true],
  ['minItems', false],
]

/** A schema without references and with null as a mark. */
type Plain = Schema & { readonly types: readonly string[]; readonly isNullable: boolean }

function plain(schema: Schema, schemas: Readonly<Record<string, Schema>>, isNullable = false): Plain {
  if (schema.$ref) return plain(schemas[nameOf(schema) as string] ?? {}, schemas, isNullable)
  const choices = schema.anyOf?.filter(({ type }) => type !== 'null')
  const hasNull = isNullable || choices?.length !== schema.anyOf?.length
  const [only] = choices ?? []
  if (only && choices?.length === 1) {
    const { anyOf: _, ...rest } = schema
    return plain({ ...rest, ...only }, schemas, hasNull)
  }
  const types = [schema.type ?? []].flat() as string[]
  const { anyOf: _, ...rest } = schema
  return {
    ...rest,
    ...(choices && { anyOf: choices }),
    types: types.filter((type) => type !== 'null').sort(),
    isNullable: hasNull || types.includes('null'),
  }
}

/** The name of the schema that is referred to, as itself or as what may be null. */
function nameOf({ $ref, anyOf = [] }: Schema): string | undefined {
  if ($ref) return $ref.split('/').at(-1)
  const [only, ...others] = anyOf.filter(({ type }) => type !== 'null')
  return only && others.length === 0 ? nameOf(only) : undefined
}

const shown = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value))
