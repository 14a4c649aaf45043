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
  /** How much memory it takes, roughly. */
  readonly bytes: number

  constructor(readonly binding: Binding) {
    const { sql, apart, stream } = binding.request
    this.whole = new PlannedStatement(sql)
    this.apart = apart && {
      totals: new PlannedStatement(apart.totals),
      page: new PlannedStatement(apart.page),
    }
    let bytes = planBytes + binding.assumptions.factCount * factBytes
    // Once in pieces and once as a whole.
    for (const statement of [sql, apart?.totals, apart?.page, stream?.before])
      for (const text of statement?.texts ?? []) bytes += text.length * 2 + factBytes
    this.bytes = bytes
  }
}
