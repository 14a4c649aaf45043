import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Statement } from '../connections.js'
import { type Sql, toStatement } from '../sql.js'

/** So often a statement is seen before it is worth preparing. */
const seenOften = 3

/**
 * Knows which statements come again: these get a name, so that each connection plans them once. Clients make up statements without end, and
 * each plan takes memory in every connection. One with lists of values gets none: PostgreSQL must see these to plan well.
 */
export class StatementShapes {
  private readonly shapes = new LRUCache<string, { times: number; name: string }>({ max: 2000 })

  /** The statement ready to be sent. */
  ready(statement: Sql): Statement {
    const { text, values } = toStatement(statement)
    if (values.some(Array.isArray)) return { text, values }
    const known = this.shapes.get(text)
    if (known && ++known.times > seenOften) return { text, values, name: known.name }
    if (!known) {
      const name = `q${createHash('sha256').update(text).digest('base64url').slice(0, 20)}`
      this.shapes.set(text, { times: 1, name })
    }
    return { text, values }
  }
}
