import type { Condition, Value } from '../../data/query/expression.js'
import { say } from '../syntax/odata-error.js'
import type { Expression, Transformation } from '../syntax/syntax.js'
import type { Stage } from './apply-stage.js'
import type { Binder } from './binder.js'
import { type Instance, memberOf, type RecordInstance } from './expression-scope.js'
import type { RequestContext } from './request-context.js'

/** The base of the binder of `$apply`, as the binders of single transformations know it. */
export abstract class StageBinder {
  abstract readonly binder: Binder

  constructor(readonly context: RequestContext) {}

  /** The stage that some transformations make of another. */
  abstract run(transformations: readonly Transformation[], start: Stage): Stage

  /** The condition of a filter on the rows of a stage. */
  condition({ filter }: Extract<Transformation, { kind: 'filter' }>, { instance }: Stage): Condition {
    return this.binder.condition(filter, { it: instance, current: instance })
  }

  /** The value of an expression for each row of a stage. */
  value(expression: Expression, { instance }: Stage): Value {
    return this.binder.value(expression, { it: instance, current: instance })
  }

  /** Refuses a name that rows have already. */
  expectFree(alias: string, record: RecordInstance, place: { readonly at: number }, before?: Instance): void {
    const taken =
      before?.kind === 'entity'
        ? (this.context.rights.property(before.set.type, alias) ??
          this.context.rights.list(before.set.type, alias) ??
          this.context.rights.complex(before.set.type, alias) ??
          this.context.rights.navigation(before.set.type, alias))
        : undefined
    if (taken || memberOf(record, alias))
      this.binder.refuse(say`The name '${alias}' is taken already.`, place)
  }
}
