import {
  type AnyDto,
  errorFromEnvelope,
  type KeelError,
  UnavailableError,
  unwrap,
  wireKind,
  type z,
} from '../contracts/index.js'
import { adjustable } from './call-options.js'
import { baseOf, bodyOf, type ConnectionOptions, exchange } from './exchange.js'
import { optionsOf, type Query, QueryBuilder, type ValuesOf } from './query.js'

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
}

/** A set under `/odata` of a host, with the DTO that its rows are. */
export function createEntitySetClient<D extends AnyDto>(
  name: string,
  dto: D,
  options: ConnectionOptions,
): EntitySetClient<D> {
  const client: EntitySetClient<D> = {
    query: (build) => {
      const all = QueryBuilder.of(dto)
      // Types say more than what runs: the builder is a `Query` of every shape.
      const { state } = build ? (build(all as never) as unknown as QueryBuilder) : all
      const query = optionsOf(state)
        .map(([option, value]) => `${option}=${encodeURIComponent(value)}`)
        .join('&')
      return read(`${baseOf(options)}/odata/${name}?${query}`, state.facets === true)
    },
  }
  return adjustable(client, (more) => createEntitySetClient(name, dto, { ...options, ...more }))

  async function read<R>(url: string, facets: boolean): Promise<QueryPage<R>> {
    const answer = (await send(url, facets)) as Answer
    const link = answer['@odata.nextLink']
    const count = answer['@odata.count']
    return {
      items: answer.value.map((row) => readRow(dto.schema, row) as R),
      totalCount: count === undefined ? undefined : Number(count),
      facets: answer['@core.facets']?.map(({ Field, Values }) => ({
        field: Field,
        values: Values.map(({ Value, Count }) => ({ value: Value, count: Number(Count) })),
      })),
      next: link === undefined ? undefined : () => read<R>(link, facets),
    }
  }

  async function send(url: string, facets: boolean): Promise<unknown> {
    const headers = {
      accept: 'application/json;odata.metadata=minimal;IEEE754Compatible=true',
      'odata-maxversion': '4.0',
      ...(facets && { prefer: 'odata.include-annotations="core.facets"' }),
    }
    const request = { verb: 'GET', url, headers, isRepeatable: true }
    const body = await exchange(request, options, (response) => readBody(response, url), errorOf)
    if (typeof body === 'object' && body !== null && Array.isArray((body as Answer).value)) return body
    throw new UnavailableError(`The answer to ${url} is not JSON of OData.`, undefined, {
      text: { key: 'RemoteServiceGarbled', data: { url } },
    })
  }
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

/** A row in the types of the DTO: instants as `Date`, enumerations as numbers, decimals as exact text. */
function readRow(schema: z.ZodObject, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(row)) {
    if (name.includes('@')) continue
    const key = name.charAt(0).toLowerCase() + name.slice(1)
    const member = schema.shape[key] as z.ZodType | undefined
    read[key] = member ? readValue(member, value) : value
  }
  return read
}

function readValue(schema: z.ZodType, value: unknown): unknown {
  if (value === null || value === undefined) return value
  const kind = wireKind(schema)
  if (kind?.kind === 'instant') return new Date(String(value))
  if (kind?.kind === 'enum') return kind.members[String(value)] ?? value
  if (kind?.kind === 'decimal') return String(value)
  const bare = unwrap(schema)
  const { type, element } = bare._zod.def as { type: string; element?: z.ZodType }
  if (type === 'number') return Number(value)
  if (type === 'array' && element && Array.isArray(value))
    return value.map((item) => readValue(element, item))
  return type === 'object' ? readRow(bare as z.ZodObject, value as Record<string, unknown>) : value
}
