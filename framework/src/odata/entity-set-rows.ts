import type { Scalar } from '../data/query/scalars.js'
import { bytesText } from '../data/wire/byte-rows.js'
import { ambient } from '../modularity/ambient.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { usesPermission } from '../modularity/principal.js'
import { demandPermission } from '../security/authorization.js'
import type { CellKind, SheetColumns, SheetRow } from '../spreadsheets/index.js'
import type { EntitySet, EntityType, Property } from './model/entity-model.js'
import { ODataQueries } from './plans/odata-queries.js'
import { OData } from './plans/odata-settings.js'
import type { ReadRequest } from './plans/read-request.js'
import { ServedModel } from './plans/served-model.js'
import type { StreamedRows } from './plans/streamed-rows.js'
import { ODataError, say } from './syntax/odata-error.js'
import { parseQueryOptions } from './syntax/parse-options.js'
import { parseResourcePath } from './syntax/parse-path.js'
import { queryPairs, withForeignEncoded } from './syntax/url.js'

/** Query options that choose and order rows; what their columns are is said otherwise. */
const rowOptions: ReadonlySet<string> = new Set(['$filter', '$orderby', '$search'])

/** Rows of an entity set, as work reads them that is no request. */
export interface SetRowsRequest {
  /** The name of the set. */
  readonly set: string
  /** Query options as in a URL, encoded or not: `$filter`, `$orderby`, `$search`, and `$select` where no columns are named. */
  readonly query?: string | null | undefined
  /** Paths of properties, also over navigation to one entity: `Carrier/Name`. Those of `$select`, or all plain ones of the set, when not given. */
  readonly columns?:
    | readonly { readonly path: string; readonly header?: string | null | undefined }[]
    | null
    | undefined
  /** The most rows. */
  readonly most: number
}

/** What rows of a set are read by, with every column. */
export interface SetRowsSource extends Omit<SetRowsRequest, 'most'> {
  readonly query: string
  readonly columns: readonly { readonly path: string }[]
}

/** A column of rows of a set. */
interface SetColumn {
  readonly path: string
  readonly header: string
  readonly kind: CellKind
  readonly cell: (row: object) => string | number | boolean | Date | null
}

/** Rows that are read while they are taken, and then what became of them. */
export interface OpenSetRows {
  readonly columns: SheetColumns
  /** What is read, with every column, for a later {@link EntitySetRows.scopeOf}. */
  readonly source: SetRowsSource
  /** As {@link EntitySetRows.scopeOf} had it before the first row was read. */
  readonly scope: string
  readonly rows: AsyncGenerator<SheetRow<SheetColumns>>
  /** The rows that were taken so far. */
  readonly count: number
  /** True when there were more rows than were wanted; known when all are taken. */
  readonly isTruncated: boolean
  /** Gives the connection back. */
  close(): Promise<void>
}

/**
 * Reads entity sets as rows of files, in the name of the caller at hand: with the permission of the set, the row rules and the hidden members that the
 * OData layer has for requests. Whatever a request would be refused for is thrown: {@link ODataError}, `ForbiddenError`.
 */
@Injectable()
export class EntitySetRows {
  private readonly limits

  constructor(
    private readonly application: Application,
    private readonly served: ServedModel,
    private readonly queries: ODataQueries,
  ) {
    this.limits = application.configuration.read(OData)
  }

  /** True when this host serves a set of this name at the moment. */
  has(set: string): boolean {
    return this.served.ofCaller().sets.has(set)
  }

  /**
   * A digest of what row rules make of the caller for some rows: a file that was made with another one may have rows that the caller does not see any more.
   * Refuses callers who lack a right that it takes to read the rows: that of the set, of its columns and of what its query names.
   */
  scopeOf(request: Omit<SetRowsRequest, 'most'>): Promise<string> {
    return this.queries.scopeOf(this.readingOf({ ...request, most: 1 }).wanted)
  }

  /** Refuses what {@link open} would refuse now. */
  async check(request: Omit<SetRowsRequest, 'most'>): Promise<void> {
    await (await this.open({ ...request, most: 1 })).close()
  }

  /** Begins to read. Whoever opened the rows closes them in any case: they hold a connection. */
  async open(request: SetRowsRequest): Promise<OpenSetRows> {
    const { most } = request
    const { wanted, columns, source } = this.readingOf(request)
    const scope = await this.queries.scopeOf(wanted)
    const result = await this.queries.read(wanted)
    const objects = result.rows ? streamed(result.rows) : whole(result.text ? bytesText(result.text) : '')
    const state = { count: 0, isTruncated: false }
    const isCut = result.next !== undefined
    async function* rows(): AsyncGenerator<SheetRow<SheetColumns>> {
      for await (const object of objects) {
        if (state.count === most) {
          state.isTruncated = true
          return
        }
        state.count += 1
        yield Object.fromEntries(columns.map(({ cell }, index) => [`c${index}`, cell(object)]))
      }
      state.isTruncated = isCut
    }
    return {
      // By number: two columns may have the same path.
      columns: Object.fromEntries(columns.map(({ header, kind }, index) => [`c${index}`, { header, kind }])),
      source,
      scope,
      rows: rows(),
      get count() {
        return state.count
      },
      get isTruncated() {
        return state.isTruncated
      },
      close: async () => result.rows?.close(),
    }
  }

  /** The request for some rows, their columns, and what is read in full. */
  private readingOf({ set: name, query, columns: chosen, most }: SetRowsRequest): {
    readonly wanted: ReadRequest
    readonly columns: readonly SetColumn[]
    readonly source: SetRowsSource
  } {
    const model = this.served.ofCaller()
    const set = this.setOf(name)
    demandPermission(set.permission)
    const { options, select } = this.optionsOf(query ?? '', chosen !== null && chosen !== undefined)
    const columns = this.columnsOf(set, chosen ?? select)
    const wanted: ReadRequest = {
      model,
      path: `/${set.name}`,
      query: new URLSearchParams([...options, ...shapeOf(set, columns)]).toString().replaceAll('+', '%20'),
      parse: (path, text) => ({
        path: parseResourcePath(path, this.limits),
        options: parseQueryOptions(queryPairs(text), this.limits),
      }),
      maxPageSize: most + 1,
      // More rows than a page of the set has are streamed.
      canStream: true,
      format: { metadata: 'none', ieee754: true, prefix: '@odata.', root: '' },
    }
    const source = {
      set: name,
      query: options.map(([option, value]) => `${option}=${encodeURIComponent(value)}`).join('&'),
      columns: columns.map(({ path }) => ({ path })),
    }
    return { wanted, columns, source }
  }

  private setOf(name: string): EntitySet {
    const set = this.served.ofCaller().sets.get(name)
    if (!set) throw ODataError.notFound(say`There is no entity set '${name}'.`)
    return set
  }

  /** The options that choose rows, and the names after `$select`. */
  private optionsOf(
    query: string,
    hasColumns: boolean,
  ): { options: [string, string][]; select: { path: string }[] | undefined } {
    const options: [string, string][] = []
    let select: { path: string }[] | undefined
    for (const [name, value] of queryPairs(withForeignEncoded(query.replace(/^\?/, '')))) {
      const option = name.startsWith('$') ? name.toLowerCase() : `$${name.toLowerCase()}`
      if (rowOptions.has(option)) options.push([option, value])
      else if (option === '$select' && !hasColumns)
        select = value.split(',').map((path) => ({ path: path.trim() }))
      else throw ODataError.invalid(say`The query option '${name}' can not be used here.`, { target: name })
    }
    return { options, select }
  }

  private columnsOf(set: EntitySet, wanted: SetRowsRequest['columns']): SetColumn[] {
    const { principal } = ambient()
    const isSeen = ({ permission }: Property) => !permission || usesPermission(principal, permission)
    const paths =
      wanted ??
      [...set.type.properties.values()].filter(isSeen).map(({ name }) => ({ path: name, header: null }))
    return paths.map(({ path, header }) => this.columnOf(set, path, header))
  }

  private columnOf(set: EntitySet, path: string, header: string | null | undefined): SetColumn {
    const names = path.split('/')
    const { localization } = this.application
    const { culture } = ambient()
    const labels: string[] = []
    let owner = set
    let property: Property | undefined
    for (const [index, name] of names.entries()) {
      const { properties, complexes, navigations } = owner.type
      const isLast = index === names.length - 1
      labels.push(localization.label(owner.module, owner.meta.name, name, culture) ?? name)
      const complex = complexes.get(name)
      if (complex && index === names.length - 2) {
        const member = names[index + 1] ?? ''
        property = complex.members.get(member)
        labels.push(member)
        break
      }
      if (isLast) property = properties.get(name)
      else {
        const navigation = navigations.get(name)
        if (!navigation || navigation.collection) break
        owner = navigation.target
      }
    }
    if (!property)
      throw ODataError.invalid(
        say`'${path.slice(0, 200)}' is no property with one value of an entity in '${set.name}'.`,
        { target: 'columns' },
      )
    const { kind, read } = this.cellOf(property.type, culture)
    const cell = (row: object) => {
      const value = names.reduce<unknown>((at, name) => (at as Record<string, unknown> | null)?.[name], row)
      return value === null || value === undefined ? null : read(value as string | number | boolean)
    }
    return { path, header: header ?? labels.join(' / '), kind, cell }
  }

  private cellOf(
    type: Scalar,
    culture: string,
  ): { kind: CellKind; read: (value: string | number | boolean) => string | number | boolean | Date } {
    if (typeof type === 'object') {
      const { localization } = this.application
      return {
        kind: 'text',
        read: (name) =>
          localization.find(`Enum:${type.name}.${type.members.get(String(name))}`, culture) ?? String(name),
      }
    }
    switch (type) {
      case 'Boolean':
        return { kind: 'boolean', read: (value) => value }
      case 'Int16':
      case 'Int32':
      case 'Single':
      case 'Double':
        // Not-a-number and infinities are texts.
        return { kind: 'number', read: (value) => Number(value) }
      case 'Int64':
      case 'Decimal':
        return { kind: 'decimal', read: String }
      case 'Date':
        return { kind: 'date', read: String }
      case 'DateTimeOffset':
        return { kind: 'instant', read: (value) => new Date(String(value)) }
      default:
        return { kind: 'text', read: String }
    }
  }
}

/** `$select` and `$expand` of columns. */
function shapeOf({ type }: EntitySet, columns: readonly SetColumn[]): [string, string][] {
  const text = shapeText(
    type,
    columns.map(({ path }) => path.split('/')),
  )
  return text.map((option) => {
    const [name = '', ...value] = option.split('=')
    return [name, value.join('=')]
  })
}

/** The options of one level of an answer. */
function shapeText(type: EntityType, paths: readonly (readonly string[])[]): string[] {
  const select = new Set<string>()
  const below = new Map<string, string[][]>()
  for (const [name = '', ...rest] of paths) {
    const navigation = type.navigations.has(name)
    if (navigation) below.set(name, [...(below.get(name) ?? []), [...rest]])
    else select.add([name, ...rest].join('/'))
  }
  // Without `$select` everything would be read.
  if (select.size === 0) for (const { name } of type.keys) select.add(name)
  const expand = [...below].map(([name, inner]) => {
    const target = type.navigations.get(name)?.target.type
    return target ? `${name}(${shapeText(target, inner).join(';')})` : name
  })
  return [`$select=${[...select].join(',')}`, ...(expand.length ? [`$expand=${expand.join(',')}`] : [])]
}

async function* streamed(rows: StreamedRows): AsyncGenerator<object> {
  for await (const piece of rows.pieces()) yield* JSON.parse(`[${piece.replace(/^,/, '')}]`) as object[]
}

async function* whole(text: string): AsyncGenerator<object> {
  yield* JSON.parse(text || '[]') as object[]
}
