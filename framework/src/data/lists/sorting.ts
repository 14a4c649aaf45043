import { faultOf, ValidationError } from '../../contracts/index.js'
import { raw, type Sql } from '../wire/sql.js'

/** The fields that a list can be sorted by. */
export class Sorting {
  private readonly byName: ReadonlyMap<string, string>

  /** @param columns from field to the column as SQL @param last what makes every order definite, so that pages never overlap */
  constructor(
    private readonly columns: Readonly<Record<string, string>>,
    private readonly last: string,
  ) {
    this.byName = new Map(Object.entries(columns).map(([field, column]) => [field.toLowerCase(), column]))
  }

  /** The fields in order. */
  get fields(): string[] {
    return Object.keys(this.columns)
  }

  /** Whether there is such a field. */
  has(field: string): boolean {
    return this.byName.has(field.toLowerCase())
  }

  /**
   * An order as a caller writes it, `<field> ASC` or `<field> DESC`, several with commas, as SQL. Fields are known in any case; others are
   * refused, whatever they contain.
   */
  orderBy(sorting: string): Sql {
    const terms = sorting.split(',').map((term) => this.term(term))
    return raw([...terms, this.last].join(', '))
  }

  private term(text: string): string {
    const [, field = '', direction = 'asc'] =
      /^\s*(\w+)(?:\s+(asc|desc|ascending|descending))?\s*$/i.exec(text) ?? []
    const column = this.byName.get(field.toLowerCase())
    if (column) return `${column}${/^desc/i.test(direction) ? ' desc' : ''}`
    const known = this.fields.join(', ')
    const code = 'App:Sorting:UnknownField'
    const data = { field: text.trim().slice(0, 100), fields: known }
    throw new ValidationError([faultOf('sorting', code, data)], { code })
  }
}
