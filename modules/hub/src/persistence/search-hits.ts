import { atMost, Injectable } from '@keel/framework'
import { type AnyDto, fieldPermissionOf, type z } from '@keel/framework/contracts'
import {
  and,
  beginningWith,
  containing,
  Databases,
  type EntityClass,
  entityMeta,
  exactly,
  identifier,
  join,
  literally,
  RowRules,
  raw,
  type Sql,
  sql,
  type TextRow,
  textIn,
  toStatement,
  undeleted,
  withKeptPlan,
} from '@keel/framework/data'
import { hasPermission } from '@keel/framework/security'
import { LRUCache } from 'lru-cache'
import {
  ConsolDto,
  ConsolPermissions,
  ContainerDto,
  ContainerPermissions,
  OrderDto,
  OrderPermissions,
  OrganizationDto,
  OrganizationPermissions,
  type SearchHitDto,
  type SearchHitKind,
  ShipmentDto,
  ShipmentPermissions,
  ShipmentReferenceNumberDto,
  searchHitKinds,
} from '../contracts/index.js'
import { Consol } from '../domain/consol.js'
import { Container } from '../domain/container.js'
import { Order } from '../domain/order.js'
import { Organization } from '../domain/organization.js'
import {
  callerReads,
  OrganizationContext,
  type OrganizationScope,
  visibilityOfShipment,
} from '../domain/organization-context.js'
import { Shipment } from '../domain/shipment.js'
import { ShipmentReferenceNumber } from '../domain/shipment-reference-number.js'
import { TextStatistics } from './text-statistics.js'

/** So many rows of a table are ranked for each hit that is wanted, beside those that have exactly the text. */
const rankedForEachHit = 10

/** Callers with so many shipments at most are searched for among the rows of these shipments. */
const fewShipments = 300

/** The same for so many at most, where more than {@link mostWithText} rows have the text. */
const mostShipments = 5000

/** So many rows with the text are asked one by one whether the caller sees them. */
const mostWithText = 300

/**
 * With more rows that have the text, a search is planned anew, because going through the tables from their beginning finds enough rows sooner than
 * the indexes do. Measured with a million shipments: the indexes take 0.3 µs for each row, planning takes 12 ms.
 */
const mostOfKeptPlan = 30_000

/** The same for callers of whose rows and those with the text an index reads what both have in common. */
const mostOfKeptPlanAmongOwn = 300_000

/** For so long the number of a caller's shipments is not counted again. It decides about the way of a search, not about its hits. */
const countedMs = 600_000

/** Trigram indexes find texts with these anywhere; others they find at the beginning of a field. */
const threeInARow = /[\p{L}\p{N}]{3}/u

/** Texts in which capitals and small letters do not differ. */
const caseless = /^[ -@[-`{-~]+$/

/** A member of the DTO of a kind, and its value as SQL over the row `t` and the row `p` that it belongs to. */
interface Shown {
  readonly member: string
  readonly value: Sql
}

/** A table that is searched. Its columns are short, so that looking for a text in a row that the caller does not see tells nothing of the row. */
interface Source {
  readonly kind: SearchHitKind
  /** The DTO of the kind: its members say what callers see. */
  readonly dto: AnyDto
  /** The permission of the list of the kind. */
  readonly permission: string
  readonly entity: EntityClass
  /** Attributes that the text is looked for in. A hit names the one that fits the text best, the first of several. */
  readonly searched: readonly string[]
  /** True where texts are names, which have capitals in the middle; numbers and references are in capitals or in small letters. */
  readonly hasNames?: boolean
  readonly title: Shown
  readonly subtitle: Shown
  readonly state?: Shown
  readonly consolId?: Shown
  /** Where shipments make rows `t` visible: the row rule for somebody who does not see all, in parts for each of which an index serves. */
  readonly ofCaller?: (scope: OrganizationScope) => readonly (Sql | undefined)[]
  /** Where they do so without such an index: the ids of the rows that the caller may see at most. `own` has the ids of the caller's shipments. */
  readonly ofOwn?: Sql
  /** Of rows that belong to what is found: where it is, the member that they are in it, and their own DTO. */
  readonly belongsTo?: {
    readonly entity: EntityClass
    readonly by: string
    readonly member: string
    readonly dto: AnyDto
  }
}

/** How a shipment is shown, whether itself or a row that belongs to it was found. @param row the shipment's alias */
function shipmentShown(row: 't' | 'p'): Pick<Source, 'title' | 'subtitle' | 'state'> {
  return {
    title: { member: 'shipmentReference', value: raw(`${row}."ShipmentReference"`) },
    subtitle: {
      member: 'controllingCustomer',
      value: nameOf('HubOrganizations', 'FullName', `${row}."ControllingCustomerId"`),
    },
    state: { member: 'status', value: raw(`${row}."Status"`) },
  }
}

/** Rows that keep the ids of their readers. */
function readByCaller(scope: OrganizationScope): readonly (Sql | undefined)[] {
  return [callerReads(scope, raw('t'))]
}

/** The name in the row that a column refers to: everybody sees it who sees the column, as in lists. */
function nameOf(table: string, name: string, column: string): Sql {
  return raw(`(select r."${name}" from "${table}" r where r."Id" = ${column})`)
}

const sources: readonly Source[] = [
  {
    kind: 'Shipment',
    dto: ShipmentDto,
    permission: ShipmentPermissions.View,
    entity: Shipment,
    searched: ['shipmentReference', 'houseBillNumber', 'masterBillNumber', 'bookingReference'],
    ofCaller: (scope) => visibilityOfShipment(scope, raw('t')),
    ...shipmentShown('t'),
  },
  {
    kind: 'Shipment',
    dto: ShipmentDto,
    permission: ShipmentPermissions.View,
    entity: ShipmentReferenceNumber,
    searched: ['value'],
    ofOwn: raw(
      // One shipment after the other: a plan for all callers would join both tables whole.
      `select r."Id" from own cross join lateral (
        select r."Id" from "HubShipmentReferenceNumbers" r where r."ShipmentId" = own."Id" and r."IsDeleted" = false offset 0) r`,
    ),
    belongsTo: {
      entity: Shipment,
      by: 'ShipmentId',
      member: 'referenceNumbers',
      dto: ShipmentReferenceNumberDto,
    },
    ...shipmentShown('p'),
  },
  {
    kind: 'Order',
    dto: OrderDto,
    permission: OrderPermissions.View,
    entity: Order,
    searched: ['orderNumber'],
    ofCaller: readByCaller,
    title: {
      member: 'orderNumber',
      value: raw(`t."OrderNumber" || case when t."SplitNumber" > 0 then '/' || t."SplitNumber" else '' end`),
    },
    subtitle: { member: 'buyer', value: nameOf('HubOrganizations', 'FullName', 't."BuyerId"') },
    state: { member: 'status', value: raw('t."Status"') },
  },
  {
    kind: 'Container',
    dto: ContainerDto,
    permission: ContainerPermissions.View,
    entity: Container,
    searched: ['containerNumber', 'sealNumber'],
    ofCaller: readByCaller,
    title: { member: 'containerNumber', value: raw('t."ContainerNumber"') },
    subtitle: { member: 'containerType', value: nameOf('HubContainerTypes', 'Name', 't."ContainerTypeId"') },
    consolId: { member: 'consolId', value: raw('t."ConsolId"') },
  },
  {
    kind: 'Consol',
    dto: ConsolDto,
    permission: ConsolPermissions.View,
    entity: Consol,
    searched: ['consolNumber', 'masterBillNumber', 'bookingReference'],
    ofCaller: readByCaller,
    title: { member: 'consolNumber', value: raw('t."ConsolNumber"') },
    subtitle: { member: 'carrier', value: nameOf('HubCarriers', 'Name', 't."CarrierId"') },
    state: { member: 'status', value: raw('t."Status"') },
  },
  {
    kind: 'Organization',
    dto: OrganizationDto,
    permission: OrganizationPermissions.View,
    entity: Organization,
    searched: ['code', 'fullName', 'shortName'],
    hasNames: true,
    title: { member: 'fullName', value: raw('t."FullName"') },
    subtitle: { member: 'code', value: raw('t."Code"') },
  },
]

/** Conditions on values of a searched text. */
interface Wanted {
  readonly text: string
  /** True when trigram indexes find it. */
  readonly isIndexed: boolean
  /** The condition that one of some values has the text where it is looked for. */
  found(values: readonly Sql[]): Sql | undefined
}

/** What the caller may see of a source. */
interface Visible {
  /** The row rules of the rows `t`, and of the rows `p` that they belong to. */
  readonly rules: readonly Sql[]
  readonly parentRules: readonly Sql[]
  /** Where shipments make rows visible, and the caller does not see all. */
  readonly own?: OwnRows | undefined
}

/** The rows that belong to the caller's shipments. */
interface OwnRows {
  /** The number of the caller's shipments as it was counted last, at most one more than {@link mostShipments}. */
  readonly shipments: number
  /** The row rule in parts, and the ids of these rows, as {@link Source} has them. */
  readonly ofCaller: readonly (Sql | undefined)[] | undefined
  readonly ids: Sql | undefined
}

/** SQL for rows of a source, and the expressions of a `with` that it reads. */
interface Rows {
  readonly rows: Sql
  readonly reads: readonly Sql[]
}

/** Finds rows of several tables by a text, in one statement. */
@Injectable()
export class SearchHits {
  /** The number of shipments by the organizations of callers. Counting them takes as long as many a search. */
  private readonly counts = new LRUCache<string, number>({ ...atMost(10_000), ttl: countedMs })
  private readonly statistics = new TextStatistics(searchedColumns())

  constructor(
    private readonly databases: Databases,
    private readonly rules: RowRules,
    private readonly organizations: OrganizationContext,
  ) {}

  /** The hits that the caller at hand may see. @param most of each kind */
  async find(text: string, most: number): Promise<SearchHitDto[]> {
    const rules = this.rules.once()
    const wanted = wantedOf(text)
    const scope = await this.organizations.current()
    const { all, organizationIds } = scope
    const ownShipments = sql`select s."Id" from "HubShipments" s where ${and(await rules.conditionsFor(entityMeta(Shipment), 's'))}`
    const shipments = all ? undefined : await this.count(organizationIds, ownShipments)
    const read = sources.filter(({ permission }) => hasPermission(permission))
    const parts = await Promise.all(
      read.map(async (source) => {
        const { entity, belongsTo, ofCaller, ofOwn } = source
        const parentRules = belongsTo && rules.conditionsFor(entityMeta(belongsTo.entity), 'p')
        return partOf(source, wanted, most, {
          rules: await rules.conditionsFor(entityMeta(entity), 't'),
          parentRules: (await parentRules) ?? [],
          own:
            shipments === undefined || !(ofCaller || ofOwn)
              ? undefined
              : { shipments, ofCaller: ofCaller?.(scope), ids: ofOwn },
        })
      }),
    )
    const known = parts.filter((part) => part !== undefined)
    if (!known.length) return []
    const hits = join(
      known.map(({ rows }) => rows),
      ' union all ',
    )
    const reads = [sql`own as materialized (${ownShipments})`, ...known.flatMap((part) => part.reads)]
    const statement = sql`with ${join(reads, ', ')} select * from (${hits}) hits order by rank, time desc, id`
    const database = this.databases.of(Shipment)
    const isKept = await this.hasOnePlan(wanted, shipments)
    return hitsOf(
      await database.queryListText(isKept ? withKeptPlan(statement) : toStatement(statement)),
      most,
    )
  }

  /** True when PostgreSQL's plan for any text serves: planning for the text at hand takes longer than most searches. */
  private async hasOnePlan({ text, isIndexed }: Wanted, shipments: number | undefined): Promise<boolean> {
    if (!isIndexed) return false
    if (shipments !== undefined && shipments <= mostShipments) return true
    const rows = await this.statistics.rowsWith(text, this.databases.of(Shipment))
    return rows <= (shipments === undefined ? mostOfKeptPlan : mostOfKeptPlanAmongOwn)
  }

  private async count(organizationIds: readonly string[], ownShipments: Sql): Promise<number> {
    const caller = organizationIds.join()
    const counted = this.counts.get(caller)
    if (counted !== undefined) return counted
    const statement = sql`select count(*)::int as n from (${ownShipments} limit ${mostShipments + 1}) s`
    const [row] = await this.databases.of(Shipment).queryList<{ n: number }>(statement)
    const n = row?.n ?? 0
    this.counts.set(caller, n)
    return n
  }
}

/** The columns of all sources that texts are looked for in. */
function searchedColumns(): { readonly table: string; readonly column: string }[] {
  return sources.flatMap(({ entity, searched }) => {
    const { table, columns } = entityMeta(entity)
    return searched.map((attribute) => ({ table, column: columns.get(attribute)?.column ?? attribute }))
  })
}

function wantedOf(text: string): Wanted {
  if (!threeInARow.test(text))
    return { text, isIndexed: false, found: (values) => likeOneOf(values, beginningWith(text)) }
  // Trigrams of `00000` are in a hundred times as many rows as the text: `like` looks through them in a third of the time.
  const found: Wanted['found'] = caseless.test(text)
    ? (values) => likeOneOf(values, containing(text), raw('like'))
    : (values) => textIn(values, literally(text))
  return { text, isIndexed: true, found }
}

function likeOneOf(values: readonly Sql[], pattern: string, like = raw('ilike')): Sql {
  return sql`(${join(
    values.map((value) => sql`${value} ${like} ${pattern}`),
    ' or ',
  )})`
}

/** The condition that a value is the text as it is, in capitals or in small letters: B-trees find it at once where trigrams take long. */
function equalsOneOf(values: readonly Sql[], text: string): Sql {
  const forms = [...new Set([text, text.toUpperCase(), text.toLowerCase()])]
  return sql`(${join(
    values.map((value) => sql`${value} = any(${forms}::text[])`),
    ' or ',
  )})`
}

/** The hits in a table; undefined where the caller sees none of the searched attributes. */
function partOf(source: Source, wanted: Wanted, most: number, visible: Visible): Rows | undefined {
  const { kind, dto, entity, belongsTo, title, subtitle, state, consolId } = source
  const { text, found } = wanted
  const meta = entityMeta(entity)
  if (belongsTo && !maySee(dto, belongsTo.member)) return undefined
  const searched = source.searched.filter((attribute) => maySee(belongsTo?.dto ?? dto, attribute))
  if (!searched.length) return undefined
  const columns = searched.map((attribute) => identifier(meta.columns.get(attribute)?.column ?? attribute))
  const values = columns.map((column) => sql`t.${column}`)
  const { rows, reads } = rowsOf(source, wanted, values, most, visible)
  const { parent } = tablesOf(source)
  const fields = values.map(
    (value, place) =>
      sql`(${belongsTo?.member ?? searched[place]}::text, ${value}::text, ${raw(String(place))})`,
  )
  const rank = sql`case when v.text ilike ${exactly(text)} then 0 when v.text ilike ${beginningWith(text)} then 1 else 2 end`
  const shown = (part: Shown | undefined, type: string) =>
    part && maySee(dto, part.member) ? sql`(${part.value})::${raw(type)}` : raw(`null::${type}`)
  const hits = sql`(select ${kind}::text as kind, ${belongsTo ? raw('p."Id"') : raw('t."Id"')} as id, m.field, m.text,
      coalesce(${shown(title, 'text')}, m.text) as title, ${shown(subtitle, 'text')} as subtitle, ${shown(state, 'int')} as state,
      ${shown(consolId, 'uuid')} as "consolId", m.rank, t."CreationTime" as time
    from (${rows}) t ${parent ? sql`join ${parent.table} on ${parent.on}` : raw('')}
    cross join lateral (select v.field, v.text, ${rank} as rank from (values ${join(fields, ', ')}) v(field, text, place)
      where ${found([raw('v.text')])} order by 3, v.place limit 1) m
    order by m.rank, t."CreationTime" desc, t."Id" limit ${2 * most})`
  return { rows: hits, reads }
}

/** The table `t` of a source; and the table `p` of what its rows belong to, with the condition that joins both. */
function tablesOf({ entity, belongsTo }: Source): {
  readonly table: Sql
  readonly parent?: { readonly table: Sql; readonly on: Sql }
} {
  const table = identifier(entityMeta(entity).table)
  if (!belongsTo) return { table }
  const parent = identifier(entityMeta(belongsTo.entity).table)
  return { table, parent: { table: sql`${parent} p`, on: sql`p."Id" = t.${identifier(belongsTo.by)}` } }
}

/** The visible rows of a source that have the text, some of them where there are many; those with exactly the text first. */
function rowsOf(
  source: Source,
  wanted: Wanted,
  values: readonly Sql[],
  most: number,
  visible: Visible,
): Rows {
  const isText = source.hasNames ? likeOneOf(values, exactly(wanted.text)) : equalsOneOf(values, wanted.text)
  const conditions = { isText, found: wanted.found(values) ?? raw('false') }
  if (visible.own)
    return rowsThroughShipments(source, conditions, wanted.isIndexed, most, visible, visible.own)
  const { table, parent } = tablesOf(source)
  const from = parent ? sql`${table} t join ${parent.table} on ${parent.on}` : sql`${table} t`
  const rowsWith = (condition: Sql, limit: number) =>
    sql`(select t.* from ${from} where ${and([...visible.rules, ...visible.parentRules, condition])} limit ${limit})`
  const rows = sql`${rowsWith(isText, most)} union all ${rowsWith(conditions.found, most * rankedForEachHit)}`
  return { rows, reads: [] }
}

/**
 * The same for rows that shipments make visible. The planner misjudges how many rows have a text, so the number of the caller's shipments decides
 * where to begin. Where the row rule has an index: with the rows of the caller where they are few, else with what the rule and the text have in common in
 * an index of both. Reference numbers: with those of the caller's shipments where these are few, with those that have the text where the caller sees many,
 * and between both with what is less. Either way the row rules are asked of one row after the other, until there are enough.
 */
function rowsThroughShipments(
  source: Source,
  { isText, found }: { readonly isText: Sql; readonly found: Sql },
  isIndexed: boolean,
  most: number,
  { rules, parentRules }: Visible,
  { shipments, ofCaller, ids }: OwnRows,
): Rows {
  const { table, parent } = tablesOf(source)
  const rowsWith = (...conditions: readonly (Sql | undefined)[]) =>
    sql`select t.* from ${table} t where ${and([undeleted(source.entity, 't'), ...conditions])}`
  const isVisible = parent
    ? and([...rules, sql`exists (select from ${parent.table} where ${and([parent.on, ...parentRules])})`])
    : and(rules)
  const visibleOf = (...candidates: readonly Sql[]) =>
    sql`select t.* from (${join(candidates, ' union all ')} offset 0) t
      where (select true where ${isVisible}) limit ${most + most * rankedForEachHit}`
  // No index finds a text behind a function: others lead to the rows.
  const alone = sql`coalesce(${found}, false)`
  if (ofCaller && (isIndexed || shipments <= mostShipments)) {
    // One index has the ids of readers and the texts, and reads what both have in common (`searchIndex`).
    const isFound = isIndexed && shipments > fewShipments ? found : alone
    return {
      rows: visibleOf(rowsWith(isText), ...ofCaller.map((part) => rowsWith(part, isFound))),
      reads: [],
    }
  }
  if (!ids || shipments > mostShipments)
    return { rows: visibleOf(rowsWith(isText), rowsWith(found)), reads: [] }
  const ownWithText = [sql`t."Id" in (${ids})`, alone]
  if (shipments <= fewShipments || !isIndexed)
    return { rows: visibleOf(rowsWith(isText), rowsWith(...ownWithText)), reads: [] }
  const withText = identifier(`${source.entity.name}WithText`)
  const areMany = sql`(select count(*) > ${mostWithText} from ${withText})`
  return {
    reads: [sql`${withText} as materialized (${rowsWith(found)} limit ${mostWithText + 1})`],
    rows: visibleOf(
      rowsWith(isText),
      sql`select f.* from ${withText} f where not ${areMany}`,
      rowsWith(areMany, ...ownWithText),
    ),
  }
}

/** Of rows in their order the first of each thing, so many of each kind, kind by kind. */
function hitsOf(rows: readonly TextRow[], most: number): SearchHitDto[] {
  const byId = new Map<string, SearchHitDto>()
  for (const row of rows) {
    const hit = hitOf(row)
    if (!byId.has(hit.id)) byId.set(hit.id, hit)
  }
  const hits = [...byId.values()]
  return searchHitKinds.flatMap((kind) => hits.filter((hit) => hit.kind === kind).slice(0, most))
}

/** A row of the statement: columns as `partOf` selects them. Those that may be null stand behind the others. */
function hitOf([kind, id, field, text, title, subtitle, state, consolId]: TextRow): SearchHitDto {
  return {
    kind: kind as SearchHitKind,
    id: id as string,
    field: field as string,
    text: text as string,
    title: title as string,
    subtitle,
    state: state == null ? null : Number(state),
    consolId,
  }
}

/** True when the caller at hand may see a member of a DTO. */
function maySee({ shape }: AnyDto, member: string): boolean {
  const permission = fieldPermissionOf(shape[member] as z.ZodType)
  return permission === undefined || hasPermission(permission)
}
