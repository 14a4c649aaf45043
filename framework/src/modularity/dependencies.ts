import { type interfaces, LazyServiceIdentifier, METADATA_KEY, MetadataReader } from 'inversify'
import type { Class, Constructor } from './class.js'

/** A class, symbol or text that the container has something for. */
export type Token = interfaces.ServiceIdentifier

/** A parameter of a constructor, or a member with `@inject`, that the container fills. */
export interface Dependency {
  /** Undefined where the compiler wrote no class. */
  readonly token: Token | undefined
  /** The position of a parameter; undefined for a member. */
  readonly index: number | undefined
  /** Everything that is bound to the token, with `@InjectAll`. */
  readonly isList: boolean
  /** May be unbound: `@optional()`, or a list. */
  readonly isOptional: boolean
}

const reader = new MetadataReader()

/**
 * The tokens that Inversify resolves when it creates a class, in the order of the constructor: parameters by
 * the classes that the compiler emitted or by `@inject` and `@InjectAll`, then members. An inherited
 * constructor counts.
 */
export function dependenciesOf(service: Constructor): readonly Dependency[] {
  const { compilerGeneratedMetadata, userGeneratedMetadata } = reader.getConstructorMetadata(service)
  const types: readonly (NewableFunction | undefined)[] = compilerGeneratedMetadata ?? []
  const count = Math.max(
    types.length,
    ...Object.keys(userGeneratedMetadata).map((index) => Number(index) + 1),
  )
  const parameters = Array.from({ length: count }, (_, index) =>
    dependencyOf(userGeneratedMetadata[index], types[index], index),
  )
  const members = new Map<PropertyKey, Dependency>()
  for (const cls of withBases(service))
    for (const [name, tags] of Object.entries(reader.getPropertiesMetadata(cls as Constructor)))
      if (!members.has(name)) members.set(name, dependencyOf(tags, undefined, undefined))
  return [...parameters, ...members.values()]
}

/** A class and those that it extends. */
export function* withBases(service: Class): Generator<Class> {
  for (
    let cls: object = service;
    cls && cls !== Function.prototype;
    cls = Object.getPrototypeOf(cls) as object
  )
    yield cls as Class
}

function dependencyOf(
  tags: readonly interfaces.Metadata[] | undefined,
  type: NewableFunction | undefined,
  index: number | undefined,
): Dependency {
  const tagged = (key: string): unknown => tags?.find((tag) => tag.key === key)?.value
  const list = tagged(METADATA_KEY.MULTI_INJECT_TAG)
  const given = list ?? tagged(METADATA_KEY.INJECT_TAG) ?? type
  const token = (LazyServiceIdentifier.is(given) ? given.unwrap() : given) as Token | undefined
  return {
    // The compiler writes these for interfaces and unions.
    token: token === Object || token === Array ? undefined : token,
    index,
    isList: list !== undefined,
    isOptional: list !== undefined || tagged(METADATA_KEY.OPTIONAL_TAG) === true,
  }
}

/** The name of a token in messages. */
export function nameOf(token: Token): string {
  if (typeof token === 'symbol') return token.description ?? 'a symbol'
  return typeof token === 'function' ? token.name : token
}
