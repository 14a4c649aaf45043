import { createHash } from 'node:crypto'
import type { EntityMeta } from '../../data/entities/entity.js'
import { LateValue, VisibleRows } from '../../data/query/late-values.js'
import type { Assumptions } from '../../data/query/parameter.js'
import { PlannedStatement } from '../../data/query/planned-statement.js'
import type { CallerRights } from '../binding/caller-rights.js'
import type { BoundRequest } from '../binding/request-binder.js'

/** A bound request, and for which others the same holds. */
export interface Binding {
  readonly request: BoundRequest
  /** The permissions asked for while binding: it holds for callers of whom the same is true. */
  readonly decisions: CallerRights['decisions']
  readonly assumptions: Assumptions
}

/** Memory of a plan beside its SQL, of a fact, and of a parameter, roughly, in bytes. */
const planBytes = 4000
const factBytes = 300

/** How requests of one shape are answered, as far as the assumptions of the plan hold for them. */
export class Plan {
  readonly whole: PlannedStatement
  /** Of a collection with count or facets: these alone, and the page alone. */
  readonly apart: { readonly totals: PlannedStatement; readonly page: PlannedStatement } | undefined
  /** Of a collection whose rows can be kept by their versions. */
  readonly kept: KeptPlan | undefined
  /** How much memory it takes, roughly. */
  readonly bytes: number
  private times = 0

  constructor(readonly binding: Binding) {
    const { sql, apart, stream, kept } = binding.request
    this.whole = new PlannedStatement(sql)
    this.apart = apart && {
      totals: new PlannedStatement(apart.totals),
      page: new PlannedStatement(apart.page),
    }
    this.kept = kept?.rows.values.every(isSameForAll)
      ? {
          versions: new PlannedStatement(kept.versions),
          rows: new PlannedStatement(kept.rows),
          inside: kept.inside,
          form: createHash('sha256').update(kept.rows.texts.join()).digest('base64url'),
        }
      : undefined
    let bytes = planBytes + binding.assumptions.factCount * factBytes
    // Once in pieces and once as a whole.
    for (const statement of [sql, apart?.totals, apart?.page, stream?.before, kept?.versions, kept?.rows])
      for (const text of statement?.texts ?? []) bytes += text.length * 2 + factBytes
    this.bytes = bytes
  }

  /** Counts one more; true when rows of requests like this one are worth keeping. */
  comesAgain(): boolean {
    return ++this.times > 1
  }
}

/** How a page is read whose rows are kept. */
export interface KeptPlan {
  readonly versions: PlannedStatement
  readonly rows: PlannedStatement
  readonly inside: readonly EntityMeta[]
  /** The same for all plans that show rows in the same way. */
  readonly form: string
}

/** True for what stands in a statement for the row rules of its entity, and for the ids of rows: no value of a request. */
function isSameForAll(value: unknown): boolean {
  return value instanceof VisibleRows || (value instanceof LateValue && value.name === 'ids')
}
