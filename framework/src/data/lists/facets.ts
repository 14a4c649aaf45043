import { faultOf, membersOf, ValidationError } from '../../contracts/index.js'
import { demandField } from '../../modularity/field-rights.js'
import type { OwnFields } from '../../modularity/own-fields.js'
import { type ColumnMeta, columnSql, type EntityClass } from '../entities/entity.js'
import type { FacetField } from '../entities/facet-field.js'
import { countedBy, facetCountsSql, passesOf } from '../query/facet-counts.js'
import { and, join, raw, type Sql, sql } from '../wire/sql.js'
import type { ShownFacets } from './facet-json.js'
import type { JsonView } from './json-view.js'
import type { ReferenceSets } from './reference-sets.js'

/** A filter of a request as it was understood. */
export interface RequestedFilter {
  readonly field: FacetField
  readonly values: readonly string[]
  readonly condition: Sql
}
/** The filters of one request, one for each field. */
export type RequestedFilters = readonly RequestedFilter[]

/** How many values of one field an answer holds at most; the most frequent ones stay. */
const mostValues = 1000
const names = { field: 'field', values: 'values', value: 'value', count: 'count' } as const
const guidText = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A list of an entity with the fields it can be filtered and counted by. */
export class FacetedList {
  /** Those of the declared fields that the view has. */
  readonly fields: readonly FacetField[]
  private readonly byName = new Map<string, FacetField>()
  /** The columns of own fields. */
  private readonly ownColumns: ReadonlyMap<FacetField, ColumnMeta>
  private readonly ofViews = new WeakMap<JsonView, FacetedList>()

  constructor(
    readonly view: JsonView,
    private readonly declared: readonly FacetField[],
    /** Error code for a filter by a field that is not among them. */
    private readonly unknownField: string,
  ) {
    this.ownColumns = new Map(view.ownFacets.map(({ field, column }) => [field, column]))
    const own = [...this.ownColumns.keys()]
    this.fields = [...declared.filter(({ attribute }) => view.withheldAs(attribute) === undefined), ...own]
    for (const field of [...own, ...declared])
      for (const name of [field.name, ...(field.aliases ?? [])]) this.byName.set(name.toLowerCase(), field)
  }

  /** This list without the fields that the caller at hand may not see: they are neither counted nor filtered by. */
  forCaller(ownFields: OwnFields): FacetedList {
    const view = this.view.forCaller(ownFields)
    if (view === this.view) return this
    const known = this.ofViews.get(view) ?? new FacetedList(view, this.declared, this.unknownField)
    this.ofViews.set(view, known)
    return known
  }

  /** The facets of an answer. */
  get shown(): ShownFacets {
    const fields = this.fields.map((field) => ({ field, column: this.columnOf(field) }))
    return { fields, mostValues, names }
  }

  /**
   * The filters of a request: a row matches a field when it has any of the values, and must match all fields. Values are codes in any case,
   * ids, for an enumeration a name or number, for a boolean true or false; one that stands for nothing matches nothing. Unknown fields are
   * refused.
   */
  async understand(
    requested: Readonly<Record<string, readonly string[]>>,
    references: ReferenceSets,
    ownFields: OwnFields,
  ): Promise<RequestedFilters> {
    const understood = new Map<FacetField, string[]>()
    for (const [name, values] of Object.entries(requested)) {
      const field = this.byName.get(name.toLowerCase())
      if (!field) {
        this.demandOwnField(name, ownFields)
        const fields = this.fields.map((known) => known.name).join(', ')
        throw new ValidationError([faultOf('filters', 'App:Filters:UnknownField', { field: name, fields })], {
          code: this.unknownField,
          data: { field: name },
        })
      }
      const withheld = this.view.withheldAs(field.attribute)
      if (withheld) demandField(withheld.member, withheld.permission)
      if (values.length) understood.set(field, [...(understood.get(field) ?? []), ...values])
    }
    return Promise.all(
      [...understood].map(async ([field, values]) => ({
        field,
        values,
        condition: await this.condition(field, values, references),
      })),
    )
  }

  /** Refuses the name of an own field that the caller at hand may not see, in the words that all such fields are refused in. */
  private demandOwnField(name: string, ownFields: OwnFields): void {
    const field = ownFields
      .of(this.view.ownEntity ?? '')
      .find((one) => one.name.toLowerCase() === name.toLowerCase())
    if (field?.permission !== undefined) demandField(field.name, field.permission)
  }

  /**
   * One JSON array of all counts, as a subselect. Each field is counted over the rows that match all filters but its own: the fields without
   * a filter together in one pass over the covering index, each other one in a pass of its own.
   */
  countsSql(table: Sql, base: readonly Sql[], filters: RequestedFilters): Sql {
    const free = this.fields.filter((field) => !filters.some((filter) => filter.field === field))
    const passes = filters.map(({ field }) => {
      const others = filters.filter((other) => other.field !== field).map(({ condition }) => condition)
      return this.pass(table, [...base, ...others], [field])
    })
    const all = [...base, ...filters.map(({ condition }) => condition)]
    for (const fields of passesOf(free)) passes.push(this.pass(table, all, fields))
    return facetCountsSql(join(passes, ' union all '), mostValues)
  }

  private pass(table: Sql, conditions: readonly Sql[], fields: readonly FacetField[]): Sql {
    const columns = fields.map((field) => ({
      field: this.fields.indexOf(field),
      name: this.referenceText(field),
    }))
    return countedBy(table, and([...conditions]), columns)
  }

  private async condition(
    field: FacetField,
    values: readonly string[],
    references: ReferenceSets,
  ): Promise<Sql> {
    const column = this.reference(field)
    if (this.ownColumns.has(field) && !field.values) {
      const known = values.map((value) => value.toLowerCase()).filter((value) => /^(true|false)$/.test(value))
      return isAnyOf(column, known, 'boolean')
    }
    if (field.values) return isAnyOf(column, enumValues(field.values, values), 'smallint')
    const entity = this.entityOf(field)
    const code = field.code ?? 'code'
    const codes = values.filter((value) => !guidText.test(value))
    const set = await references.matching(entity, code, codes)
    const ids = values.flatMap((value) =>
      guidText.test(value) ? [value.toLowerCase()] : set.idsBy(code, value),
    )
    return isAnyOf(column, [...new Set(ids)].sort(), 'uuid')
  }

  /** The entity that a reference field refers to. */
  private entityOf(field: FacetField): EntityClass {
    const entity = this.columnOf(field).references?.()
    if (!entity)
      throw new Error(
        `The facet ${field.name} of ${this.view.meta.name} is neither an enumeration nor a reference`,
      )
    return entity
  }

  private columnOf(field: FacetField): ColumnMeta {
    const column = this.ownColumns.get(field) ?? this.view.meta.columns.get(field.attribute)
    if (!column)
      throw new Error(
        `The facet ${field.name} is about ${field.attribute}, which ${this.view.meta.name} does not have`,
      )
    return column
  }

  private referenceText(field: FacetField): string {
    return columnSql(this.columnOf(field), 't')
  }

  private reference(field: FacetField): Sql {
    return raw(this.referenceText(field))
  }
}

/** One value as such: an index on the column and an order is then read in that order, which it is not for a list of one. */
function isAnyOf(column: Sql, values: readonly unknown[], type: string): Sql {
  const [first] = values
  return values.length === 1
    ? sql`${column} = ${first}::${raw(type)}`
    : sql`${column} = any(${values}::${raw(type)}[])`
}

function enumValues(members: Record<string, string | number>, values: readonly string[]): number[] {
  const numbers = membersOf(members)
  const found = values.map((value) => {
    if (/^\d+$/.test(value)) return Number(value)
    return Object.entries(numbers).find(([name]) => name.toLowerCase() === value.toLowerCase())?.[1]
  })
  return [...new Set(found.filter((value) => value !== undefined && value < 32_768))].sort() as number[]
}

/** The filters as they are echoed. */
export function writeAppliedFilters(filters: RequestedFilters): string {
  return JSON.stringify(filters.map(({ field, values }) => ({ field: field.name, values })))
}
