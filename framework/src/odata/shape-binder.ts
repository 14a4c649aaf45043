import { type Condition, columnOf, type OrderKey, RowVariable } from '../data/query/expression.js'
import { type Member, type NotePart, type RowShape, rowVersion } from '../data/query/query-tree.js'
import type { Scalar } from '../data/query/scalars.js'
import type { EntitySet, Navigation, Property } from './entity-model.js'
import { type BinderContext, ExpressionBinder } from './expression-binder.js'
import type { EntityInstance, Instance } from './expression-scope.js'
import type { ODataLimits } from './limits.js'
import { ODataError } from './odata-error.js'
import { bindSearch } from './search-binder.js'
import type { ComputeItem, ExpandItem, OrderItem, QueryOptions, SelectItem } from './syntax.js'
import { allOf, typeName } from './value-types.js'

/** How an answer is written. */
export interface AnswerFormat {
  readonly metadata: 'none' | 'minimal' | 'full'
  /** Numbers that a double does not hold are texts. */
  readonly ieee754: boolean
  /** What begins the name of an annotation: `@odata.`, or `@` in version 4.01. */
  readonly prefix: '@odata.' | '@'
  /** Members that are null are left out. */
  readonly omitNulls?: boolean | undefined
}

/** What binders of one request share. */
export interface RequestContext extends BinderContext {
  readonly limits: ODataLimits
  readonly format: AnswerFormat
  /** Texts of the request's aliases, for links: `@p` and its value. */
  readonly aliasTexts: readonly (readonly [string, string])[]
}

/** The name of the late value that is the address of the service, ending with a slash. */
export const serviceRoot = 'root'

const mostLevels = 16

/** Types that JSON tells by itself. */
const plainTypes: ReadonlySet<Scalar> = new Set<Scalar>(['Boolean', 'String', 'Int32', 'Double'])

/** What is shown of the entities of one level, and how its context fragment names that. */
export interface BoundShape {
  readonly shape: RowShape
  /** `(Id,Orders())`, or nothing for everything. */
  readonly fragment: string
}

/** Binds `$select`, `$expand` and `$compute` of one level, and everything below it. */
export class ShapeBinder {
  /** That the answer may have, as far as it is bound. */
  private objects = 0

  constructor(private readonly context: RequestContext) {}

  /** `$compute`: names and their values, on top of those that are there. */
  compute(items: readonly ComputeItem[], instance: EntityInstance, it: Instance): EntityInstance {
    const computed = new Map(instance.computed)
    const binder = new ExpressionBinder(this.context, '$compute')
    for (const { expression, alias, at } of items) {
      const { type } = instance.set
      const taken = [...type.properties.keys(), ...type.navigations.keys(), ...computed.keys()]
      if (taken.some((name) => name.toLowerCase() === alias.toLowerCase()))
        binder.refuse(`The name '${alias}' is taken already.`, { at })
      computed.set(alias, binder.value(expression, { it, current: { ...instance, computed } }))
    }
    return { ...instance, computed }
  }

  /** `$orderby`, with the keys behind it that make the order definite. */
  order(items: readonly OrderItem[] | undefined, instance: EntityInstance, it: Instance): OrderKey[] {
    const binder = new ExpressionBinder(this.context, '$orderby')
    const { row } = instance.path
    const order = (items ?? []).flatMap(({ expression, descending }): OrderKey[] => {
      const value = binder.value(expression, { it, current: instance })
      const isFixed = value.kind === 'constant' || value.kind === 'null' || value.kind === 'now'
      return isFixed ? [] : [{ value, descending }]
    })
    const has = ({ column }: Property) =>
      order.some(({ value }) => value.kind === 'column' && !value.path.via.length && value.column === column)
    const keys = instance.set.type.keys.filter((key) => !has(key))
    return [
      ...order,
      ...keys.map(({ column, type }) => ({ value: columnOf(row, column, type), descending: false })),
    ]
  }

  /** `$filter` and `$search` of one level. */
  condition(options: QueryOptions, instance: EntityInstance, it: Instance): Condition | undefined {
    return allOf([
      options.search && bindSearch(instance.set, instance.path.row, options.search, '$search'),
      options.filter &&
        new ExpressionBinder(this.context, '$filter').condition(options.filter, { it, current: instance }),
    ])
  }

  /** @param rows the most rows of this level, all its owners together */
  shape(options: QueryOptions, instance: EntityInstance, it: Instance, rows: number, depth = 0): BoundShape {
    const { set, path } = instance
    const selected = this.selected(options.select, instance)
    const expanded = this.expandItems(options.expand, instance)
    const members: Member[] = this.entityNotes(set)
    const { rights } = this.context
    for (const property of rights.properties(set.type)) {
      if (selected && !selected.properties.has(property)) continue
      members.push(...this.typeNote(property.name, property.type))
      members.push({ kind: 'column', name: property.name, column: property.column, type: property.type })
    }
    for (const [name, value] of instance.computed) {
      if (selected && !selected.computed.has(name)) continue
      members.push(...this.typeNote(name, value.type, true))
      members.push({ kind: 'value', name, value })
    }
    members.push(...this.linkNotes(set))
    const names = selected ? [...selected.names] : []
    for (const { navigation, item } of expanded) {
      const one = this.expandOne(navigation, item, instance, it, rows, depth)
      members.push(...one.members)
      if (one.fragment) names.push(one.fragment)
    }
    return { shape: { row: path.row, members }, fragment: names.length ? `(${names.join(',')})` : '' }
  }

  /** The annotation that leads to an entity: all that a reference has. */
  reference(set: EntitySet, row: RowVariable): RowShape {
    return { row, members: [{ kind: 'note', name: `${this.context.format.prefix}id`, parts: idOf(set) }] }
  }

  private selected(items: readonly SelectItem[] | undefined, { set, computed }: EntityInstance) {
    if (!items) return undefined
    const found = { properties: new Set<Property>(), computed: new Set<string>(), names: new Set<string>() }
    for (const { path, options, at } of items) {
      const place = { target: '$select', at }
      const names = path[0]?.toLowerCase() === set.type.fullName.toLowerCase() ? path.slice(1) : path
      const [name = '*'] = names
      if (options) throw ODataError.invalid(`The property '${name}' can't have options in $select.`, place)
      if (name === '*') {
        for (const property of this.context.rights.properties(set.type)) found.properties.add(property)
        for (const alias of computed.keys()) found.computed.add(alias)
        found.names.add('*')
        continue
      }
      const property = this.context.rights.property(set.type, name)
      if (computed.has(name)) found.computed.add(name)
      else if (property) found.properties.add(property)
      const known = computed.has(name)
        ? name
        : (property?.name ?? this.context.rights.navigation(set.type, name)?.name)
      if (known === undefined)
        throw ODataError.invalid(
          `Could not find a property named '${name}' on type '${set.type.fullName}'.`,
          place,
        )
      if (names.length > 1)
        throw ODataError.invalid(`The property '${names[1]}' can't be selected inside of '${known}'.`, place)
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
        for (const navigation of set.type.navigations.values())
          if (this.context.rights.mayRead(navigation.target) && !found.has(navigation.name))
            found.set(navigation.name, { navigation, item })
        continue
      }
      const navigation = this.context.rights.navigation(set.type, name)
      if (!navigation && this.context.rights.property(set.type, name))
        throw ODataError.invalid(`The property '${name}' cannot be used in the $expand query option.`, place)
      if (!navigation)
        throw ODataError.invalid(
          `Could not find a property named '${name}' on type '${set.type.fullName}'.`,
          place,
        )
      if (behind !== undefined && behind.toLowerCase() !== navigation.target.type.fullName.toLowerCase())
        throw ODataError.invalid(
          `The path '${names.join('/')}' can't be expanded: expand '${behind}' inside of '${name}'.`,
          place,
        )
      const known = found.get(navigation.name)
      if (known && known.item.path[0] !== '*')
        throw ODataError.invalid(`The property '${name}' is expanded twice.`, place)
      this.context.rights.demand(navigation.target)
      found.set(navigation.name, { navigation, item })
    }
    return [...found.values()]
  }

  private expandOne(
    navigation: Navigation,
    item: ExpandItem,
    owner: EntityInstance,
    it: Instance,
    rows: number,
    depth: number,
  ): { members: Member[]; fragment: string } {
    const { name, target } = navigation
    const { options, shape } = item
    const place = { target: '$expand', at: item.at }
    if (depth >= this.context.limits.maxExpansionDepth)
      throw ODataError.invalid(
        `The request includes a $expand path which is too deep. The maximum depth allowed is ${this.context.limits.maxExpansionDepth}.`,
        place,
      )
    if (options.apply) throw ODataError.unsupported('$apply inside of $expand', place)
    const row = new RowVariable(target.meta)
    const binder = new ExpressionBinder(this.context, '$expand')
    const instance = this.compute(options.compute ?? [], binder.instanceOf(target, row), it)
    const relation = { own: navigation.own.column, target: target.meta, theirs: navigation.theirs.column }
    const prefixed = `${name}${this.context.format.prefix}`
    if (!navigation.collection) {
      const wrong = (['filter', 'search', 'orderby', 'top', 'skip', 'count'] as const).find(
        (option) => options[option] !== undefined,
      )
      if (wrong || shape === 'count')
        throw ODataError.invalid(
          `The option '$${wrong ?? 'count'}' can only be used on collections, and '${name}' leads to one entity.`,
          place,
        )
      this.expectFew(rows, place)
      const inner = this.inner(navigation, item, instance, it, rows, depth)
      return {
        members: [{ kind: 'one', name, relation, shape: inner.shape }],
        fragment: inner.fragment,
      }
    }
    const where = this.condition(options, instance, it)
    const members: Member[] = []
    const related = { from: { row: owner.path.row, via: [] }, relation, row: new RowVariable(target.meta) }
    if (shape === 'count' || options.count) {
      // Bound once more: a row variable stands for one table of the statement.
      const counted = binder.instanceOf(target, related.row)
      const condition = this.condition(options, this.compute(options.compute ?? [], counted, it), it)
      members.push({ kind: 'count', name: `${prefixed}count`, rows: { ...related, where: condition } })
    }
    if (shape === 'count') return { members, fragment: '' }
    const { top, skip = 0 } = options
    this.checkPaging(options)
    const { maxExpandedPage, maxExpandedRows } = this.context.limits
    const most = Math.max(
      1,
      Math.min(maxExpandedPage, target.maxPageSize, Math.floor(maxExpandedRows / Math.max(rows, 1))),
    )
    const limit = Math.min(top ?? most, most)
    this.expectFew(rows * limit, place)
    const inner = this.inner(navigation, item, instance, it, rows * Math.max(limit, 1), depth)
    const order = this.order(options.orderby, instance, it)
    const rest =
      top === undefined || top > most
        ? { name: `${prefixed}nextLink`, parts: this.restLink(navigation, owner.set, options, limit) }
        : undefined
    members.push({
      kind: 'many',
      name,
      relation,
      rows: { shape: inner.shape, where, order, skip, limit, tellsRest: rest !== undefined },
    })
    if (rest) members.push({ kind: 'note', name: rest.name, parts: rest.parts, ofRest: name })
    return { members, fragment: inner.fragment }
  }

  /** Refuses what may become an answer of too many rows, before it is asked of the database. */
  private expectFew(more: number, place: { readonly target: string; readonly at: number }): void {
    const { maxObjects } = this.context.limits
    this.objects += more
    if (this.objects > maxObjects)
      throw ODataError.invalid(
        `The answer might have more than ${maxObjects} entities: say $top, also inside of $expand, or expand less.`,
        place,
      )
  }

  /** Refuses to page further than is allowed. */
  checkPaging({ top, skip }: QueryOptions): void {
    const { maxTop, maxSkip } = this.context.limits
    const refuse = (option: string, most: number, value: number) => {
      throw ODataError.invalid(
        `The limit of '${most}' for ${option} query has been exceeded. The value from the incoming request is '${value}'.`,
        { target: `$${option.toLowerCase()}` },
      )
    }
    if (top !== undefined && top > maxTop) refuse('Top', maxTop, top)
    if (skip !== undefined && skip > maxSkip) refuse('Skip', maxSkip, skip)
  }

  private inner(
    { name, target }: Navigation,
    item: ExpandItem,
    instance: EntityInstance,
    it: Instance,
    rows: number,
    depth: number,
  ): BoundShape {
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
    if (wanted > most)
      throw ODataError.invalid(
        `The request includes a $expand path which is too deep. The maximum depth allowed is ${this.context.limits.maxExpansionDepth}.`,
        { target: '$levels', at: item.at },
      )
    if (wanted <= 1) return options
    const same = target.type.navigations.get(name)
    if (!same)
      throw ODataError.invalid(
        `'${name}' can't be expanded on several levels: '${target.type.fullName}' has none.`,
        {
          target: '$levels',
          at: item.at,
        },
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
    const texts = [...(options.texts ?? [])].filter(([name]) => !['$top', '$skip', '$levels'].includes(name))
    const pairs: (readonly [string, string])[] = [...texts, ...this.context.aliasTexts]
    if (options.top !== undefined) pairs.push(['$top', String(options.top - limit)])
    pairs.push(['$skip', String((options.skip ?? 0) + limit)])
    const query = pairs.map(([name, text]) => `${name}=${encodeURIComponent(text)}`).join('&')
    return [...idOf(owner), `/${navigation.name}?`, { bound: query }]
  }

  /** A single entity with its tag first, from where the header is read. */
  tagged(shape: RowShape): RowShape {
    const { metadata } = this.context.format
    return metadata === 'minimal' ? { ...shape, members: [this.etagNote(), ...shape.members] } : shape
  }

  private etagNote(): Member {
    const version = { column: rowVersion, type: 'Int64' } as const
    return { kind: 'note', name: `${this.context.format.prefix}etag`, parts: ['W/"', version, '"'] }
  }

  private entityNotes(set: EntitySet): Member[] {
    const { metadata, prefix } = this.context.format
    if (metadata !== 'full') return []
    return [
      this.etagNote(),
      { kind: 'note', name: `${prefix}type`, parts: [`#${set.type.fullName}`] },
      { kind: 'note', name: `${prefix}id`, parts: idOf(set) },
      { kind: 'note', name: `${prefix}editLink`, parts: idOf(set).slice(1) },
    ]
  }

  private linkNotes(set: EntitySet): Member[] {
    const { metadata, prefix } = this.context.format
    if (metadata !== 'full') return []
    return [...set.type.navigations.values()].flatMap(({ name, target }): Member[] =>
      this.context.rights.mayRead(target)
        ? [
            {
              kind: 'note',
              name: `${name}${prefix}associationLink`,
              parts: [...idOf(set), `/${name}/$ref`],
            },
            { kind: 'note', name: `${name}${prefix}navigationLink`, parts: [...idOf(set), `/${name}`] },
          ]
        : [],
    )
  }

  /** The type of a value where the client can't tell: of every property in full metadata, of names of its own in minimal. */
  typeNote(name: string, type: Scalar, isDynamic = false): Member[] {
    const { metadata, prefix } = this.context.format
    const isTold = metadata === 'full' || (metadata === 'minimal' && isDynamic)
    if (!isTold || plainTypes.has(type)) return []
    const told = `#${typeName(type, this.context.namespace).replace(/^Edm\./, '')}`
    return [{ kind: 'note', name: `${name}${prefix}type`, parts: [told], isDynamic }]
  }
}

/** The address of an entity. */
export function idOf(set: EntitySet): NotePart[] {
  const { keys } = set.type
  const values = keys.flatMap(({ name, column, type }, index): NotePart[] => [
    `${index ? ',' : ''}${keys.length > 1 ? `${name}=` : ''}`,
    { column, type },
  ])
  return [{ late: serviceRoot }, `${set.name}(`, ...values, ')']
}
