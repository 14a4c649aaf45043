import { type Condition, RowVariable, type Value } from '../../data/query/expression.js'
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
import { ODataError } from '../syntax/odata-error.js'
import type { ResourceSegment } from '../syntax/parse-path.js'
import type { KeyValue, Literal } from '../syntax/syntax.js'
import { ExpressionBinder } from './expression-binder.js'
import type { EntityInstance } from './expression-scope.js'
import { bindKeys } from './key-binder.js'
import { isLinked } from './links.js'
import type { RequestContext } from './request-context.js'

/** What the path of a request leads to. */
export interface Resource {
  readonly set: EntitySet
  readonly instance: EntityInstance
  /** Which rows of the set. */
  readonly where: Condition | undefined
  /** One entity rather than a collection. */
  readonly isSingle: boolean
  /** Whether its key was named: then it has to be there. */
  readonly isNamed: boolean
  /** Of a path behind an entity: the entity that has to be there. */
  readonly owner: Owner | undefined
  /** A property at its end. */
  readonly property: Property | ListProperty | ObjectsProperty | ComplexProperty | undefined
  readonly ending: 'count' | 'value' | 'ref' | undefined
  /** The path in its canonical form: `Shipments(1f…)/Number`. */
  readonly canonical: string
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
      throw ODataError.notFound(`There is no entity set '${first.name ?? first.text}'.`, {
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
    if (resource.ending || (resource.property && !mayFollow))
      throw ODataError.notFound(`Nothing can follow '${resource.canonical}' in the path: '${segment.text}'.`)
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
        throw ODataError.notFound(`There is no segment '${segment.text}' behind '${resource.canonical}'.`, {
          target: segment.text,
        })
    }
  }

  private name(resource: Resource, segment: Extract<ResourceSegment, { kind: 'name' }>): Resource {
    const { set, property: complex } = resource
    const { name, keys, text } = segment
    if (complex?.kind === 'complex') return memberResource(resource, complex, text)
    if (complex?.kind === 'objects' && text.toLowerCase() === complex.type.fullName.toLowerCase())
      return resource
    if (complex)
      throw ODataError.notFound(`Nothing can follow '${resource.canonical}' in the path: '${text}'.`, {
        target: text,
      })
    if (name !== undefined && name.toLowerCase() === set.type.fullName.toLowerCase())
      return keys ? this.key(resource, keys) : resource
    // The key of a set may be a text with a dot in it.
    const mayBeKey = !resource.isSingle && set.type.keys[0]?.type === 'String' && !keys
    if (name?.includes('.') && !mayBeKey && !this.isType(name))
      throw ODataError.unsupported('Operations', { target: text }, text)
    if (!resource.isSingle) return this.keySegment(resource, text)
    if (name !== undefined) {
      const property = this.context.rights.property(set.type, name)
      if (property && !keys)
        return { ...resource, property, canonical: `${resource.canonical}/${property.name}` }
      const list = this.context.rights.list(set.type, name) ?? this.context.rights.complex(set.type, name)
      if (list && !keys)
        return { ...resource, property: list, canonical: `${resource.canonical}/${list.name}` }
      const navigation = this.context.rights.navigation(set.type, name)
      if (navigation) {
        const next = this.follow(resource, navigation)
        return keys ? this.key(next, keys) : next
      }
    }
    throw ODataError.notFound(`Could not find a property named '${text}' on type '${set.type.fullName}'.`, {
      target: text,
    })
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
      canonical: `${resource.canonical}/${name}`,
    }
  }

  private key(resource: Resource, keys: readonly KeyValue[]): Resource {
    if (resource.isSingle) throw ODataError.invalid(`'${resource.canonical}' has no key.`, separator)
    const { set, instance } = resource
    const condition = bindKeys(this.binder, set, instance.path, keys, { at: 0 })
    const texts = set.type.keys.map((property, index) => {
      const key = keys.find(({ name }) => name?.toLowerCase() === property.name.toLowerCase()) ?? keys[index]
      const text = keyText(key, property, (name) => this.context.aliases.get(name))
      return keys.length > 1 ? `${property.name}=${text}` : text
    })
    return {
      ...resource,
      where: allOf([resource.where, condition]),
      isSingle: true,
      isNamed: true,
      canonical: `${resource.canonical}(${texts.join(',')})`,
    }
  }

  /** A key that stands as a segment of its own: a text without quotes. */
  private keySegment(resource: Resource, text: string): Resource {
    const [property, ...others] = resource.set.type.keys
    const type = property?.type
    if (!property || others.length || (type !== 'String' && type !== 'Guid' && !/^-?\d+$/.test(text)))
      throw ODataError.notFound(`There is no segment '${text}' behind '${resource.canonical}'.`, {
        target: text,
      })
    const literal: Literal = {
      kind: 'literal',
      at: 0,
      type: type === 'String' || type === 'Guid' ? 'string' : 'integer',
      text,
    }
    if (this.binder.typed(literal, property.type) === undefined)
      throw ODataError.notFound(`There is no segment '${text}' behind '${resource.canonical}'.`, {
        target: text,
      })
    return this.key(resource, [{ at: 0, value: literal }])
  }
}

/** What may stand behind a property. */
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
  if (!property)
    throw ODataError.notFound(`Could not find a property named '${text}' on type '${type.fullName}'.`, {
      target: text,
    })
  return { ...resource, property, canonical: `${resource.canonical}/${property.name}` }
}

/** What a path begins with that is no entity set. */
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
      return ODataError.notFound(`There is no resource '${target}'.`, { target })
  }
}

function keyText(
  key: KeyValue | undefined,
  property: Property,
  alias: (name: string) => KeyValue['value'] | undefined,
): string {
  const value = key?.value.kind === 'alias' ? alias(key.value.name) : key?.value
  if (value?.kind !== 'literal') return ''
  if (property.type === 'String') return `'${encodeURIComponent(value.text.replaceAll("'", "''"))}'`
  return property.type === 'Guid' ? value.text.toLowerCase() : value.text
}

/** A property of an instance as a value. */
export function propertyValue({ path }: EntityInstance, property: Property | ListProperty): Value {
  const { column, type } = property
  if (property.kind === 'list') return { kind: 'list', path, column, type, nullable: false }
  return { kind: 'column', path, column, type, nullable: property.nullable }
}
