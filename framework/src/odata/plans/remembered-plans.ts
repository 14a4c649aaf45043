import { LRUCache } from 'lru-cache'
import { StatementShapes } from '../../data/query/statement-shapes.js'
import { type CallerRights, decideTheSame } from '../binding/caller-rights.js'
import type { BoundRequest } from '../binding/request-binder.js'
import { type LiftedText, LiteralExchange, liftLiterals, otherLiterals } from './lifted-literals.js'
import { isSameBut, Plan } from './plan.js'
import type { ReadRequest } from './read-request.js'

/** Plans kept for one text: callers differ in what they may see. */
const plansPerText = 4

/** Longer texts, in the body of a `$query`, hardly come again; a thousand of them would take much memory. */
const longestRemembered = 16 * 1024

/** Understands a request of the caller at hand whose path and query are others. */
type Bind = (
  wanted: ReadRequest,
  path: string,
  query: string,
) => { readonly request: BoundRequest; readonly decisions: CallerRights['decisions'] }

/** Plans by the text of their requests, where literals may be others as long as these do not decide how a request is understood. */
export class RememberedPlans {
  private readonly plans = new LRUCache<string, Plan[]>({ max: 1000 })
  /** By the text without its literals: the positions of those that decide how it is understood. */
  private readonly decisive = new LRUCache<string, ReadonlySet<number>>({ max: 1000 })
  private readonly shapes = new StatementShapes()

  /** @param bind called for what is not remembered, and to find out which literals decide */
  constructor(private readonly bind: Bind) {}

  /** How a request is answered; with the exchange of literals where it was remembered for others. */
  of(wanted: ReadRequest): {
    readonly plan: Plan
    readonly exchange?: LiteralExchange | undefined
  } {
    const { path, query, maxPageSize, facets = false, canStream = false, omitNulls = false, format } = wanted
    const { metadata, ieee754, prefix } = format
    const wishes = `${maxPageSize ?? ''} ${facets} ${canStream} ${omitNulls} ${metadata} ${ieee754} ${prefix} `
    if (path.length + query.length > longestRemembered) {
      const { request, decisions } = this.bind(wanted, path, query)
      return { plan: new Plan(request, decisions, [], this.shapes) }
    }
    const lifted = liftLiterals(path, query)
    const shape = wishes + lifted.shape
    const decisive = this.decisive.get(shape)
    const remembered = decisive && this.plans.get(planKey(shape, lifted, decisive))
    const known = remembered?.find(({ decisions }) => decideTheSame(decisions))
    if (known) return { plan: known, exchange: known.exchangeFor(lifted.literals) }
    const { request, decisions } = this.bind(wanted, path, query)
    const deciding = this.decisiveOf(wanted, lifted, request, decisive)
    this.decisive.set(shape, deciding)
    const key = planKey(shape, lifted, deciding)
    const plan = new Plan(request, decisions, lifted.literals, this.shapes)
    this.plans.set(key, [plan, ...(this.plans.get(key) ?? [])].slice(0, plansPerText))
    return { plan }
  }

  /** The literals that a request can't stay what it is without. @param known those of requests like it */
  private decisiveOf(
    wanted: ReadRequest,
    lifted: LiftedText,
    request: BoundRequest,
    known: ReadonlySet<number> = new Set(),
  ): ReadonlySet<number> {
    const { literals } = lifted
    if (known.size === literals.length) return known
    if (this.holdsForOthers(wanted, lifted, request, known)) return known
    const [others = []] = otherLiterals(lifted)
    const all = literals.map((_, index) => index)
    const found = all.filter((index) => {
      const withOne = literals.map((one, at) => (at === index ? (others[at] ?? one) : one))
      return known.has(index) || !this.holdsFor(wanted, lifted, request, withOne)
    })
    const decisive = new Set(found)
    return this.holdsForOthers(wanted, lifted, request, decisive) ? decisive : new Set(all)
  }

  /** Whether a request stays what it is when its literals are others, except for these. */
  private holdsForOthers(
    wanted: ReadRequest,
    lifted: LiftedText,
    request: BoundRequest,
    but: ReadonlySet<number>,
  ): boolean {
    return otherLiterals(lifted).every((others) =>
      this.holdsFor(
        wanted,
        lifted,
        request,
        lifted.literals.map((one, index) => (but.has(index) ? one : (others[index] ?? one))),
      ),
    )
  }

  /** Whether a request stays what it is with other literals: found out by binding it with them. */
  private holdsFor(
    wanted: ReadRequest,
    { literals }: LiftedText,
    request: BoundRequest,
    others: LiftedText['literals'],
  ): boolean {
    const exchange = new LiteralExchange(literals, others)
    try {
      const other = this.bind(wanted, exchange.text(wanted.path, true), exchange.text(wanted.query, true))
      return isSameBut(exchange, request, other.request)
    } catch {
      return false
    }
  }
}

/** What plans are kept by: the text without its literals, and those that decide. */
function planKey(shape: string, { literals }: LiftedText, decisive: ReadonlySet<number>): string {
  if (decisive.size === 0) return shape
  return [shape, ...[...decisive].map((index) => literals[index]?.text)].join('\0')
}
