import { faultOf, ValidationError } from '../../contracts/index.js'
import { demandField } from '../../modularity/field-rights.js'
import { join, type Sql, sql } from '../wire/sql.js'

/** The fields that a list can be sorted by. */
export class Sorting {
  private readonly byName: ReadonlyMap<string, Sql>
  private readonly ownByName: ReadonlyMap<string, Sql>

  /**
   * @param columns the SQL for each field
   * @param last makes every order definite, so that pages never overlap
   * @param withheld the permissions of fields that the caller may not sort by, own fields included
   * @param own the SQL for each own field. A caller names it as it is, or `extraProperties.CostCentre`
   */
  constructor(
    private readonly columns: Readonly<Record<string, Sql>>,
    private readonly last: Sql,
    private readonly withheld: Readonly<Record<string, string>> = {},
    private readonly own: Readonly<Record<string, Sql>> = {},
  ) {
    this.byName = inAnyCase(columns)
    this.ownByName = inAnyCase(own)
  }

  /** The fields in order. */
  get fields(): string[] {
    return [...Object.keys(this.columns), ...Object.keys(this.own)]
  }

  /** True for a field that the list can be sorted by. */
  has(field: string): boolean {
    return this.byName.has(field.toLowerCase())
  }

  /**
   * An order as a caller writes it, `<field> ASC` or `<field> DESC`, several with commas, as SQL. Fields are known in any case; others are
   * refused, whatever they contain.
   */
  orderBy(sorting: string): Sql {
    return this.by(sorting, (column) => column)
  }

  /**
   * The same order over values that no index has: PostgreSQL finds all rows of a list and then sorts them, instead of reading an index in its order
   * until it has met as many rows of the list as are wanted.
   */
  afterFinding(sorting: string): Sql {
    return this.by(sorting, (column) => sql`(select ${column})`)
  }

  private by(sorting: string, keyOf: (column: Sql) => Sql): Sql {
    const terms = sorting.split(',').map((term) => this.term(term, keyOf))
    return join([...terms, this.last], ', ')
  }

  private term(text: string, keyOf: (column: Sql) => Sql): Sql {
    const [, given = '', direction = 'asc'] =
      /^\s*((?:extraProperties\.)?\w+)(?:\s+(asc|desc|ascending|descending))?\s*$/i.exec(text) ?? []
    const isDescending = /^desc/i.test(direction)
    const column = this.byName.get(given.toLowerCase())
    if (column) return isDescending ? sql`${keyOf(column)} desc` : keyOf(column)
    const field = given.toLowerCase().replace(/^extraproperties\./, '')
    const own = this.ownByName.get(field)
    // Rows without a value are first, as in OData: the index of the field is in this order.
    if (own) return isDescending ? sql`${keyOf(own)} desc nulls last` : sql`${keyOf(own)} nulls first`
    for (const [name, permission] of Object.entries(this.withheld))
      if (name.toLowerCase() === field) demandField(name, permission)
    const known = this.fields.join(', ')
    const code = 'App:Sorting:UnknownField'
    const data = { field: text.trim().slice(0, 100), fields: known }
    throw new ValidationError([faultOf('sorting', code, data)], { code })
  }
}

function inAnyCase(columns: Readonly<Record<string, Sql>>): ReadonlyMap<string, Sql> {
  return new Map(Object.entries(columns).map(([field, column]) => [field.toLowerCase(), column]))
}
