import { type AnyDto, compileReader, isDto, wireKind, type z } from '../contracts/index.js'

const jsonMember = Symbol('JSON')
const entityTags = new WeakMap<object, string>()

/** JSON that exists already: as text, or as the bytes of it. */
export type Json = string | Buffer
type LazyResult = new (json: Json) => object
const classes = new WeakMap<AnyDto, LazyResult>()

/**
 * A result that exists as JSON already, e.g. because PostgreSQL made it: sent on as it is, and read only when
 * somebody in this process looks at a member.
 */
export function jsonResult<D extends AnyDto>(dto: D, json: Json): InstanceType<D> {
  let LazyClass = classes.get(dto)
  if (!LazyClass) {
    LazyClass = lazyClassOf(dto)
    classes.set(dto, LazyClass)
  }
  return new LazyClass(json) as InstanceType<D>
}

/**
 * The result of an operation from the JSON that another process, or this one earlier, answered with: sent on as it is, so that no digit of a decimal is
 * lost and a number stays one, and read by code in this process.
 */
export function resultFrom(result: AnyDto | z.ZodType, json: string): unknown {
  if (isDto(result)) return jsonResult(result, json)
  const value = compileReader(result)(JSON.parse(json))
  if (typeof value === 'object' && value !== null) Object.defineProperty(value, jsonMember, { value: json })
  return value
}

/**
 * A result that this process computed and that has exact decimals: they are numbers in the JSON, with all of their digits. Members that the DTO does
 * not declare are left out.
 */
export function computedResult<D extends AnyDto>(dto: D, value: z.input<D['schema']>): InstanceType<D> {
  return jsonResult(dto, jsonBy(dto.schema, value))
}

interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly element?: z.ZodType
  readonly innerType?: z.ZodType
}

function jsonBy(schema: z.ZodType, value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (wireKind(schema)?.kind === 'decimal') return String(value)
  const { type, shape, element, innerType } = schema._zod.def as unknown as Definition
  if (innerType) return jsonBy(innerType, value)
  if (type === 'array' && element && Array.isArray(value))
    return `[${value.map((one) => jsonBy(element, one)).join(',')}]`
  if (type !== 'object' || !shape) return JSON.stringify(value)
  const members = Object.entries(shape).flatMap(([name, member]) => {
    const one = (value as Record<string, unknown>)[name]
    return one === undefined ? [] : [`${JSON.stringify(name)}:${jsonBy(member, one)}`]
  })
  return `{${members.join(',')}}`
}

/**
 * A {@link jsonResult} with the entity tag that it is sent with: who has it already is told so (304), and
 * gets no body. The operation's contract says so too, by `withEntityTag()`.
 */
export function taggedResult<D extends AnyDto>(dto: D, json: Json, entityTag: string): InstanceType<D> {
  const result = jsonResult(dto, json)
  entityTags.set(result, entityTag)
  return result
}

/** The entity tag of a {@link taggedResult}; undefined for other values. */
export function entityTagOf(value: object): string | undefined {
  return entityTags.get(value)
}

/** The JSON a value was made from by {@link jsonResult}; undefined for other values. */
export function jsonOf(value: unknown): Json | undefined {
  return (value as { [jsonMember]?: Json } | undefined)?.[jsonMember]
}

function lazyClassOf(dto: AnyDto): LazyResult {
  const read = compileReader(dto.schema)
  class LazyResultOfDto {
    readonly [jsonMember]: Json
    #value: Record<string, unknown> | undefined

    constructor(json: Json) {
      this[jsonMember] = json
    }

    toJSON(): unknown {
      return JSON.parse(this[jsonMember].toString())
    }

    member(name: string): unknown {
      this.#value ??= read(JSON.parse(this[jsonMember].toString())) as Record<string, unknown>
      return this.#value[name]
    }
  }
  for (const name of Object.keys(dto.shape)) {
    Object.defineProperty(LazyResultOfDto.prototype, name, {
      enumerable: true,
      get(this: LazyResultOfDto) {
        return this.member(name)
      },
    })
  }
  return LazyResultOfDto
}
