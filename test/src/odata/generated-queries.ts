import fc from 'fast-check'
import { conditions, type Generated, many, one, type Truth } from './generated-expressions.js'
import { type Entity, type EntityKind, kinds, type World } from './world.js'

/** A generated request: its URL behind the service's root, and what it must answer. */
export interface GeneratedQuery {
  readonly url: string
  /** How many properties it expands, on all levels. */
  readonly expands: number
  readonly evaluate: (world: World) => { readonly value: readonly unknown[]; readonly count?: number }
}

interface Order {
  readonly name: string
  readonly descending: boolean
}

interface Level {
  readonly set: string
  readonly filter: Generated<Truth> | null
  readonly select: readonly string[]
  readonly order: readonly Order[]
  readonly top: number | null
  readonly skip: number | null
  readonly count: boolean
  readonly expand: readonly Expand[]
}

interface Expand {
  readonly name: string
  readonly isMany: boolean
  readonly level: Level
}

const oneOf = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values)

function level(set: string, depth: number, isMany: boolean): fc.Arbitrary<Level> {
  const kind = kinds[set] as EntityKind
  const names = [
    'Id',
    ...kind.integers,
    ...kind.numbers,
    ...kind.texts,
    ...kind.instants,
    ...kind.dates,
    ...kind.booleans,
    ...Object.keys(kind.enums),
  ]
  // Texts have the order of the database's collation: only those that every collation orders alike.
  const sortable = names.filter(
    (name) =>
      name !== 'Id' &&
      (!kind.texts.includes(name) || ['ShipmentReference', 'OrderNumber', 'UnLocode'].includes(name)),
  )
  const relations = [
    ...Object.entries(kind.ones).map(([name, target]) => ({ name, target, isMany: false })),
    ...Object.entries(kind.manys).map(([name, [target]]) => ({ name, target, isMany: true })),
  ]
  const expand: fc.Arbitrary<Expand[]> =
    depth > 0 && relations.length
      ? fc.uniqueArray(
          oneOf(relations).chain(({ name, target, isMany: leadsToMany }) =>
            level(target, depth - 1, leadsToMany).map((inner) => ({
              name,
              isMany: leadsToMany,
              level: inner,
            })),
          ),
          { selector: ({ name }) => name, maxLength: depth === 2 ? 2 : 1 },
        )
      : fc.constant([])
  const plain = { select: fc.uniqueArray(oneOf(names), { minLength: 1, maxLength: 5 }), expand }
  if (!isMany)
    return fc.record({
      ...plain,
      set: fc.constant(set),
      filter: fc.constant(null),
      order: fc.constant([]),
      top: fc.constant(null),
      skip: fc.constant(null),
      count: fc.constant(false),
    })
  return fc.record({
    ...plain,
    set: fc.constant(set),
    filter: fc.option(conditions(set, '', depth === 2 ? 2 : 1)),
    order: sortable.length
      ? fc.uniqueArray(fc.record({ name: oneOf(sortable), descending: fc.boolean() }), {
          selector: ({ name }) => name,
          maxLength: 3,
        })
      : fc.constant([]),
    top: fc.option(fc.integer({ min: 0, max: 20 })),
    skip: fc.option(fc.integer({ min: 0, max: 10 }), { freq: 3 }),
    count: fc.boolean(),
  })
}

function options({ filter, select, order, top, skip, count, expand }: Level, isRoot: boolean): string[] {
  const written = [`$select=${select.join(',')}`]
  const encode = (text: string) => (isRoot ? encodeURIComponent(decodeURIComponent(text)) : text)
  if (filter) written.push(`$filter=${encode(escaped(filter.text))}`)
  if (order.length)
    written.push(
      `$orderby=${order.map(({ name, descending }) => `${name}${descending ? ' desc' : ''}`).join(',')}`,
    )
  if (top !== null) written.push(`$top=${top}`)
  if (skip !== null) written.push(`$skip=${skip}`)
  if (count) written.push('$count=true')
  if (expand.length) {
    const items = expand.map(({ name, level: inner }) => `${name}(${options(inner, false).join(';')})`)
    written.push(
      `$expand=${isRoot ? encodeURIComponent(decodeURIComponent(escaped(items.join(',')))) : items.join(',')}`,
    )
  }
  return written
}

/** Literals carry `%2B` for a plus; every other per cent sign is one. */
function escaped(text: string): string {
  return text.replace(/%(?!2B|25)/g, '%25')
}

function rowsOf(world: World, rows: readonly Entity[], { filter, order }: Level, set: string): Entity[] {
  const found = rows.filter((row) => !filter || filter.evaluate({ world, row }) === true)
  return found.sort((a, b) => {
    for (const { name, descending } of order) {
      const sign = compareIn(set, name, a, b)
      if (sign) return descending ? -sign : sign
    }
    return String(a.Id) < String(b.Id) ? -1 : 1
  })
}

/** Nulls come first in ascending order; enumerations have the order of their numbers. */
function compareIn(set: string, name: string, a: Entity, b: Entity): number {
  const members = kinds[set]?.enums[name]
  const [x, y] = [a[name] ?? null, b[name] ?? null].map((value) =>
    members && value !== null ? members.indexOf(String(value)) : value,
  )
  if (x === y) return 0
  if (x === null || x === undefined) return -1
  if (y === null || y === undefined) return 1
  return x < y ? -1 : 1
}

function shown(world: World, row: Entity, { set, select, expand }: Level): Record<string, unknown> {
  const json: Record<string, unknown> = {}
  for (const name of select) json[name] = row[name] ?? null
  for (const { name, isMany, level: inner } of expand) {
    if (!isMany) {
      const target = one(world, set, name, row)
      json[name] = target && shown(world, target, inner)
      continue
    }
    const rows = rowsOf(world, many(world, set, name, row), inner, inner.set)
    if (inner.count) json[`${name}@odata.count`] = rows.length
    json[name] = page(rows, inner).map((other) => shown(world, other, inner))
  }
  return json
}

function page<T>(rows: readonly T[], { top, skip }: Level): readonly T[] {
  const from = skip ?? 0
  return rows.slice(from, top === null ? undefined : from + top)
}

function countExpands({ expand }: Level): number {
  return expand.reduce((sum, { level: inner }) => sum + 1 + countExpands(inner), 0)
}

/** Requests for entities: filter, order, page, count, select, and what is expanded with options of its own. */
export const entityQueries: fc.Arbitrary<GeneratedQuery> = oneOf([
  'Shipments',
  'Shipments',
  'Documents',
  'Orders',
])
  .chain((set) => level(set, 2, true))
  .map((root) => ({
    url: `/${root.set}?${options(root, true).join('&').replaceAll(' ', '%20')}`,
    expands: countExpands(root),
    evaluate: (world) => {
      const rows = rowsOf(world, world[root.set] ?? [], root, root.set)
      const value = page(rows, root).map((row) => shown(world, row, root))
      return root.count ? { value, count: rows.length } : { value }
    },
  }))

type Aggregate = readonly [
  text: string,
  name: string,
  compute: (rows: readonly Entity[], world: World) => number | null,
]

const values = (rows: readonly Entity[], name: string): number[] =>
  rows.flatMap((row) => (row[name] === null || row[name] === undefined ? [] : [Number(row[name])]))

const methods: Readonly<Record<string, (all: readonly number[]) => number | null>> = {
  sum: (all) => (all.length ? all.reduce((sum, one) => sum + one, 0) : null),
  min: (all) => (all.length ? Math.min(...all) : null),
  max: (all) => (all.length ? Math.max(...all) : null),
  average: (all) => (all.length ? all.reduce((sum, one) => sum + one, 0) / all.length : null),
  countdistinct: (all) => new Set(all).size,
}

/** Over the documents of shipments. */
const related: fc.Arbitrary<Aggregate> = oneOf<Aggregate>([
  ['Documents/Title with countdistinct as Titles', 'Titles', (rows, world) => distinct(rows, world, 'Title')],
  [
    'Documents/FileSize with countdistinct as Sizes',
    'Sizes',
    (rows, world) => distinct(rows, world, 'FileSize'),
  ],
  [
    'Documents/ExpiryDate with countdistinct as Dates',
    'Dates',
    (rows, world) => distinct(rows, world, 'ExpiryDate'),
  ],
  [
    'Documents/FileSize with sum as Bytes',
    'Bytes',
    (rows, world) => methods['sum']?.(values(documentsOf(rows, world), 'FileSize')) ?? null,
  ],
  ['Documents/$count as Files', 'Files', (rows, world) => documentsOf(rows, world).length],
])

function documentsOf(rows: readonly Entity[], world: World): Entity[] {
  return rows.flatMap((row) => many(world, 'Shipments', 'Documents', row))
}

function distinct(rows: readonly Entity[], world: World, name: string): number {
  return new Set(documentsOf(rows, world).flatMap((document) => document[name] ?? [])).size
}

const aggregates: fc.Arbitrary<Aggregate> = fc.oneof(
  related,
  fc.constant<Aggregate>(['$count as N', 'N', (rows) => rows.length]),
  fc
    .tuple(oneOf(Object.keys(methods)), oneOf(['TotalPackages', 'GoodsValue', 'TotalGrossWeight']))
    .map(
      ([method, name]): Aggregate => [
        `${name} with ${method} as ${method}Of${name}`,
        `${method}Of${name}`,
        (rows) => methods[method]?.(values(rows, name)) ?? null,
      ],
    ),
)

type Group = readonly [path: string, read: (world: World, row: Entity) => unknown]

const groups: readonly Group[] = [
  ['Status', (_world, row) => row.Status],
  ['Direction', (_world, row) => row.Direction],
  ['IsOnHold', (_world, row) => row.IsOnHold],
  ['TransportMode/Code', (world, row) => one(world, 'Shipments', 'TransportMode', row)?.Code],
  ['OriginPort/Name', (world, row) => one(world, 'Shipments', 'OriginPort', row)?.Name],
]

/** Requests with `$apply` over shipments: filter, groupby and aggregate, then filter, order and page of the groups. */
export const applyQueries: fc.Arbitrary<GeneratedQuery> = fc
  .record({
    filter: fc.option(conditions('Shipments', '', 1)),
    by: fc.subarray([...groups], { maxLength: 2 }),
    aggregates: fc.uniqueArray(aggregates, { selector: ([, name]) => name, maxLength: 3 }),
    atLeast: fc.option(fc.integer({ min: 0, max: 10 })),
    count: fc.boolean(),
  })
  .filter(({ by, aggregates: given }) => by.length > 0 || given.length > 0)
  .map(({ filter, by, aggregates: given, atLeast, count }) => {
    const all: readonly Aggregate[] = given.some(([, name]) => name === 'N')
      ? given
      : [...given, ['$count as N', 'N', (rows) => rows.length]]
    const aggregated = `aggregate(${all.map(([text]) => text).join(',')})`
    const steps = [
      ...(filter ? [`filter(${filter.text})`] : []),
      by.length ? `groupby((${by.map(([path]) => path).join(',')}),${aggregated})` : aggregated,
    ]
    const query = [`$apply=${encodeURIComponent(decodeURIComponent(escaped(steps.join('/'))))}`]
    if (atLeast !== null) query.push(`$filter=N%20ge%20${atLeast}`)
    if (count) query.push('$count=true')
    return {
      url: `/Shipments?${query.join('&')}`,
      expands: 0,
      evaluate: (world) => {
        const rows = (world.Shipments ?? []).filter(
          (row) => !filter || filter.evaluate({ world, row }) === true,
        )
        const grouped = new Map<string, { keys: unknown[]; rows: Entity[] }>()
        if (by.length === 0) grouped.set('[]', { keys: [], rows: [] })
        for (const row of rows) {
          const keys = by.map(([, read]) => read(world, row) ?? null)
          const key = JSON.stringify(keys)
          const group = grouped.get(key) ?? { keys, rows: [] }
          group.rows.push(row)
          grouped.set(key, group)
        }
        const value = [...grouped.values()].flatMap(({ keys, rows: members }) => {
          if (atLeast !== null && members.length < atLeast) return []
          const json: Record<string, unknown> = {}
          for (const [index, [path]] of by.entries()) put(json, path, keys[index])
          for (const [, name, compute] of all) json[name] = compute(members, world)
          return [json]
        })
        return count ? { value, count: value.length } : { value }
      },
    }
  })

/** Requests for shipments with their documents in groups. */
export const expandedGroups: fc.Arbitrary<GeneratedQuery> = fc
  .record({ filter: conditions('Documents', '', 1), atLeast: fc.option(fc.integer({ min: 0, max: 3 })) })
  .map(({ filter, atLeast }) => {
    const apply = `filter(${filter.text})/groupby((Status),aggregate($count as N,FileSize with sum as S))`
    const having = atLeast === null ? '' : `;$filter=N ge ${atLeast}`
    const expand = encodeURIComponent(decodeURIComponent(escaped(`Documents($apply=${apply}${having})`)))
    return {
      url: `/Shipments?$select=ShipmentReference&$orderby=ShipmentReference&$expand=${expand}`,
      expands: 1,
      evaluate: (world) => {
        const shipments = [...(world.Shipments ?? [])].sort((a, b) =>
          String(a.ShipmentReference) < String(b.ShipmentReference) ? -1 : 1,
        )
        const value = shipments.map((row) => {
          const documents = many(world, 'Shipments', 'Documents', row).filter(
            (document) => filter.evaluate({ world, row: document }) === true,
          )
          const groups = (kinds.Documents?.enums.Status ?? []).flatMap((Status) => {
            const members = documents.filter((document) => document.Status === Status)
            if (members.length < Math.max(atLeast ?? 1, 1)) return []
            return [{ Status, N: members.length, S: methods['sum']?.(values(members, 'FileSize')) }]
          })
          return { ShipmentReference: row.ShipmentReference, Documents: groups }
        })
        return { value }
      },
    }
  })

function put(json: Record<string, unknown>, path: string, value: unknown): void {
  const [first = '', second] = path.split('/')
  // Every row at the end of these paths has a value: null says that there is no row.
  if (second === undefined) json[first] = value
  else json[first] = value === null ? null : { [second]: value }
}
