import { type AnyDto, errorFromEnvelope, type KeelError, UnavailableError } from '../contracts/index.js'
import { pascalCase } from '../contracts/routes.js'
import { adjustable } from './call-options.js'
import { ContractMismatchError } from './contract-mismatch.js'
import { baseOf, bodyOf, type ConnectionOptions, exchange } from './exchange.js'
import { GroupBuilder, type Groups, groupOptions } from './group-query.js'
import { nameOperations, withArgumentsText } from './operation-names.js'
import { optionsOf, type Query, QueryBuilder, type ValuesOf, wantedKeys } from './query.js'
import { missingMembers, type OnMismatch, readRow, readValue } from './row-reader.js'

/** How often the values of one field occur among all rows that were found. */
export interface QueryFacet {
  readonly field: string
  readonly values: readonly { readonly value: string; readonly count: number }[]
}

/** A page of rows. */
export interface QueryPage<R> {
  readonly items: R[]
  /** Of all pages; undefined unless the query counts. */
  readonly totalCount: number | undefined
  /** Undefined unless the query asks for them and the set has some. */
  readonly facets: readonly QueryFacet[] | undefined
  /** Fetches the next page; undefined on the last one. */
  readonly next: (() => Promise<QueryPage<R>>) | undefined
}

/** A set of entities that can be queried: `D` is the DTO its rows are read into. */
export interface EntitySetClient<D extends AnyDto> {
  /**
   * Reads rows. Members are those of the DTO: values come unless others are selected, related rows only when they are expanded.
   * @example hub.shipments.query((q) => q.filter((s) => s.status.eq(ShipmentStatus.Booked)).expand('documents').top(50))
   */
  query<R = ValuesOf<InstanceType<D>>>(
    build?: (query: Query<InstanceType<D>, ValuesOf<InstanceType<D>>>) => Query<InstanceType<D>, R>,
  ): Promise<QueryPage<R>>
  /**
   * Reads one row by its key. Throws `EntityNotFoundError` when there is none that the caller may see.
   * @param key the id, or the members of a key of several, by name
   * @example hub.ports.queryOne(id, (q) => q.select('name'))
   */
  queryOne<R = ValuesOf<InstanceType<D>>>(
    key: string | Readonly<Record<string, string | number | boolean>>,
    build?: (query: Query<InstanceType<D>, ValuesOf<InstanceType<D>>>) => Query<InstanceType<D>, R>,
  ): Promise<R>
  /**
   * Has the host group rows and calculate of them. All groups come in one answer, at most 1,000.
   * @example hub.shipments.queryGroups((g) => g.by('status').count('shipments').sum('totalPackages', 'packages'))
   */
  queryGroups<R>(
    build: (groups: Groups<InstanceType<D>, unknown>) => Groups<InstanceType<D>, R>,
  ): Promise<R[]>
}

/** A set under `/odata` of a host, with the DTO that its rows are. @param remote the name of the remote service, for errors */
export function createEntitySetClient<D extends AnyDto>(
  name: string,
  dto: D,
  options: ConnectionOptions,
  remote = 'OData',
): EntitySetClient<D> {
  const { checksContracts = true } = options
  const client: EntitySetClient<D> = {
    query: withArgumentsText(
      (build?: unknown) => {
        const state = stateOf(build)
        return read(addressOf(queryText(state)), state.facets === true, wantedKeys(state)) as never
      },
      (build) => queryText(stateOf(build)),
    ),
    queryOne: withArgumentsText(
      async (key: Key, build?: unknown) => {
        const state = stateOf(build)
        const url = addressOf(rowText(key, state))
        const row = (await send(url, { keys: wantedKeys(state), isRow: true })) as Record<string, unknown>
        return readRow(dto.schema, row, refuse) as never
      },
      (key, build) => rowText(key, stateOf(build)),
    ),
    queryGroups: withArgumentsText(
      async (build: unknown) => {
        const state = groupsOf(build)
        const answer = (await send(addressOf(groupText(state)), { keys: state.keys })) as Answer
        return answer.value.map((row) => {
          const read = readRow(dto.schema, row, refuse)
          for (const { as, schema } of state.aggregates)
            read[as] = schema ? readValue(schema, read[as], refuse, as) : Number(read[as])
          return read as never
        })
      },
      (build) => groupText(groupsOf(build)),
    ),
  }
  return adjustable(nameOperations(remote, name, client), (more) =>
    createEntitySetClient(name, dto, { ...options, ...more }, remote),
  )

  /** The address of what follows the name of the set. */
  function addressOf(text: string): string {
    return `${baseOf(options)}/odata/${name}${text}`
  }

  function groupsOf(build: unknown): GroupBuilder['state'] {
    return (build as (all: GroupBuilder) => GroupBuilder)(GroupBuilder.of(dto)).state
  }

  function stateOf(build: unknown): QueryBuilder['state'] {
    const all = QueryBuilder.of(dto)
    // Types say more than what runs: the builder is a `Query` of every shape.
    return build ? (build as (query: QueryBuilder) => QueryBuilder)(all).state : all.state
  }

  async function read<R>(url: string, facets: boolean, keys: readonly string[]): Promise<QueryPage<R>> {
    const answer = (await send(url, { keys, facets })) as Answer
    const link = answer['@odata.nextLink']
    const count = answer['@odata.count']
    return {
      items: answer.value.map((row) => readRow(dto.schema, row, refuse) as R),
      totalCount: count === undefined ? undefined : Number(count),
      facets: answer['@core.facets']?.map(({ Field, Values }) => ({
        field: Field,
        values: Values.map(({ Value, Count }) => ({ value: Value, count: Number(Count) })),
      })),
      next: link === undefined ? undefined : () => read<R>(link, facets, keys),
    }
  }

  async function send(
    url: string,
    {
      keys,
      facets = false,
      isRow = false,
    }: { readonly keys: readonly string[]; readonly facets?: boolean; readonly isRow?: boolean },
  ): Promise<unknown> {
    const headers = {
      accept: 'application/json;odata.metadata=minimal;IEEE754Compatible=true',
      'odata-maxversion': '4.0',
      ...(facets && { prefer: 'odata.include-annotations="core.facets"' }),
    }
    const onAnswer = async ({ status }: Response): Promise<void> => {
      if (status === 400) await compareWithHost(keys)
    }
    const request = { verb: 'GET', url, headers, isRepeatable: true, ...(checksContracts && { onAnswer }) }
    const body = await exchange(request, options, (response) => readBody(response, url), errorOf)
    if (typeof body === 'object' && body !== null && (isRow || Array.isArray((body as Answer).value)))
      return body
    throw new UnavailableError(`The answer to ${url} is not JSON of OData.`, undefined, {
      text: { key: 'RemoteServiceGarbled', data: { url } },
    })
  }

  /** Of a refused query: throws when the reason is that the host has another version of the set. */
  async function compareWithHost(keys: readonly string[]): Promise<void> {
    const url = `${baseOf(options)}/odata/$metadata`
    const request = { verb: 'GET', url, headers: { accept: 'application/json' }, isRepeatable: true }
    const csdl = await exchange(request, options, (response) => readBody(response, url)).catch(
      () => undefined,
    )
    const differences = csdl ? missingMembers(csdl, name, keys) : []
    if (differences.length)
      throw new ContractMismatchError({ remote, operation: name, differences, wasSent: true })
  }

  function refuse(difference: Parameters<OnMismatch>[0]): never {
    throw new ContractMismatchError({ remote, operation: name, differences: [difference], wasSent: true })
  }
}

function queryText(state: QueryBuilder['state']): string {
  return `?${encoded(optionsOf(state))}`
}

function rowText(key: Key, state: QueryBuilder['state']): string {
  return `(${keyText(key)})${queryText(state)}`
}

function groupText(state: GroupBuilder['state']): string {
  return `?${encoded(groupOptions(state))}`
}

function encoded(options: readonly (readonly [string, string])[]): string {
  return options.map(([option, value]) => `${option}=${encodeURIComponent(value)}`).join('&')
}

const guid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The key of a row: its id, or the members of a key of several. */
type Key = string | Readonly<Record<string, string | number | boolean>>

/** A key as a part of an address. */
function keyText(key: Key): string {
  if (typeof key === 'string') return literalOf(key)
  return Object.entries(key)
    .map(([name, value]) => `${pascalCase(name)}=${literalOf(value)}`)
    .join(',')
}

function literalOf(value: string | number | boolean): string {
  if (typeof value !== 'string' || guid.test(value)) return String(value)
  return encodeURIComponent(`'${value.replaceAll("'", "''")}'`)
}

async function readBody(response: Response, url: string): Promise<unknown> {
  const text = await bodyOf(response, 'GET', url)
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Answer {
  readonly value: readonly Record<string, unknown>[]
  readonly '@odata.count'?: string | number
  readonly '@odata.nextLink'?: string
  readonly '@core.facets'?: readonly {
    readonly Field: string
    readonly Values: readonly { readonly Value: string; readonly Count: number }[]
  }[]
}

/** OData's error as ours: what it tells as a list is no text of details. */
function errorOf(status: number, body: unknown, retryAfterSeconds?: number): KeelError {
  const { error } = (body ?? {}) as { error?: { code?: string; message?: string } }
  const envelope = error && { error: { code: error.code, message: error.message } }
  return errorFromEnvelope(status, envelope, retryAfterSeconds)
}
