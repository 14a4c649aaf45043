import { faultOf, ValidationError } from '../../contracts/index.js'
import { demandField } from '../../modularity/field-rights.js'
import { join, type Sql, sql } from '../wire/sql.js'

/** The fields that a list can be sorted by. */
export class Sorting {
  private readonly byName: ReadonlyMap<string, Sql>

  /**
   * @param columns the SQL for each field
   * @param last makes every order definite, so that pages never overlap
   * @param withheld the permissions of fields that the caller may not sort by
   */
  constructor(
    private readonly columns: Readonly<Record<string, Sql>>,
    private readonly last: Sql,
    private readonly withheld: Readonly<Record<string, string>> = {},
  ) {
    this.byName = new Map(Object.entries(columns).map(([field, column]) => [field.toLowerCase(), column]))
  }

  /** The fields in order. */
  get fields(): string[] {
    return Object.keys(this.columns)
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
    const terms = sorting.split(',').map((term) => this.term(term))
    return join([...terms, this.last], ', ')
  }

  private term(text: string): Sql {
    const [, field = '', direction = 'asc'] =
      /^\s*(\w+)(?:\s+(asc|desc|ascending|descending))?\s*$/i.exec(text) ?? []
    const column = this.byName.get(field.toLowerCase())
    if (column) return /^desc/i.test(direction) ? sql`${column} desc` : column
    for (const [name, permission] of Object.entries(this.withheld))
      if (name.toLowerCase() === field.toLowerCase()) demandField(name, permission)
    const known = this.fields.join(', ')
    const code = 'App:Sorting:UnknownField'
    const data = { field: text.trim().slice(0, 100), fields: known }
    throw new ValidationError([faultOf('sorting', code, data)], { code })
  }
}
