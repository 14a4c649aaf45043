import { type AnyDto, dtoOf, fieldsOf, unwrap, type z } from '../../contracts/index.js'
import { ambient } from '../../modularity/ambient.js'
import { makesUseOf } from '../../modularity/principal.js'
import { type ColumnMeta, type EntityClass, type EntityMeta, entityMeta } from '../entities/entity.js'
import type { RowRules } from '../entities/row-rules.js'
import { jsonExpression, jsonString, textToJson } from '../entities/text-columns.js'
import { and, join, quote, raw, type Sql, sql } from '../wire/sql.js'
import type { TextRow } from '../wire/statement.js'
import type { ReferenceSet, ReferenceSets } from './reference-sets.js'
import { Sorting } from './sorting.js'

/** The rows of another entity that belong to one row, as a member of its DTO. */
export interface Collection {
  readonly entity: EntityClass
  /** The attribute of `entity` that holds our id. */
  readonly by: string
  /** Attributes to order by. */
  readonly orderBy: readonly string[]
  /** Without this permission the member is null. */
  readonly permission?: string
}

/** What a view shows beside columns. */
export interface ViewOptions {
  readonly collections?: Readonly<Record<string, Collection>>
}

interface Part {
  /** Where in the row the value is. */
  readonly index: number
  /** The member without a value: `,"name":null`. */
  readonly nullText: string
  /** The member with a value: `,"name":…`. */
  write(value: string, references: ReferencesOfView): string
}

interface CollectionPart {
  readonly name: string
  readonly meta: EntityMeta
  readonly permission: string | undefined
  /** Of the table `c`: what is selected of it, which rows are ours, and their order. */
  readonly columns: Sql
  readonly belongs: Sql
  readonly order: Sql
}

/** The reference sets a view needs to write rows, by entity. */
export type ReferencesOfView = ReadonlyMap<EntityClass, ReferenceSet>

/**
 * How the rows of an entity become the JSON of a DTO: columns by name; members that are DTOs themselves by the id column of their name, from
 * the coherent in-process copy of the small set they refer to; collections by a subselect. Compiled once.
 */
export class JsonView {
  readonly meta: EntityMeta
  /** What to select, of the table `t`, in the order that {@link write} expects. */
  readonly columns: string
  /** What a caller may sort by: the DTO's own plain members. */
  readonly sorting: Sorting
  private readonly selected: ColumnMeta[] = []
  private readonly parts: readonly Part[]
  private readonly referred = new Set<EntityClass>()
  private readonly collections: readonly CollectionPart[]

  constructor(
    readonly entity: EntityClass,
    readonly dto: AnyDto,
    options: ViewOptions = {},
  ) {
    this.meta = entityMeta(entity)
    const parts: Part[] = []
    const collections: CollectionPart[] = []
    for (const [name, schema] of fieldsOf(dto)) {
      const collection = options.collections?.[name]
      if (collection) collections.push(collectionPart(name, collection, this.elementOf(name, schema)))
      else if (isCollection(schema)) continue
      else parts.push(this.part(name, schema, parts.length === 0))
    }
    this.parts = parts
    this.collections = collections
    const own = fieldsOf(dto).flatMap(([name]) => this.meta.columns.get(name) ?? [])
    this.sorting = new Sorting(
      Object.fromEntries(own.map(({ attribute, column }) => [attribute, `t.${quote(column)}`])),
      't."Id"',
    )
    this.columns = this.selected.map(({ column }) => `t.${quote(column)}`).join(', ')
  }

  /** The columns and, for the caller at hand, the collections: what one row is read with. */
  async selection(rules: RowRules): Promise<Sql> {
    const parts = [raw(this.columns)]
    for (const collection of this.collections) parts.push(await collectionSql(collection, rules))
    return join(parts, ', ')
  }

  /** The sets that the referenced members are written from, as they are now. */
  async references(sets: ReferenceSets): Promise<ReferencesOfView> {
    const found = new Map<EntityClass, ReferenceSet>()
    for (const entity of this.referred) found.set(entity, await sets.of(entity))
    return found
  }

  /** A row as a JSON object. @param offset where in the row the view's columns begin */
  write(row: TextRow, references: ReferencesOfView, offset = 0): string {
    let json = ''
    for (const part of this.parts) {
      const value = row[offset + part.index]
      json += value === null || value === undefined ? part.nullText : part.write(value, references)
    }
    return `${json}}`
  }

  /** A row that was read with {@link selection}: the object with its collections. */
  writeWhole(row: TextRow, references: ReferencesOfView): string {
    const members = this.collections.map(
      ({ name }, index) => `,${jsonString(name)}:${row[this.selected.length + index] ?? 'null'}`,
    )
    return `${this.write(row, references).slice(0, -1)}${members.join('')}}`
  }

  /** A row of a {@link ReferenceSet}, which holds all columns in the entity's order, as a JSON object. References inside it are left null. */
  writeReference(row: TextRow): string {
    const order = [...this.meta.columns.values()]
    return this.write(
      this.selected.map((column) => row[order.indexOf(column)] ?? null),
      new Map(),
    )
  }

  /** The same object built by PostgreSQL, for rows inside rows: a select list over the table known by `alias`. */
  selectList(alias: string, depth = 0): string {
    const members = fieldsOf(this.dto)
      .filter(([, schema]) => !isCollection(schema))
      .map(([name, schema]) => {
        const own = this.meta.columns.get(name)
        if (own) return `${jsonExpression(own, `${alias}.${quote(own.column)}`)} as ${quote(name)}`
        const { column, view } = this.referenceOf(name, schema)
        const inner = `${alias}${depth}`
        const object = `select ${view.selectList(inner, depth + 1)} from ${quote(view.meta.table)} ${inner} where ${inner}."Id" = ${alias}.${quote(column.column)}`
        return `(select row_to_json(r) from (${object}) r) as ${quote(name)}`
      })
    return members.join(', ')
  }

  private part(name: string, schema: z.ZodType, isFirst: boolean): Part {
    const prefix = `${isFirst ? '{' : ','}${jsonString(name)}:`
    const nullText = `${prefix}null`
    const own = this.meta.columns.get(name)
    if (own) {
      const toJson = textToJson(own)
      return { index: this.select(own), nullText, write: (value) => prefix + toJson(value) }
    }
    const { column, view } = this.referenceOf(name, schema)
    this.referred.add(view.entity)
    const write = (id: string, references: ReferencesOfView) =>
      prefix + (references.get(view.entity)?.json(id, view) ?? 'null')
    return { index: this.select(column), nullText, write }
  }

  private referenceOf(name: string, schema: z.ZodType): { column: ColumnMeta; view: JsonView } {
    const column = this.meta.columns.get(`${name}Id`)
    const dto = dtoOf(unwrap(schema))
    if (!column?.references || !dto) {
      throw new Error(
        `${this.dto.name}.${name} can't be read from ${this.meta.name}: it is no column, and there is no ${name}Id that references an entity`,
      )
    }
    return { column, view: new JsonView(column.references(), dto) }
  }

  private elementOf(name: string, schema: z.ZodType): AnyDto {
    const dto = dtoOf((unwrap(schema)._zod.def as unknown as { element: z.ZodType }).element)
    if (!dto) throw new Error(`${this.dto.name}.${name} is a collection but not of DTOs`)
    return dto
  }

  private select(column: ColumnMeta): number {
    const known = this.selected.indexOf(column)
    return known >= 0 ? known : this.selected.push(column) - 1
  }
}

function isCollection(schema: z.ZodType): boolean {
  const inner = unwrap(schema)
  return (
    inner._zod.def.type === 'array' &&
    dtoOf((inner._zod.def as unknown as { element: z.ZodType }).element) !== undefined
  )
}

/** What of a collection does not depend on the caller, made once. */
function collectionPart(
  name: string,
  { entity, by, orderBy, permission }: Collection,
  dto: AnyDto,
): CollectionPart {
  const view = new JsonView(entity, dto)
  const column = (attribute: string): string =>
    `c.${quote(view.meta.columns.get(attribute)?.column ?? attribute)}`
  return {
    name,
    meta: view.meta,
    permission,
    columns: raw(view.selectList('c')),
    belongs: raw(`${column(by)} = t."Id"`),
    order: raw([...orderBy.map(column), 'c."Id"'].join(', ')),
  }
}

async function collectionSql(
  { meta, permission, columns, belongs, order }: CollectionPart,
  rules: RowRules,
): Promise<Sql> {
  if (permission && !makesUseOf(ambient().principal, permission)) return raw('null')
  const visible = and([belongs, ...(await rules.conditionsFor(meta, 'c'))])
  const rows = sql`select ${columns} from ${raw(quote(meta.table))} c where ${visible} order by ${order}`
  return sql`(select coalesce(json_agg(r), '[]'::json) from (${rows}) r)`
}
