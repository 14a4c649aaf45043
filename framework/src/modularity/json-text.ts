import { type AnyDto, compileReader } from '../contracts/index.js'

const textMember = Symbol('JSON text')

type LazyResult = new (text: string) => object
const classes = new WeakMap<AnyDto, LazyResult>()

/**
 * A result that exists as JSON already, e.g. because PostgreSQL made it: sent on as it is, and read only when somebody in this process
 * looks at a member.
 */
export function jsonResult<D extends AnyDto>(dto: D, text: string): InstanceType<D> {
  let LazyClass = classes.get(dto)
  if (!LazyClass) {
    LazyClass = lazyClassOf(dto)
    classes.set(dto, LazyClass)
  }
  return new LazyClass(text) as InstanceType<D>
}

/** The JSON a value was made from by {@link jsonResult}; undefined for other values. */
export function jsonTextOf(value: unknown): string | undefined {
  return (value as { [textMember]?: string } | undefined)?.[textMember]
}

function lazyClassOf(dto: AnyDto): LazyResult {
  const read = compileReader(dto.schema)
  class LazyResultOfDto {
    readonly [textMember]: string
    #value: Record<string, unknown> | undefined

    constructor(text: string) {
      this[textMember] = text
    }

    toJSON(): unknown {
      return JSON.parse(this[textMember])
    }

    member(name: string): unknown {
      this.#value ??= read(JSON.parse(this[textMember])) as Record<string, unknown>
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
