import { Injectable } from '@keel/framework'
import { type AnyDto, fieldPermissionOf, type z } from '@keel/framework/contracts'
import {
  and,
  beginningWith,
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
  textIn,
} from '@keel/framework/data'
import { hasPermission } from '@keel/framework/security'
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
import { Shipment } from '../domain/shipment.js'
import { ShipmentReferenceNumber } from '../domain/shipment-reference-number.js'

/** So many rows of a table are ranked for each hit that is wanted, beside those that have exactly the text. */
const rankedForEachHit = 10

/** Trigram indexes find texts with these anywhere; others they find at the beginning of a field. */
const threeInARow = /[\p{L}\p{N}]{3}/u

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
    ...shipmentShown('t'),
  },
  {
    kind: 'Shipment',
    dto: ShipmentDto,
    permission: ShipmentPermissions.View,
    entity: ShipmentReferenceNumber,
    searched: ['value'],
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
  /** The condition that one of some values has the text where it is looked for. */
  found(values: readonly Sql[]): Sql | undefined
}

/** Finds rows of several tables by a text, in one statement. */
@Injectable()
export class SearchHits {
  constructor(
    private readonly databases: Databases,
    private readonly rules: RowRules,
  ) {}

  /** The hits that the caller at hand may see. @param most of each kind */
  async find(text: string, most: number): Promise<SearchHitDto[]> {
    const rules = this.rules.once()
    const wanted = wantedOf(text)
    const read = sources.filter(({ permission }) => hasPermission(permission))
    const selects = await Promise.all(
      read.map(async (source) => {
        const visible = await Promise.all([
          rules.conditionsFor(entityMeta(source.entity), 't'),
          source.belongsTo && rules.conditionsFor(entityMeta(source.belongsTo.entity), 'p'),
        ])
        return selectOf(source, wanted, visible, most)
      }),
    )
    const known = selects.filter((select) => select !== undefined)
    if (!known.length) return []
    const statement = sql`select * from (${join(known, ' union all ')}) hits order by rank, time desc, id`
    // Planned anew each time: whether ten rows have the text or a million decides about the indexes.
    const rows = await this.databases.of(Shipment).queryList<HitRow>(statement)
    return hitsOf(rows, most)
  }
}

/** A hit as it is read. */
interface HitRow extends SearchHitDto {
  readonly rank: number
  readonly time: Date
}

function wantedOf(text: string): Wanted {
  if (threeInARow.test(text)) return { text, found: (values) => textIn(values, literally(text)) }
  return { text, found: (values) => likeOneOf(values, beginningWith(text)) }
}

function likeOneOf(values: readonly Sql[], pattern: string): Sql {
  return sql`(${join(
    values.map((value) => sql`${value} ilike ${pattern}`),
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
function selectOf(
  source: Source,
  { text, found }: Wanted,
  [visible, parentVisible]: readonly [readonly Sql[], readonly Sql[] | undefined],
  most: number,
): Sql | undefined {
  const { kind, dto, entity, hasNames, belongsTo, title, subtitle, state, consolId } = source
  const meta = entityMeta(entity)
  const table = identifier(meta.table)
  if (belongsTo && !maySee(dto, belongsTo.member)) return undefined
  const searched = source.searched.filter((attribute) => maySee(belongsTo?.dto ?? dto, attribute))
  if (!searched.length) return undefined
  const columns = searched.map((attribute) => identifier(meta.columns.get(attribute)?.column ?? attribute))
  const values = columns.map((column) => sql`t.${column}`)
  const parent =
    belongsTo &&
    sql`join ${identifier(entityMeta(belongsTo.entity).table)} p on p."Id" = t.${identifier(belongsTo.by)}`
  const from = parent ? sql`${table} t ${parent}` : sql`${table} t`
  const rowsWith = (condition: Sql | undefined, limit: number) =>
    sql`(select t.* from ${from} where ${and([...visible, ...(parentVisible ?? []), condition])} limit ${limit})`
  const isText = hasNames ? likeOneOf(values, exactly(text)) : equalsOneOf(values, text)
  const fields = values.map(
    (value, place) =>
      sql`(${belongsTo?.member ?? searched[place]}::text, ${value}::text, ${raw(String(place))})`,
  )
  const rank = sql`case when v.text ilike ${exactly(text)} then 0 when v.text ilike ${beginningWith(text)} then 1 else 2 end`
  const shown = (part: Shown | undefined, type: string) =>
    part && maySee(dto, part.member) ? sql`(${part.value})::${raw(type)}` : raw(`null::${type}`)
  return sql`(select ${kind}::text as kind, ${belongsTo ? raw('p."Id"') : raw('t."Id"')} as id, m.field, m.text,
      coalesce(${shown(title, 'text')}, m.text) as title, ${shown(subtitle, 'text')} as subtitle, ${shown(state, 'int')} as state,
      ${shown(consolId, 'uuid')} as "consolId", m.rank, t."CreationTime" as time
    from (${rowsWith(isText, most)} union all ${rowsWith(found(values), most * rankedForEachHit)}) t ${parent ?? raw('')}
    cross join lateral (select v.field, v.text, ${rank} as rank from (values ${join(fields, ', ')}) v(field, text, place)
      where ${found([raw('v.text')])} order by 3, v.place limit 1) m
    order by m.rank, t."CreationTime" desc, t."Id" limit ${2 * most})`
}

/** Of rows in their order the first of each thing, so many of each kind, kind by kind. */
function hitsOf(rows: readonly HitRow[], most: number): SearchHitDto[] {
  const byId = new Map<string, SearchHitDto>()
  for (const { rank: _rank, time: _time, ...hit } of rows) if (!byId.has(hit.id)) byId.set(hit.id, hit)
  const hits = [...byId.values()]
  return searchHitKinds.flatMap((kind) => hits.filter((hit) => hit.kind === kind).slice(0, most))
}

/** True when the caller at hand may see a member of a DTO. */
function maySee({ shape }: AnyDto, member: string): boolean {
  const permission = fieldPermissionOf(shape[member] as z.ZodType)
  return permission === undefined || hasPermission(permission)
}
