import { LRUCache } from 'lru-cache'
import { bytesText } from '../data/byte-rows.js'
import type { Database, Statement } from '../data/connections.js'
import { ODataError } from './odata-error.js'

/** A stream may take so many times as long as a page. */
const streamShare = 100

/**
 * Refuses statements that PostgreSQL expects to cost too much, before they run. It is asked once for each text of a statement that it lets
 * through, and every time for those that it does not: other values may make them cheap.
 */
export class CostGuard {
  private readonly admitted = new LRUCache<string, true>({ max: 5000 })

  /** @param most the highest cost in the planner's own measure; 0 for any */
  constructor(private readonly most: number) {}

  /** Whether a statement needs not be asked about. */
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
    const { text, values } = statement
    const [[plan] = []] = await database.queryForCaller({ text: `explain (format json) ${text}`, values })
    const cost = totalCost(plan ? bytesText(plan) : '[]')
    if (cost > most)
      throw ODataError.invalid(
        'The query would cost too much: filter by more selective properties, or ask for less at a time.',
      )
    this.admitted.set(text, true)
  }
}

function totalCost(plan: string): number {
  const [first] = JSON.parse(plan) as { readonly Plan?: { readonly 'Total Cost'?: number } }[]
  return first?.Plan?.['Total Cost'] ?? 0
}
