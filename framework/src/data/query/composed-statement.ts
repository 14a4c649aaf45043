import { LRUCache } from 'lru-cache'
import { atMost } from '../../modularity/at-most.js'
import type { CallerRules } from '../entities/row-rules.js'
import { type Sql, toStatement } from '../wire/sql.js'
import type { Statement } from '../wire/statement.js'
import { bindLate, conditionOf, type RunValues, runValue, VisibleRows } from './late-values.js'
import { type StatementShape, statementShapes } from './statement-shapes.js'

/** Conditions of callers have few texts; what differs between callers is values. */
const mostTexts = 100

/**
 * A statement that is sent again and again with other values. Its text, of some thousand characters, is put together once for each text that the
 * conditions of callers in it have, and found by those, which are short: to find it by itself takes 5 % of reading a row.
 */
export class ComposedStatement {
  private readonly shapes = new LRUCache<string, StatementShape>(atMost(mostTexts))

  /** @param values those of the template in a run, late values among them: as many, and of the same kinds, each time */
  async bind(
    template: () => Sql,
    values: readonly unknown[],
    rules: CallerRules,
    run: RunValues,
  ): Promise<Statement> {
    const bound: unknown[] = []
    let key = ''
    for (const value of values) {
      if (!(value instanceof VisibleRows)) bound.push(runValue(value, run))
      else {
        const found = conditionOf(value, rules)
        const condition = found instanceof Promise ? await found : found
        // No text of SQL has these characters, so that other texts have another key.
        key += `${condition.texts.join('\0')}\u0001`
        bound.push(...condition.values)
      }
    }
    let shape = this.shapes.get(key)
    if (!shape) {
      shape = statementShapes.of(toStatement(await bindLate(template(), rules, run)).text)
      this.shapes.set(key, shape)
    }
    return shape.statement(bound)
  }
}
