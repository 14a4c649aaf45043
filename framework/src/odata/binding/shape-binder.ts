import { createHash } from 'node:crypto'
import {
  type Condition,
  columnOf,
  type Relation,
  RowVariable,
  type Value,
} from '../../data/query/expression.js'
import type { JsonMember } from '../../data/query/json-items.js'
import { joinTexts } from '../../data/query/parameter.js'
import { type Member, type NestedRows, type NotePart, type RowShape } from '../../data/query/query-tree.js'
import type {
  ComplexProperty,
  EntitySet,
  ListProperty,
  Navigation,
  ObjectsProperty,
  Property,
} from '../model/entity-model.js'
import { allOf } from '../model/value-types.js'
import { ODataError, say } from '../syntax/odata-error.js'
import type { ComputeItem, ExpandItem, QueryOptions, SelectItem } from '../syntax/syntax.js'
import { ApplyBinder } from './apply-binder.js'
import type { EntityInstance, Instance } from './expression-scope.js'
import { bindCompute, bindCondition, bindOrder } from './level-options.js'
import { isLinked } from './links.js'
import { dynamicTypeNote, listNote, recordShape, shownType, showsType, typeNote } from './record-shape.js'
import type { RequestContext } from './request-context.js'
import { bindStage, stageOrder } from './stage-options.js'

/** The name of the late value that is the address of the service, ending with a slash. */
export const serviceRoot = 'root'

const mostLevels = 16

/** The shape of the entities of one level, and the context fragment that names it. */
export interface BoundShape {
  readonly shape: RowShape
  /** `(Id,Orders())`, or nothing for everything. */
  readonly fragment: string
}

/** An item of `$expand` at its place in the request. */
interface Expansion {
  readonly navigation: Navigation
  readonly item: ExpandItem
  /** The entity that the navigation property starts from. */
  readonly owner: EntityInstance
  /** `$it`. */
  readonly it: Instance
  /** The most rows of the owner's level; below a collection, of the collection's level. */
  readonly rows: number
  readonly depth: number
}

/** The members that an item of `$expand` adds to its level, and its part of the context fragment. */
interface BoundExpansion {
  readonly members: Member[]
  readonly fragment: string
}

type ExpandedRows = Pick<NestedRows, 'source' | 'shape' | 'where' | 'order'> & { readonly fragment: string }

/** Binds `$select`, `$expand` and `$compute` of one level, and everything below it. */
export class ShapeBinder {
  /** That the answer may have, as far as it is bound. */
  private objects = 0

  constructor(private readonly context: RequestContext) {}

  /** @param rows the most rows of this level, all its owners together */
  shape(options: QueryOptions, instance: EntityInstance, it: Instance, rows: number, depth = 0): BoundShape {
    const { set, path } = instance
    const selected = this.selected(options.select, instance)
    const expanded = this.expandItems(options.expand, instance)
    const members: Member[] = this.entityNotes(set)
    const { rights } = this.context
    for (const property of rights.properties(set.type)) {
      if (selected && !selected.properties.has(property)) continue
      members.push(...typeNote(this.context, property.name, property.type))
      members.push({ kind: 'column', name: property.name, column: property.column, type: property.type })
    }
    for (const complex of rights.complexes(set.type)) {
      const wanted = selected ? selected.members.get(complex.name) : complex.members
      if (wanted) members.push(this.complexMember(complex, [...wanted.values()]))
    }
    for (const list of rights.lists(set.type)) {
      if (selected && !selected.lists.has(list)) continue
      members.push(...listNote(this.context, list.name, list.type))
      const { name, column } = list
      if (list.kind === 'list') members.push({ kind: 'list', name, column, type: list.type })
      else members.push({ kind: 'objects', name, column, members: this.objectMembers(list) })
    }
    for (const [name, value] of instance.computed) {
      if (selected && !selected.computed.has(name)) continue
      members.push(...dynamicTypeNote(this.context, name, value))
      members.push({ kind: 'value', name, value })
    }
    members.push(...this.linkNotes(set))
    const names = selected ? [...selected.names] : []
    for (const { navigation, item } of expanded) {
      const one = this.expandOne({ navigation, item, owner: instance, it, rows, depth })
      members.push(...one.members)
      if (one.fragment) names.push(one.fragment)
    }
    return { shape: { row: path.row, members }, fragment: names.length ? `(${names.join(',')})` : '' }
  }

  /** The annotation that leads to an entity: all that a reference has. */
  reference(set: EntitySet, row: RowVariable): RowShape {
    return {
      row,
      members: [{ kind: 'note', name: `${this.context.format.prefix}id`, parts: entityIdParts(set) }],
    }
  }

  /** A complex property with some of its members. */
  complexMember(
    { name, type }: ComplexProperty,
    members: readonly Property[],
  ): Extract<Member, { kind: 'object' }> {
    const { metadata, prefix } = this.context.format
    const note: Member = { kind: 'note', name: `${prefix}type`, parts: [`#${type.fullName}`] }
    const shown = members.flatMap((member): Member[] => [
      ...typeNote(this.context, member.name, member.type),
      { kind: 'column', name: member.name, column: member.column, type: member.type },
    ])
    return { kind: 'object', name, members: metadata === 'full' ? [note, ...shown] : shown }
  }

  /** The objects of a collection as a whole. */
  objectsValue({ path }: EntityInstance, list: ObjectsProperty): Value {
    const shown = this.objectMembers(list)
    return { kind: 'objects', path, column: list.column, shown, type: 'String', nullable: false }
  }

  /** The members that each object of a collection is shown with. */
  private objectMembers({ type, members }: ObjectsProperty): JsonMember[] {
    const { metadata, prefix } = this.context.format
    const shown = members.flatMap(({ name, key, type: scalar }): JsonMember[] => {
      const note = { name: `${name}${prefix}type`, text: shownType(this.context, scalar) }
      const member = { name, key, type: scalar }
      return showsType(this.context, scalar) ? [note, member] : [member]
    })
    return metadata === 'full' ? [{ name: `${prefix}type`, text: `#${type.fullName}` }, ...shown] : shown
  }

  private selected(items: readonly SelectItem[] | undefined, { set, computed }: EntityInstance) {
    if (!items) return undefined
    const found = {
      properties: new Set<Property>(),
      lists: new Set<ListProperty | ObjectsProperty>(),
      /** Of complex properties, by their names. */
      members: new Map<string, Map<string, Property>>(),
      computed: new Set<string>(),
      names: new Set<string>(),
    }
    for (const { path, options, at } of items) {
      const place = { target: '$select', at }
      const names = path[0]?.toLowerCase() === set.type.fullName.toLowerCase() ? path.slice(1) : path
      const [name = '*'] = names
      const complex = this.context.rights.complex(set.type, name)
      if (complex && !options) {
        if (names[1] !== undefined) this.context.rights.demandMember(complex.type, names.at(-1) ?? '')
        found.names.add(selectMembers(complex, names.slice(1), found.members, place))
        continue
      }
      const list = this.context.rights.list(set.type, name) ?? complex
      if (options && list) throw ODataError.unsupported('SelectOptions', place, list.name)
      if (options) throw ODataError.invalid(say`The property '${name}' can't have options in $select.`, place)
      if (name === '*') {
        for (const property of this.context.rights.properties(set.type)) found.properties.add(property)
        for (const one of this.context.rights.lists(set.type)) found.lists.add(one)
        for (const one of this.context.rights.complexes(set.type))
          found.members.set(one.name, new Map(one.members))
        for (const alias of computed.keys()) found.computed.add(alias)
        found.names.add('*')
        continue
      }
      const property = this.context.rights.property(set.type, name)
      if (computed.has(name)) found.computed.add(name)
      else if (property) found.properties.add(property)
      else if (list && list.kind !== 'complex') found.lists.add(list)
      const known = computed.has(name)
        ? name
        : (property?.name ?? list?.name ?? this.context.rights.navigation(set.type, name)?.name)
      if (known === undefined)
        throw ODataError.invalid(
          say`Could not find a property named '${name}' on type '${set.type.fullName}'.`,
          place,
        )
      if (names.length > 1)
        throw ODataError.invalid(
          say`The property '${names[1]}' can't be selected inside of '${known}'.`,
          place,
        )
      found.names.add(known)
    }
    return found
  }

  private expandItems(items: readonly ExpandItem[] | undefined, { set }: EntityInstance) {
    const found = new Map<string, { navigation: Navigation; item: ExpandItem }>()
    for (const item of items ?? []) {
      const place = { target: '$expand', at: item.at }
      const names =
        item.path[0]?.toLowerCase() === set.type.fullName.toLowerCase() ? item.path.slice(1) : item.path
      const [name = '', behind] = names
      if (name === '*') {
        for (const navigation of this.context.rights.navigations(set.type))
          if (!found.has(navigation.name)) found.set(navigation.name, { navigation, item })
        continue
      }
      const navigation = this.context.rights.navigation(set.type, name)
      if (!navigation && this.context.rights.property(set.type, name))
        throw ODataError.invalid(
          say`The property '${name}' cannot be used in the $expand query option.`,
          place,
        )
      if (!navigation)
        throw ODataError.invalid(
          say`Could not find a property named '${name}' on type '${set.type.fullName}'.`,
          place,
        )
      if (behind !== undefined && behind.toLowerCase() !== navigation.target.type.fullName.toLowerCase())
        throw ODataError.invalid(
          say`The path '${names.join('/')}' can't be expanded: expand '${behind}' inside of '${name}'.`,
          place,
        )
      const known = found.get(navigation.name)
      if (known && known.item.path[0] !== '*')
        throw ODataError.invalid(say`The property '${name}' is expanded twice.`, place)
      this.context.rights.demand(navigation.target)
      found.set(navigation.name, { navigation, item })
    }
    return [...found.values()]
  }

  private expandOne(expansion: Expansion): BoundExpansion {
    const { navigation, item, it, depth } = expansion
    const { options, at } = item
    const { maxExpansionDepth } = this.context.limits
    if (depth >= maxExpansionDepth) throw tooDeep(maxExpansionDepth, { target: '$expand', at })
    const computed = options.apply ? [] : options.compute
    const instance = this.computedTarget(navigation, computed, it)
    return navigation.collection
      ? this.expandToMany(expansion, instance)
      : this.expandToOne(expansion, instance)
  }

  /** A new instance at the end of a navigation property, with what `$compute` adds to it. */
  private computedTarget(
    { target }: Navigation,
    items: readonly ComputeItem[] | undefined,
    it: Instance,
  ): EntityInstance {
    const path = { row: new RowVariable(target.meta), via: [] }
    return bindCompute(
      this.context,
      items ?? [],
      { kind: 'entity', set: target, path, computed: new Map() },
      it,
    )
  }

  private expandToOne(expansion: Expansion, instance: EntityInstance): BoundExpansion {
    const { navigation, item, rows } = expansion
    const { name } = navigation
    const place = { target: '$expand', at: item.at }
    const ofCollections = ['apply', 'filter', 'search', 'orderby', 'top', 'skip', 'count'] as const
    const wrong = ofCollections.find((option) => item.options[option] !== undefined)
    if (wrong || item.shape === 'count')
      throw ODataError.invalid(
        say`The option '$${wrong ?? 'count'}' can only be used on collections, and '${name}' leads to one entity.`,
        place,
      )
    this.expectFew(rows, place)
    const { shape, fragment } = this.inner(expansion, instance, expansion.it)
    return { members: [{ kind: 'one', name, relation: relationOf(navigation), shape }], fragment }
  }

  private expandToMany(expansion: Expansion, instance: EntityInstance): BoundExpansion {
    const { navigation, item, owner, rows } = expansion
    const { name, target } = navigation
    const { options, shape, at } = item
    const counts = shape === 'count' || options.count ? [this.countMember(expansion)] : []
    if (shape === 'count') return { members: counts, fragment: '' }
    const { top, skip = 0 } = options
    const most = this.mostExpanded(target, rows)
    // A level that skips more shows no row: its link leads to the pages that skip rows step by step.
    const isFar = skip > this.context.limits.maxSkip && top !== 0
    const limit = isFar ? 0 : Math.min(top ?? most, most)
    this.expectFew(rows * limit, { target: '$expand', at })
    const below = { ...expansion, rows: rows * Math.max(limit, 1) }
    const { fragment, ...bound } = options.apply
      ? this.transformed(below)
      : this.relatedEntities(below, instance)
    const hasRest = isFar || top === undefined || top > most
    const related = { ...bound, skip: isFar ? 0 : skip, limit, tellsRest: hasRest && !isFar }
    const many: Member = { kind: 'many', name, relation: relationOf(navigation), rows: related }
    const rest: Member[] = hasRest
      ? [
          {
            kind: 'note',
            name: `${name}${this.context.format.prefix}nextLink`,
            parts: this.restLink(navigation, owner.set, options, limit),
            ...(!isFar && { ofRest: name }),
          },
        ]
      : []
    return { members: [...counts, many, ...rest], fragment }
  }

  /** The annotation that counts the rows of a collection, whatever its page. */
  private countMember({ navigation, item, owner, it }: Expansion): Member {
    const { options, at } = item
    if (options.apply) throw ODataError.unsupported('CountBesideApply', { target: '$expand', at })
    // Bound once more: a row variable stands for one table of the statement.
    const counted = this.computedTarget(navigation, options.compute, it)
    const { links, name } = navigation
    const { row } = counted.path
    const from = { row: owner.path.row, via: [] }
    const where = allOf([
      links && isLinked(navigation, links, from, row),
      bindCondition(this.context, options, counted, it),
    ])
    const relation = links ? undefined : relationOf(navigation)
    return {
      kind: 'count',
      name: `${name}${this.context.format.prefix}count`,
      rows: { from, relation, row, where },
    }
  }

  /** The rows related to each row, as entities. */
  private relatedEntities(expansion: Expansion, instance: EntityInstance): ExpandedRows {
    const { navigation, item, owner, it } = expansion
    const { links, target } = navigation
    const { row } = instance.path
    const inner = this.inner(expansion, instance, it)
    return {
      ...inner,
      ...(links && { source: { kind: 'table', row, entity: target.meta } }),
      where: allOf([
        links && isLinked(navigation, links, owner.path, row),
        bindCondition(this.context, item.options, instance, it),
      ]),
      order: bindOrder(this.context, item.options.orderby, instance, it),
    }
  }

  /** Of one collection inside each of some rows. */
  private mostExpanded({ maxPageSize }: EntitySet, rows: number): number {
    const { limits, maxPageSize: wanted = maxPageSize } = this.context
    const { maxExpandedPage, maxExpandedRows } = limits
    const share = Math.floor(maxExpandedRows / Math.max(rows, 1))
    return Math.max(1, Math.min(wanted, maxExpandedPage, maxPageSize, share))
  }

  /** The rows that `$apply` makes of the rows related to each row. */
  private transformed(expansion: Expansion): ExpandedRows {
    const { navigation, item, owner } = expansion
    const { target, own, theirs, name, links } = navigation
    const row = new RowVariable(target.meta)
    const isEqual: Condition = {
      kind: 'compare',
      comparison: 'eq',
      left: columnOf(row, theirs.column, theirs.type),
      right: columnOf(owner.path.row, own.column, own.type),
    }
    const isRelated = links ? isLinked(navigation, links, owner.path, row) : isEqual
    const start = new ApplyBinder(this.context).start(target, isRelated, row)
    const stage = bindStage(this.context, item.options, start)
    const { source, where, instance } = stage
    const order = stageOrder(this.context, item.options, stage)
    if (instance.kind === 'entity')
      return { source, where, order, ...this.inner(expansion, instance, instance) }
    const { shape, fragment } = recordShape(this.context, item.options, stage)
    return { source, where, order, shape, fragment: `${name}${fragment}` }
  }

  /** Refuses what may become an answer of too many rows, before it is asked of the database. */
  private expectFew(more: number, place: { readonly target: string; readonly at: number }): void {
    const { maxObjects } = this.context.limits
    this.objects += more
    if (this.objects > maxObjects)
      throw ODataError.invalid(
        say`The answer might have more than ${maxObjects} entities: say $top, also inside of $expand, or expand less.`,
        place,
      )
  }

  private inner(expansion: Expansion, instance: EntityInstance, it: Instance): BoundShape {
    const { navigation, item, rows, depth } = expansion
    const { name, target } = navigation
    const { options, shape } = item
    if (shape === 'ref') return { shape: this.reference(target, instance.path.row), fragment: '' }
    const { levels } = options
    const again = levels === undefined ? undefined : this.deeper(name, target, item, depth)
    const inner = this.shape(again ?? options, instance, it, rows, depth + 1)
    if (levels !== undefined && levels !== 1) return { ...inner, fragment: `${name}+()` }
    return { ...inner, fragment: `${name}${inner.fragment || '()'}` }
  }

  /** The options of an item with `$levels` for the entities below: the same once more, one level less. */
  private deeper(name: string, target: EntitySet, item: ExpandItem, depth: number): QueryOptions | undefined {
    const { levels, ...options } = item.options
    const most = this.context.limits.maxExpansionDepth - depth
    const wanted = levels === 'max' ? Math.min(most, mostLevels) : (levels ?? 1)
    const place = { target: '$levels', at: item.at }
    if (wanted > most) throw tooDeep(this.context.limits.maxExpansionDepth, place)
    if (wanted <= 1) return options
    const same = target.type.navigations.get(name)
    if (!same)
      throw ODataError.invalid(
        say`'${name}' can't be expanded on several levels: '${target.type.fullName}' has none.`,
        place,
      )
    const below: ExpandItem = { ...item, options: { ...options, levels: wanted - 1 } }
    return { ...options, expand: [...(options.expand ?? []), below] }
  }

  private restLink(
    navigation: Navigation,
    owner: EntitySet,
    options: QueryOptions,
    limit: number,
  ): NotePart[] {
    const { inputs, aliasTexts } = this.context
    const kept = (options.texts ?? []).filter(({ name }) => !['$top', '$skip', '$levels'].includes(name))
    const pairs = [...kept, ...aliasTexts].map((option) =>
      inputs.derive(option, ({ name, text }) => `${name}=${encodeURIComponent(text)}&`),
    )
    const top = options.top === undefined ? '' : `$top=${options.top - limit}&`
    const query = joinTexts([...pairs, top, `$skip=${(options.skip ?? 0) + limit}`])
    return [...entityIdParts(owner), `/${navigation.name}?`, { bound: query }]
  }

  /** A single entity with its tag first, from where the header is read. */
  tagged(shape: RowShape, set: EntitySet): RowShape {
    const { metadata } = this.context.format
    return metadata === 'minimal' ? { ...shape, members: [this.etagNote(set), ...shape.members] } : shape
  }

  /** The tag of the row, for callers with the same field rights: others see other members. */
  private etagNote(set: EntitySet): Member {
    const lacked = this.context.rights.lacked(set.type)
    const parts = ['W/"', { version: true }, lacked.length ? `-${digestOf(lacked)}"` : '"'] as const
    return { kind: 'note', name: `${this.context.format.prefix}etag`, parts }
  }

  private entityNotes(set: EntitySet): Member[] {
    const { metadata, prefix } = this.context.format
    if (metadata !== 'full') return []
    return [
      this.etagNote(set),
      { kind: 'note', name: `${prefix}type`, parts: [`#${set.type.fullName}`] },
      { kind: 'note', name: `${prefix}id`, parts: entityIdParts(set) },
      { kind: 'note', name: `${prefix}editLink`, parts: entityIdParts(set).slice(1) },
    ]
  }

  private linkNotes(set: EntitySet): Member[] {
    const { metadata, prefix } = this.context.format
    if (metadata !== 'full') return []
    return this.context.rights.navigations(set.type).flatMap(({ name }): Member[] => [
      {
        kind: 'note',
        name: `${name}${prefix}associationLink`,
        parts: [...entityIdParts(set), `/${name}/$ref`],
      },
      {
        kind: 'note',
        name: `${name}${prefix}navigationLink`,
        parts: [...entityIdParts(set), `/${name}`],
      },
    ])
  }
}

/** Eight letters and digits that stand for some names. */
function digestOf(names: readonly string[]): string {
  return createHash('sha256').update(names.join()).digest('hex').slice(0, 8)
}

/** How the rows of a navigation property belong to the row that it starts from. */
function relationOf({ own, target, theirs }: Navigation): Relation {
  return { own: own.column, target: target.meta, theirs: theirs.column }
}

function tooDeep(most: number, place: { readonly target: string; readonly at: number }): ODataError {
  const message = say`The request includes a $expand path which is too deep. The maximum depth allowed is ${most}.`
  return ODataError.invalid(message, place)
}

/**
 * Adds the members that a path selects of a complex property: all, or one. Returns the path as the model
 * writes it.
 */
function selectMembers(
  { name, type, members }: ComplexProperty,
  path: readonly string[],
  selected: Map<string, Map<string, Property>>,
  place: { readonly target: string; readonly at: number },
): string {
  const names = path[0]?.toLowerCase() === type.fullName.toLowerCase() ? path.slice(1) : path
  const [wanted, more] = names
  const known = selected.get(name) ?? new Map<string, Property>()
  selected.set(name, known)
  if (wanted === undefined) {
    for (const [key, member] of members) known.set(key, member)
    return name
  }
  const found = [...members.values()].find((one) => one.name.toLowerCase() === wanted.toLowerCase())
  if (!found)
    throw ODataError.invalid(
      say`Could not find a property named '${wanted}' on type '${type.fullName}'.`,
      place,
    )
  if (more !== undefined)
    throw ODataError.invalid(say`The property '${more}' can't be selected inside of '${found.name}'.`, place)
  known.set(found.name, found)
  return `${name}/${found.name}`
}

/** The address of an entity. */
export function entityIdParts(set: EntitySet): NotePart[] {
  const { keys } = set.type
  const values = keys.flatMap(({ name, column, type }, index): NotePart[] => [
    `${index ? ',' : ''}${keys.length > 1 ? `${name}=` : ''}`,
    { column, type },
  ])
  return [{ late: serviceRoot }, `${set.name}(`, ...values, ')']
}
