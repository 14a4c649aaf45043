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

/** The pages of an admitted statement: larger ones may cost more. */
interface AdmittedPages {
  /** Where its values have the sizes of pages. */
  readonly places: readonly number[]
  readonly sizes: readonly number[]
}

/**
 * Refuses statements that PostgreSQL expects to cost too much, before they run. PostgreSQL is asked for the text
 * of an admitted statement once, and again for larger pages, and each time for a refused one: a smaller page may
 * be cheap enough.
 *
 * The estimate uses statistics of all rows, also of those that are hidden from the caller. With a query close
 * to the limit, a caller could find out what the statistics say of a value, or of the beginning of a text,
 * even if costs were rounded. Therefore PostgreSQL estimates without values, except for the sizes of pages.
 * A caller can still find out how large tables are, and how many different values and nulls a column has.
 */
export class CostGuard {
  private readonly admitted = new LRUCache<string, AdmittedPages>({
    max: 5000,
    maxSize: mostBytes,
    sizeCalculation: (_, text) => text.length,
  })
  /** Databases of servers before PostgreSQL 16, which can estimate only with the values. */
  private readonly old = new WeakSet<Database>()

  /** @param most the highest cost in the planner's own measure; 0 for any */
  constructor(private readonly most: number) {}

  /** Says whether a statement was admitted before, with pages that were no smaller. */
  knows({ text, values }: Statement): boolean {
    if (!this.most) return true
    const known = this.admitted.get(text)
    return known?.places.every((place, index) => Number(values[place]) <= (known.sizes[index] ?? 0)) ?? false
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
    const { text, values } = statement
    const places = placesOfPageSizes(statement)
    const exact = places.map((place) => Number(values[place]))
    for (const sizes of places.length ? [exact.map(roundedUp), exact] : [exact]) {
      const pages = { places, sizes }
      if ((await this.costOf(statement, pages, database)) > most) continue
      this.admitted.set(text, pages)
      return
    }
    throw ODataError.invalid(
      'The query would cost too much: filter by more selective properties, or ask for less at a time.',
    )
  }

  private async costOf(statement: Statement, pages: AdmittedPages, database: Database): Promise<number> {
    if (this.old.has(database)) {
      const values = [...statement.values]
      for (const [index, place] of pages.places.entries()) values[place] = pages.sizes[index]
      return plannedCost({ text: `explain (format json) ${statement.text}`, values }, database)
    }
    const generic = `explain (generic_plan, format json) ${withPageSizes(statement.text, pages)}`
    try {
      return await plannedCost({ text: generic, values: [] }, database)
    } catch (error) {
      if (!unknownOption.has((error as { code?: string }).code ?? '')) throw error
      this.old.add(database)
      return this.costOf(statement, pages, database)
    }
  }
}

async function plannedCost(explain: Statement, database: Database): Promise<number> {
  const [[plan] = []] = await database.queryForCaller(explain)
  return totalCost(plan ? bytesText(plan) : '[]')
}

const pageSize = /\b(limit|offset) \$(\d+)/g

/** To a power of two: callers who go from page to page need not be asked about for each. */
function roundedUp(size: number): number {
  return size < 2 ** 31 ? 2 ** Math.ceil(Math.log2(size + 1)) : size
}

function placesOfPageSizes({ text, values }: Statement): number[] {
  const places = [...text.matchAll(pageSize)].map(([, , number]) => Number(number) - 1)
  return places.filter((place) => typeof values[place] === 'number')
}

/** The text with the sizes of its pages; without them PostgreSQL expects a tenth of all rows. */
function withPageSizes(text: string, { places, sizes }: AdmittedPages): string {
  return text.replace(pageSize, (found, word: string, number: string) => {
    const size = sizes[places.indexOf(Number(number) - 1)]
    return size === undefined ? found : `${word} ${size}`
  })
}

function totalCost(plan: string): number {
  const [first] = JSON.parse(plan) as { readonly Plan?: { readonly 'Total Cost'?: number } }[]
  return first?.Plan?.['Total Cost'] ?? 0
}
