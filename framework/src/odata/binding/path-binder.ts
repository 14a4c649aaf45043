import { type Condition, RowVariable, type Value } from '../../data/query/expression.js'
import { decided, expected, joinTexts, type Text } from '../../data/query/parameter.js'
import type { Owner } from '../../data/query/query-sql.js'
import type {
  ComplexProperty,
  EntityModel,
  EntitySet,
  ListProperty,
  Navigation,
  ObjectsProperty,
  Property,
} from '../model/entity-model.js'
import { allOf } from '../model/value-types.js'
import { ODataError, say } from '../syntax/odata-error.js'
import type { ResourceSegment } from '../syntax/parse-path.js'
import type { KeyValue, Literal } from '../syntax/syntax.js'
import { ExpressionBinder } from './expression-binder.js'
import type { EntityInstance } from './expression-scope.js'
import { bindKeys } from './key-binder.js'
import { isLinked } from './links.js'
import type { RequestContext } from './request-context.js'

/** The resource that the path of a request leads to. */
export interface Resource {
  readonly set: EntitySet
  readonly instance: EntityInstance
  /** Which rows of the set. */
  readonly where: Condition | undefined
  /** One entity rather than a collection. */
  readonly isSingle: boolean
  /** The path names its key: an entity that is missing is then an error. */
  readonly isNamed: boolean
  /** Of a path behind an entity: the entity that has to be there. */
  readonly owner: Owner | undefined
  /** A property at its end. */
  readonly property: Property | ListProperty | ObjectsProperty | ComplexProperty | undefined
  readonly ending: 'count' | 'value' | 'ref' | undefined
  /** The path in its canonical form: `Shipments(1f…)/Number`. */
  readonly canonical: Text
}

const separator = { target: 'path', at: 0 }

/** Gives the segments of a path their meaning. */
export class PathBinder {
  private readonly binder: ExpressionBinder

  constructor(
    private readonly model: EntityModel,
    private readonly context: RequestContext,
  ) {
    this.binder = new ExpressionBinder(context, 'path')
  }

  bind(segments: readonly ResourceSegment[]): Resource {
    const [first, ...rest] = segments
    if (first?.kind !== 'name') throw notASet(first)
    const set = first.name === undefined ? undefined : this.model.find(first.name)
    if (!set)
      throw ODataError.notFound(say`There is no entity set '${first.name ?? first.text}'.`, {
        target: first.name ?? first.text,
      })
    this.context.rights.demand(set)
    let resource = this.start(set)
    if (first.keys) resource = this.key(resource, first.keys)
    for (const segment of rest) resource = this.step(resource, segment)
    return resource
  }

  private start(set: EntitySet): Resource {
    const row = new RowVariable(set.meta)
    return {
      set,
      instance: this.binder.instanceOf(set, row),
      where: undefined,
      isSingle: false,
      isNamed: false,
      owner: undefined,
      property: undefined,
      ending: undefined,
      canonical: set.name,
    }
  }

  private step(resource: Resource, segment: ResourceSegment): Resource {
    const mayFollow = resource.property && behindProperty[resource.property.kind].includes(segment.kind)
    if (resource.ending || (resource.property && !mayFollow)) throw nothingFollows(resource, segment.text)
    switch (segment.kind) {
      case 'name':
        return this.name(resource, segment)
      case 'filter': {
        if (resource.isSingle)
          throw ODataError.invalid("'$filter' in the path needs a collection.", separator)
        const scope = { it: resource.instance, current: resource.instance }
        return { ...resource, where: allOf([resource.where, this.binder.condition(segment.filter, scope)]) }
      }
      case 'count':
        if (resource.isSingle && resource.property?.kind !== 'list' && resource.property?.kind !== 'objects')
          throw ODataError.invalid("'$count' in the path needs a collection.", separator)
        return { ...resource, ending: 'count' }
      case 'value':
        if (resource.property?.kind !== 'property')
          throw ODataError.invalid("'$value' in the path needs a property.", separator)
        return { ...resource, ending: 'value' }
      case 'ref':
        return { ...resource, ending: 'ref' }
      case 'operation':
        throw ODataError.unsupported('Operations', { target: segment.text }, segment.text)
      case 'each':
        throw ODataError.unsupported('EachMember', { target: segment.text })
      default:
        throw noSegment(resource, segment.text)
    }
  }

  private name(resource: Resource, segment: Extract<ResourceSegment, { kind: 'name' }>): Resource {
    const { set, property: complex } = resource
    const { name, keys } = segment
    if (complex?.kind === 'complex') {
      this.context.rights.demandMember(complex.type, segment.text)
      return memberResource(resource, complex, segment.text)
    }
    if (complex?.kind === 'objects' && segment.text.toLowerCase() === complex.type.fullName.toLowerCase())
      return resource
    if (complex) throw nothingFollows(resource, segment.text, segment.text)
    if (name !== undefined && name.toLowerCase() === set.type.fullName.toLowerCase())
      return keys ? this.key(resource, keys) : resource
    // The key of a set may be a text with a dot in it.
    const mayBeKey = !resource.isSingle && set.type.keys[0]?.type === 'String' && !keys
    if (name?.includes('.') && !mayBeKey && !this.isType(name))
      throw ODataError.unsupported('Operations', { target: segment.text }, segment.text)
    if (!resource.isSingle) return this.keySegment(resource, segment)
    if (name !== undefined) {
      const property = this.context.rights.property(set.type, name)
      if (property && !keys)
        return { ...resource, property, canonical: joinTexts([resource.canonical, `/${property.name}`]) }
      const list = this.context.rights.list(set.type, name) ?? this.context.rights.complex(set.type, name)
      if (list && !keys)
        return { ...resource, property: list, canonical: joinTexts([resource.canonical, `/${list.name}`]) }
      const navigation = this.context.rights.navigation(set.type, name)
      if (navigation) {
        const next = this.follow(resource, navigation)
        return keys ? this.key(next, keys) : next
      }
    }
    throw noProperty(segment.text, set.type.fullName)
  }

  private isType(name: string): boolean {
    const lower = name.toLowerCase()
    return [...this.model.sets.values()].some(({ type }) => type.fullName.toLowerCase() === lower)
  }

  private follow(resource: Resource, navigation: Navigation): Resource {
    const { target, own, theirs, name, collection, links } = navigation
    this.context.rights.demand(target)
    const row = new RowVariable(target.meta)
    const from = { row, via: [] }
    const ownerRow = resource.instance.path.row
    const related = links
      ? {
          relation: undefined,
          where: allOf([resource.where, isLinked(navigation, links, { row: ownerRow, via: [] }, row)]),
        }
      : {
          relation: { own: theirs.column, target: resource.set.meta, theirs: own.column },
          where: resource.where,
        }
    return {
      set: target,
      instance: this.binder.instanceOf(target, row),
      where: { kind: 'any', rows: { from, row: ownerRow, ...related } },
      isSingle: !collection,
      isNamed: false,
      owner: { source: { kind: 'table', row: ownerRow, entity: resource.set.meta }, where: resource.where },
      property: undefined,
      ending: undefined,
      canonical: joinTexts([resource.canonical, `/${name}`]),
    }
  }

  private key(resource: Resource, keys: readonly KeyValue[]): Resource {
    if (resource.isSingle)
      throw ODataError.invalid(say`'${decided(resource.canonical)}' has no key.`, separator)
    const { set, instance } = resource
    const condition = bindKeys(this.binder, set, instance.path, keys, { at: 0 })
    const texts = set.type.keys.flatMap((property, index) => {
      const key = keys.find(({ name }) => name?.toLowerCase() === property.name.toLowerCase()) ?? keys[index]
      const before = `${index ? ',' : ''}${keys.length > 1 ? `${property.name}=` : ''}`
      return [before, this.keyText(key, property)]
    })
    return {
      ...resource,
      where: allOf([resource.where, condition]),
      isSingle: true,
      isNamed: true,
      canonical: joinTexts([resource.canonical, '(', ...texts, ')']),
    }
  }

  /** A key that stands as a segment of its own: a text without quotes. */
  private keySegment(resource: Resource, segment: ResourceSegment): Resource {
    const { inputs } = this.context
    const [property, ...others] = resource.set.type.keys
    const type = property?.type === 'String' || property?.type === 'Guid' ? 'string' : 'integer'
    const isInteger = inputs.derive(segment, ({ text }) => /^-?\d+$/.test(text))
    if (!property || others.length || (type === 'integer' && !expected(isInteger, Boolean)))
      throw noSegment(resource, segment.text)
    const literal = inputs.view(segment, ({ text }): Literal => ({ kind: 'literal', at: 0, type, text }))
    if (this.binder.typed(literal, property.type) === undefined) throw noSegment(resource, segment.text)
    return this.key(resource, [{ at: 0, value: literal }])
  }

  /** A key as the canonical form of a path has it. */
  private keyText(key: KeyValue | undefined, { type }: Property): Text {
    const value = key?.value.kind === 'alias' ? this.context.aliases.get(key.value.name) : key?.value
    if (value?.kind !== 'literal') return ''
    return this.context.inputs.derive(value, ({ text }) => {
      if (type === 'String') return `'${encodeURIComponent(text.replaceAll("'", "''"))}'`
      return type === 'Guid' ? text.toLowerCase() : text
    })
  }
}

/** The segments that may follow a property. */
const behindProperty: Readonly<
  Record<NonNullable<Resource['property']>['kind'], readonly ResourceSegment['kind'][]>
> = {
  property: ['value'],
  list: ['count'],
  objects: ['count', 'name'],
  complex: ['name'],
}

/** A member of a complex property. */
function memberResource(resource: Resource, { type, members }: ComplexProperty, text: string): Resource {
  const lower = text.toLowerCase()
  if (lower === type.fullName.toLowerCase()) return resource
  const property = [...members.values()].find(({ name }) => name.toLowerCase() === lower)
  if (!property) throw noProperty(text, type.fullName)
  return { ...resource, property, canonical: joinTexts([resource.canonical, `/${property.name}`]) }
}

function nothingFollows({ canonical }: Resource, text: string, target?: string): ODataError {
  const message = say`Nothing can follow '${decided(canonical)}' in the path: '${text}'.`
  return ODataError.notFound(message, target === undefined ? {} : { target })
}

function noSegment({ canonical }: Resource, text: string): ODataError {
  return ODataError.notFound(say`There is no segment '${text}' behind '${decided(canonical)}'.`, {
    target: text,
  })
}

function noProperty(text: string, type: string): ODataError {
  return ODataError.notFound(say`Could not find a property named '${text}' on type '${type}'.`, {
    target: text,
  })
}

/** The error for a path that does not begin with an entity set. */
function notASet(segment: ResourceSegment | undefined): ODataError {
  const target = segment?.text ?? ''
  switch (segment?.kind) {
    case 'all':
      return ODataError.unsupported('AllEntities', { target })
    case 'crossjoin':
      return ODataError.unsupported('CrossJoin', { target })
    case 'operation':
      return ODataError.unsupported('Operations', { target }, target)
    default:
      return ODataError.notFound(say`There is no resource '${target}'.`, { target })
  }
}

/** A property of an instance as a value. */
export function propertyValue({ path }: EntityInstance, property: Property | ListProperty): Value {
  const { column, type } = property
  if (property.kind === 'list') return { kind: 'list', path, column, type, nullable: false }
  return { kind: 'column', path, column, type, nullable: property.nullable }
}
