import { LRUCache } from 'lru-cache'
import type { Database } from '../../data/connections/database.js'
import { bytesText } from '../../data/wire/byte-rows.js'
import type { Statement } from '../../data/wire/statement.js'
import { ODataError } from '../syntax/odata-error.js'

/** A stream may take so many times as long as a page. */
const streamShare = 500

/** The most bytes of the texts of admitted statements. */
const mostBytes = 16 * 1024 * 1024

/** PostgreSQL's errors for `generic_plan`, which is unknown before its version 16. */
const unknownOption = new Set(['42601', '42P02'])

/**
 * Refuses statements that PostgreSQL expects to cost too much, before they run. PostgreSQL is asked once for
 * the text of an admitted statement, and each time for a refused one: a smaller page may be cheap enough.
 *
 * The estimate uses statistics of all rows, also of those that are hidden from the caller. With a query close
 * to the limit, a caller could find out what the statistics say of a value, or of the beginning of a text,
 * even if costs were rounded. Therefore PostgreSQL estimates without values, except for the size of the page.
 * A caller can still find out how large tables are, and how many different values and nulls a column has.
 */
export class CostGuard {
  private readonly admitted = new LRUCache<string, true>({
    max: 5000,
    maxSize: mostBytes,
    sizeCalculation: (_, text) => text.length,
  })
  /** Databases of servers before PostgreSQL 16, which can estimate only with the values. */
  private readonly old = new WeakSet<Database>()

  /** @param most the highest cost in the planner's own measure; 0 for any */
  constructor(private readonly most: number) {}

  /** Says whether a statement was admitted before. */
  knows({ text }: Statement): boolean {
    return !this.most || this.admitted.get(text) === true
  }

  admit(statement: Statement, database: Database): Promise<void> {
    return this.admitUpTo(this.most, statement, database)
  }

  /** Admits the statement of a stream. */
  admitStream(statement: Statement, database: Database): Promise<void> {
    return this.admitUpTo(this.most * streamShare, statement, database)
  }

  private async admitUpTo(most: number, statement: Statement, database: Database): Promise<void> {
    if (this.knows(statement)) return
    if ((await this.costOf(statement, database)) > most)
      throw ODataError.invalid(
        'The query would cost too much: filter by more selective properties, or ask for less at a time.',
      )
    this.admitted.set(statement.text, true)
  }

  private async costOf(statement: Statement, database: Database): Promise<number> {
    const { text, values } = statement
    if (this.old.has(database))
      return plannedCost({ text: `explain (format json) ${text}`, values }, database)
    const generic = `explain (generic_plan, format json) ${withPageSizes(statement)}`
    try {
      return await plannedCost({ text: generic, values: [] }, database)
    } catch (error) {
      if (!unknownOption.has((error as { code?: string }).code ?? '')) throw error
      this.old.add(database)
      return this.costOf(statement, database)
    }
  }
}

async function plannedCost(explain: Statement, database: Database): Promise<number> {
  const [[plan] = []] = await database.queryForCaller(explain)
  return totalCost(plan ? bytesText(plan) : '[]')
}

/** The text with the numbers that its pages have; without them PostgreSQL expects a tenth of all rows. */
function withPageSizes({ text, values }: Statement): string {
  return text.replace(/\b(limit|offset) \$(\d+)/g, (found, word: string, index: string) => {
    const size = values[Number(index) - 1]
    return typeof size === 'number' ? `${word} ${size}` : found
  })
}

function totalCost(plan: string): number {
  const [first] = JSON.parse(plan) as { readonly Plan?: { readonly 'Total Cost'?: number } }[]
  return first?.Plan?.['Total Cost'] ?? 0
}
