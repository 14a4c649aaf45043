import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { looksLikePattern, type Sql, toStatement } from '../wire/sql.js'
import type { Statement } from '../wire/statement.js'

/** So often a statement is seen before it is worth preparing. */
const seenOften = 3

/** Statements of many clients have texts of a few thousand characters; a single one may have a hundred thousand. */
const mostBytes = 16 * 1024 * 1024

/** A text of a statement, and how often it was sent. */
export class StatementShape {
  /** Stands for the text. */
  readonly name: string
  private times = 0

  constructor(readonly text: string) {
    this.name = `q${createHash('sha256').update(text).digest('base64url').slice(0, 20)}`
  }

  /** The statement as it is planned best: once per connection when it comes often, unless one of its values decides the plan. */
  statement(values: readonly unknown[]): Statement {
    const { text } = this
    return this.isOften() && !values.some(decidesPlan) ? { text, values, name: this.name } : { text, values }
  }

  /** Counts one more; says whether the statement comes often enough for a name. */
  isOften(): boolean {
    return ++this.times > seenOften
  }
}

/**
 * True for lists of values and for texts that are looked for. PostgreSQL must see these: whether half of all rows match or ten decides between two
 * plans a thousand times apart.
 */
export function decidesPlan(value: unknown): boolean {
  return Array.isArray(value) || looksLikePattern(value)
}

/**
 * Knows which statements come again: these get a name, so that each connection plans them once. Clients make up statements without end, and
 * each plan takes memory in every connection.
 */
export class StatementShapes {
  private readonly shapes = new LRUCache<string, StatementShape>({
    max: 2000,
    maxSize: mostBytes,
    sizeCalculation: ({ text }) => text.length,
  })

  of(text: string): StatementShape {
    let shape = this.shapes.get(text)
    if (!shape) {
      shape = new StatementShape(text)
      this.shapes.set(text, shape)
    }
    return shape
  }
}

/** The statements of the process, of lists and of OData: their names are made of their texts alone. */
export const statementShapes = new StatementShapes()

/** A statement as its {@link StatementShape} has it planned best. */
export function planned(statement: Sql): Statement {
  const { text, values } = toStatement(statement)
  return statementShapes.of(text).statement(values)
}

/** A statement whose first plan serves all values, which is planned once per connection when it comes often. Of those that come seldom PostgreSQL keeps nothing. */
export function withKeptPlan(statement: Sql): Statement {
  const { text, values } = toStatement(statement)
  const shape = statementShapes.of(text)
  return shape.isOften() ? { text, values, name: shape.name, keepsPlan: true } : { text, values }
}
