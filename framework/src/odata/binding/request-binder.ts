import type { EntityMeta } from '../../data/entities/entity.js'
import type { Condition, OrderKey, Value } from '../../data/query/expression.js'
import { formOf, idOf, type MemberParts, partsOf, versionsOf } from '../../data/query/kept-shape.js'
import { joinTexts, mapParameter, Parameter, type Text } from '../../data/query/parameter.js'
import {
  beforeStreamSql,
  countSql,
  rowSql,
  rowsByIdSql,
  rowsSql,
  streamSql,
  totalsSql,
  valueSql,
} from '../../data/query/query-sql.js'
import type { RowShape, RowSource, RowsQuery } from '../../data/query/query-tree.js'
import type { Sql } from '../../data/wire/sql.js'
import type { ComplexProperty, EntityModel, EntitySet } from '../model/entity-model.js'
import { allOf } from '../model/value-types.js'
import { ODataError, say } from '../syntax/odata-error.js'
import type { ResourceSegment } from '../syntax/parse-path.js'
import type { Literal, QueryOptions } from '../syntax/syntax.js'
import { ApplyBinder } from './apply-binder.js'
import type { Stage } from './apply-stage.js'
import { ExpressionBinder } from './expression-binder.js'
import { type EntityInstance, itemScope } from './expression-scope.js'
import { type BoundFacets, bindFacets } from './facet-binder.js'
import { bindCompute } from './level-options.js'
import { PathBinder, propertyValue, type Resource } from './path-binder.js'
import { recordShape } from './record-shape.js'
import type { RequestContext } from './request-context.js'
import { ShapeBinder } from './shape-binder.js'
import { readSkipToken } from './skip-token.js'
import { bindStage, stageOrder } from './stage-options.js'

/** A bound request: one statement, and the facts that its answer is written with. */
export interface BoundRequest {
  readonly kind: 'collection' | 'entity' | 'property' | 'count' | 'references'
  readonly set: EntitySet
  /** Of a page whose rows can be kept it is written when it is asked for: others of the same form may spare it. */
  readonly sql: Sql
  /** The part of the context's address behind `$metadata`. */
  readonly context: Text | undefined
  /** Of an entity: it may be missing, because no entity need be related. */
  readonly mayBeNothing?: boolean
  /** Where pages follow: the text that tokens are signed with, and the next `$top` and `$skip`. */
  readonly next?: {
    readonly query: Text
    readonly top: number | undefined
    readonly skip: number | undefined
  }
  /** Of a collection: no row of it is wanted yet, there are more to skip than one request does. */
  readonly onlySkips?: boolean
  readonly facets?: BoundFacets | undefined
  /** Of a collection with count or facets: these alone, and the page alone. */
  readonly apart?: { readonly totals: Sql; readonly page: () => Sql } | undefined
  /** Of a collection whose rows can be kept as JSON by their versions. */
  readonly kept?: KeptRowsRequest | undefined
  /** The answer is short and made of many rows, as a rule. */
  readonly isSummary?: boolean
  readonly pageSize?: number
  /** Of a streamed page: the statement before it, for the count, the facets and the owner. */
  readonly stream?: { readonly limit: number; readonly before: Sql | undefined } | undefined
  readonly isSingleReference?: boolean
  /** The tag of the entity is that of the whole answer. */
  readonly hasTag?: boolean
}

/** A page in two steps: which versions of which rows it has, and then those rows that are not kept. */
export interface KeptRowsRequest {
  /** The page with `VersionOfRow` instead of rows. */
  readonly versions: Sql
  /** The rows with the ids for which the late value `ids` stands, without what `versions` has of them. */
  readonly rows: () => Sql
  /** The same for all requests with the same statement `rows`. */
  readonly form: string
  /** Whose rows are shown inside the rows. */
  readonly inside: readonly EntityMeta[]
}

/** Wishes of a request beside its options. */
export interface RequestWishes {
  readonly facets: boolean
  /** The page may be streamed. */
  readonly canStream: boolean
}

/** Longer pages are read by those who want everything once. */
const longestKeptPage = 200
/** Rows with fewer members that last are not worth keeping beside others that do not. */
const leastLasting = 8

type OptionName = Exclude<keyof QueryOptions, 'texts' | 'aliases' | 'format'>

/** Binds a whole request: its path, then its options. */
export class RequestBinder {
  private readonly shapes: ShapeBinder

  constructor(
    private readonly model: EntityModel,
    private readonly context: RequestContext,
  ) {
    this.shapes = new ShapeBinder(context)
  }

  bind(segments: readonly ResourceSegment[], options: QueryOptions, wishes: RequestWishes): BoundRequest {
    const resource = new PathBinder(this.model, this.context).bind(segments)
    if (resource.property) return this.property(resource, options)
    if (resource.ending === 'count') return this.count(resource, options)
    if (resource.isSingle) return this.entity(resource, options)
    return this.collection(resource, options, wishes)
  }

  private property(resource: Resource, options: QueryOptions): BoundRequest {
    const { set, property, instance, where, owner, canonical, ending, isNamed } = resource
    if (!property) throw new Error('A property was expected')
    if (property.kind === 'complex') return this.complex(resource, property, options)
    const isCount = ending === 'count'
    allow(options, isCount ? ['filter'] : [], isCount ? '$count' : 'a property')
    const value = isCount
      ? this.countOf(resource, options)
      : property.kind === 'objects'
        ? this.shapes.objectsValue(instance, property)
        : propertyValue(instance, property)
    return {
      kind: 'property',
      set,
      sql: valueSql({ source: tableOf(instance), where, value }, this.context.format, owner),
      context: joinTexts(['#', canonical]),
      mayBeNothing: owner !== undefined && !isNamed,
    }
  }

  private complex(
    { set, instance, where, owner, canonical, isNamed }: Resource,
    property: ComplexProperty,
    options: QueryOptions,
  ): BoundRequest {
    allow(options, [], 'a complex property')
    const { members } = this.shapes.complexMember(property, [...property.members.values()])
    const shape: RowShape = { row: instance.path.row, members }
    const sql = rowSql({ source: tableOf(instance), where, shape }, this.context.format, owner)
    return {
      kind: 'entity',
      set,
      sql,
      context: joinTexts(['#', canonical]),
      mayBeNothing: owner !== undefined && !isNamed,
    }
  }

  /** How many values or objects a list has that meet a filter. */
  private countOf({ instance, property }: Resource, { filter }: QueryOptions): Value {
    if (property?.kind !== 'list' && property?.kind !== 'objects') throw new Error('A list was expected')
    const binder = new ExpressionBinder(this.context, '$filter')
    const items = binder.itemsOf(instance, property)
    const where = filter && binder.condition(filter, itemScope(items, { it: instance, current: instance }))
    return { kind: 'count', rows: { ...items.rows, where }, type: 'Int64', nullable: false }
  }

  private count(resource: Resource, options: QueryOptions): BoundRequest {
    const { set, owner } = resource
    allow(options, ['filter', 'search', 'apply', 'compute'], '$count')
    const stage = this.filtered(resource, options)
    return { kind: 'count', set, sql: countSql(stage, owner), context: undefined, isSummary: true }
  }

  private entity(resource: Resource, options: QueryOptions): BoundRequest {
    const { set, where, owner, ending, isNamed } = resource
    allow(options, ['select', 'expand', 'compute', 'levels'], 'a single entity')
    const source = tableOf(resource.instance)
    const shared = { set, mayBeNothing: owner !== undefined && !isNamed }
    if (ending === 'ref') {
      const shape = this.shapes.reference(set, resource.instance.path.row)
      const sql = rowSql({ source, where, shape }, this.context.format, owner)
      return { ...shared, kind: 'references', sql, context: '#$ref', isSingleReference: true }
    }
    const instance = bindCompute(this.context, options.compute ?? [], resource.instance, resource.instance)
    const { shape: bare, fragment } = this.shapes.shape(options, instance, instance, 1)
    const shape = this.shapes.tagged(bare, set)
    const sql = rowSql({ source, where, shape }, this.context.format, owner)
    // Its tag says nothing of other entities in the answer.
    const hasTag = !options.expand && !options.compute
    return { ...shared, kind: 'entity', sql, context: `#${set.name}${fragment}/$entity`, hasTag }
  }

  private collection(resource: Resource, options: QueryOptions, wishes: RequestWishes): BoundRequest {
    const { set, owner } = resource
    if (options.levels !== undefined) allow(options, [], 'a collection')
    const { count } = options
    const { pageSize, streams, ...range } = rangeOf(set, options, wishes, this.context)
    const { limit, onlySkips } = range
    const stage = this.filtered(resource, options)
    const order = stageOrder(this.context, options, stage)
    const { shape: bound, fragment, kind } = this.shape(resource, options, stage, streams ? 1 : limit)
    const parts = partsOf(bound)
    // The same order whether rows are kept or not.
    const shape = { ...bound, members: [...parts.lasting, ...parts.passing] }
    const query = this.signedText(resource, options)
    const last = options.skiptoken && this.lastKeys(options.skiptoken, query, order)
    const behind: Condition | undefined = last && { kind: 'behind', order, last }
    const facets =
      wishes.facets && !options.apply && !last
        ? bindFacets(set, this.context.rights, stage.instance, stage.where)
        : undefined
    const rows = {
      source: stage.source,
      where: allOf([stage.where, behind]),
      shape,
      order,
      skip: range.skip,
      limit,
      hasNext: range.hasNext && order.length > 0,
    }
    const totals = { count: count ? { where: stage.where } : undefined, facets }
    const { format } = this.context
    const next = range.hasNext ? { query, top: range.topLeft, skip: range.skipLeft } : undefined
    const answer = {
      kind,
      set,
      context: kind === 'references' ? '#Collection($ref)' : `#${set.name}${fragment}`,
      ...(next && { next }),
      facets,
      pageSize,
      onlySkips,
    }
    if (streams) {
      const before = count || facets || owner ? beforeStreamSql({ ...rows, ...totals }, owner) : undefined
      const sql = streamSql(rows, format)
      return { ...answer, sql, stream: { limit, before } }
    }
    const apart =
      (count || facets) && !options.apply
        ? { totals: totalsSql({ ...rows, ...totals }), page: () => rowsSql(rows, format, owner) }
        : undefined
    const sql = () => rowsSql({ ...rows, ...totals }, format, owner)
    // Who goes from page to page hardly comes again.
    const kept = kind === 'collection' && !options.apply && !last ? this.kept(rows, parts, owner) : undefined
    const shared = { ...answer, apart, isSummary: options.apply !== undefined }
    return kept
      ? {
          ...shared,
          kept,
          get sql() {
            return sql()
          },
        }
      : { ...shared, sql: sql() }
  }

  private kept(
    rows: RowsQuery,
    { lasting, passing, inside }: MemberParts,
    owner: Resource['owner'],
  ): KeptRowsRequest | undefined {
    const { source, shape, limit } = rows
    const { format } = this.context
    if (source.kind !== 'table' || limit > longestKeptPage || limit === 0 || format.omitNulls)
      return undefined
    const id = source.entity.watched ? idOf(source.entity) : undefined
    if (!id || (passing.length && lasting.length < leastLasting)) return undefined
    const form = formOf(source.entity, lasting, format)
    if (!form) return undefined
    const kept = { source, shape: { ...shape, members: lasting }, limit: longestKeptPage }
    return {
      versions: rowsSql({ ...rows, shape: versionsOf(shape.row, id, passing) }, format, owner),
      rows: () => rowsByIdSql(kept, id, format),
      form,
      inside,
    }
  }

  /** The rows of a resource after its options. */
  private filtered(resource: Resource, options: QueryOptions): Stage {
    const start = new ApplyBinder(this.context).start(
      resource.set,
      resource.where,
      resource.instance.path.row,
    )
    return bindStage(this.context, options, start)
  }

  /** The text that tokens are signed with: a token belongs to the requests that have the same one. */
  private signedText({ canonical }: Resource, { texts = [] }: QueryOptions): Text {
    const { inputs, aliasTexts } = this.context
    const parts = ['$apply', '$compute', '$search', '$filter', '$orderby'].map((option) => {
      const written = texts.find(({ name }) => name === option)
      return written ? inputs.text(written) : ''
    })
    const aliases = aliasTexts.flatMap((alias) => [alias.name, inputs.text(alias)])
    return Parameter.from([canonical, ...parts, ...aliases], (all) => JSON.stringify(all))
  }

  /** The values of a token: each a parameter, but which of them are null holds for the whole plan. */
  private lastKeys(token: Literal, query: Text, order: readonly OrderKey[]) {
    const values = Parameter.from([this.context.inputs.text(token), query] as const, ([text, signed]) =>
      readSkipToken(text, signed, order),
    )
    return order.map((_, index) => mapParameter(values, (last) => last[index] ?? null))
  }

  private shape(
    { set, ending, instance: { path } }: Resource,
    options: QueryOptions,
    stage: Stage,
    limit: number,
  ): { shape: RowShape; fragment: string; kind: 'collection' | 'references' } {
    const { instance } = stage
    if (ending === 'ref') {
      allow(options, ['filter', 'search', 'orderby', 'top', 'skip', 'skiptoken', 'count'], 'references')
      return { shape: this.shapes.reference(set, path.row), fragment: '', kind: 'references' }
    }
    if (instance.kind === 'entity') {
      const bound = this.shapes.shape(options, instance, instance, limit)
      return { ...bound, kind: 'collection' }
    }
    return { ...recordShape(this.context, options, stage), kind: 'collection' }
  }
}

/** Which rows of a collection a request reads, and what is left of its `$top` and `$skip` for the next. */
interface PageRange {
  readonly skip: number
  readonly limit: number
  readonly hasNext: boolean
  readonly onlySkips: boolean
  readonly topLeft: number | undefined
  readonly skipLeft: number | undefined
  readonly pageSize: number
  readonly streams: boolean
}

function rangeOf(
  { maxPageSize }: EntitySet,
  { top, skip = 0 }: QueryOptions,
  { canStream }: RequestWishes,
  { limits, maxPageSize: wanted }: RequestContext,
): PageRange {
  const longest = Math.min(maxPageSize, limits.maxTop)
  const most = canStream ? Math.max(longest, limits.maxStreamedPage) : longest
  const pageSize = Math.min(wanted ?? longest, most)
  const limit = Math.min(top ?? pageSize, pageSize)
  if (skip > limits.maxSkip && limit > 0) {
    // The last of the rows to skip is read: behind it the next request goes on.
    const left = { topLeft: top, skipLeft: skip - limits.maxSkip }
    return {
      ...left,
      skip: limits.maxSkip - 1,
      limit: 1,
      hasNext: true,
      onlySkips: true,
      pageSize,
      streams: false,
    }
  }
  return {
    skip: limit > 0 ? skip : 0,
    limit,
    hasNext: limit > 0 && (top === undefined || top > pageSize),
    onlySkips: false,
    topLeft: top === undefined ? undefined : top - limit,
    skipLeft: undefined,
    pageSize,
    streams: limit > longest,
  }
}

function tableOf({ set, path }: EntityInstance): RowSource {
  return { kind: 'table', row: path.row, entity: set.meta }
}

const optionNames: readonly OptionName[] = [
  'filter',
  'search',
  'select',
  'expand',
  'orderby',
  'compute',
  'apply',
  'top',
  'skip',
  'count',
  'levels',
  'skiptoken',
]

/** Refuses options that do not fit what a path leads to. */
function allow(options: QueryOptions, allowed: readonly OptionName[], what: string): void {
  const wrong = optionNames.find((name) => options[name] !== undefined && !allowed.includes(name))
  if (wrong)
    throw ODataError.invalid(say`The query option '$${wrong}' can't be used on ${what}.`, {
      target: `$${wrong}`,
    })
}
