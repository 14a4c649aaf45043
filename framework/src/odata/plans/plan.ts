import { createHash } from 'node:crypto'
import type { EntityMeta } from '../../data/entities/entity.js'
import type { Assumptions } from '../../data/query/parameter.js'
import { PlannedStatement } from '../../data/query/planned-statement.js'
import type { Sql } from '../../data/wire/sql.js'
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
  /** Of a collection with count or facets: these alone. */
  readonly totals: PlannedStatement | undefined
  /** Of a collection whose rows can be kept by their versions. */
  readonly kept: KeptPlan | undefined
  /** How much memory it takes, roughly. */
  readonly bytes: number
  private readonly statements:
    | { readonly whole: PlannedStatement; readonly page: PlannedStatement }
    | undefined

  constructor(readonly binding: Binding) {
    const { request } = binding
    const { apart, stream, kept } = request
    this.totals = apart && new PlannedStatement(apart.totals)
    this.kept = kept && {
      ...kept,
      versions: new PlannedStatement(kept.versions),
      form: createHash('sha256').update(kept.form).digest('base64url'),
    }
    const long = kept ? [kept.versions] : [request.sql, apart?.page(), stream?.before]
    if (!kept) {
      const whole = new PlannedStatement(request.sql)
      this.statements = { whole, page: apart ? new PlannedStatement(apart.page()) : whole }
    }
    let bytes = planBytes + binding.assumptions.factCount * factBytes
    // Once in pieces and once as a whole.
    for (const statement of [...long, apart?.totals])
      for (const text of statement?.texts ?? []) bytes += text.length * 2 + factBytes
    this.bytes = bytes
  }

  /** The statement for the whole answer. Where rows are kept it is hardly needed, and written anew each time. */
  get whole(): PlannedStatement {
    return this.statements?.whole ?? new PlannedStatement(this.binding.request.sql)
  }

  /** The statement for the page alone. */
  get page(): PlannedStatement {
    const { apart, sql } = this.binding.request
    return this.statements?.page ?? new PlannedStatement(apart ? apart.page() : sql)
  }
}

/** How a page is read whose rows are kept. */
export interface KeptPlan {
  readonly versions: PlannedStatement
  /** The statement for rows by their ids. */
  readonly rows: () => Sql
  readonly inside: readonly EntityMeta[]
  /** The same for all plans that show rows in the same way. */
  readonly form: string
}
