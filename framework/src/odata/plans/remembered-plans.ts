import { LRUCache } from 'lru-cache'
import type { ParameterRun } from '../../data/query/parameter.js'
import { holdsSameRights } from '../binding/caller-rights.js'
import { type Input, type RequestShape, shapeOf } from '../binding/request-inputs.js'
import { type Binding, Plan } from './plan.js'
import type { ParsedRequest, ReadRequest } from './read-request.js'

/** The most plans of one shape: they differ in permissions, and in how literals are converted. */
const plansPerShape = 8

const mostPlanBytes = 32 * 1024 * 1024
const mostParsedBytes = 8 * 1024 * 1024

/** Longer requests, in the body of a `$query`, hardly come again; a few of them would drop all others. */
const longestRemembered = 16 * 1024

/** Memory of an input, roughly, in bytes. */
const inputBytes = 150

/** A plan, and its parameters in the request at hand. */
export interface PlannedRequest {
  readonly plan: Plan
  readonly run: ParameterRun
}

/**
 * Plans by the shape of requests, which is their syntax without the texts of literals. Texts of literals that
 * decide are a part of the key. All other assumptions of a plan about literals are checked for every request.
 * The memory of all parts is bounded by bytes.
 */
export class RememberedPlans {
  /** Shapes by the text of requests, which is the same for all callers. */
  private readonly parsed = new LRUCache<string, RequestShape>({
    maxSize: mostParsedBytes,
    sizeCalculation: ({ shape, inputs }, url) => url.length + shape.length + (inputs.length + 2) * inputBytes,
  })
  /** By shape, the text of which a known URL brings along: plans have short keys with its number instead. */
  private readonly shapes = new LRUCache<string, KnownShape>({
    maxSize: mostParsedBytes,
    sizeCalculation: ({ deciding }, shape) => shape.length + (deciding.length + 10) * 16,
  })
  private shapeCount = 0
  private readonly plans = new LRUCache<string, readonly Plan[]>({
    maxSize: mostPlanBytes,
    sizeCalculation: (plans, key) => plans.reduce((bytes, plan) => bytes + plan.bytes, key.length),
  })

  /** @param bind called for requests that no plan is for */
  constructor(private readonly bind: (wanted: ReadRequest, parsed: ParsedRequest) => Binding) {}

  /** The plan for a request of the caller at hand. */
  of(wanted: ReadRequest): PlannedRequest {
    const { path, query } = wanted
    const url = `${path}?${query}`
    const known = this.parsed.get(url)
    let parsed: ParsedRequest | undefined
    const parse = () => (parsed ??= wanted.parse(path, query))
    const { shape, inputs } = known ?? shapeOf(parse())
    const wishes = wishesOf(wanted)
    const found = this.find(this.planKey(shape, wishes, inputs), inputs)
    const isShort = url.length <= longestRemembered
    if (!known && isShort) this.parsed.set(url, { shape, inputs })
    if (found) return found
    const plan = new Plan(this.bind(wanted, parse()))
    if (isShort) this.keep(shape, wishes, inputs, plan)
    const run = plan.binding.assumptions.runWith(inputs)
    if (!run) throw new Error('A plan does not hold for the request that it was made for')
    return { plan, run }
  }

  private find(key: string | undefined, inputs: readonly Input[]): PlannedRequest | undefined {
    for (const plan of (key && this.plans.get(key)) || []) {
      const { decisions, assumptions } = plan.binding
      const run = holdsSameRights(decisions) ? assumptions.runWith(inputs) : undefined
      if (run) return { plan, run }
    }
    return undefined
  }

  private keep(shape: string, wishes: string, inputs: readonly Input[], plan: Plan): void {
    const known = this.shapes.get(shape)
    const deciding = [...new Set([...(known?.deciding ?? []), ...plan.binding.assumptions.deciding])]
    if (!known || deciding.length > known.deciding.length)
      this.shapes.set(shape, { number: known?.number ?? this.shapeCount++, deciding })
    const key = this.planKey(shape, wishes, inputs)
    if (key) this.plans.set(key, [plan, ...(this.plans.get(key) ?? [])].slice(0, plansPerShape))
  }

  /** The key of plans for a request: deciding inputs stand in it as they are, each with its length. Undefined for unknown shapes. */
  private planKey(shape: string, wishes: string, inputs: readonly Input[]): string | undefined {
    const known = this.shapes.get(shape)
    if (!known) return undefined
    let key = `${known.number} ${wishes}`
    for (const number of known.deciding) {
      const { text = '' } = inputs[number] ?? {}
      key += ` ${text.length}'${text}`
    }
    return key
  }
}

/** A shape that plans were made for. */
interface KnownShape {
  readonly number: number
  /** The numbers of the inputs that decided for any plan of it. */
  readonly deciding: readonly number[]
}

/** The wishes of a request beside its URL, and the sets that are off, as a part of the key. */
function wishesOf({ model, maxPageSize, facets, canStream, omitNulls, format }: ReadRequest): string {
  const { metadata, ieee754, prefix } = format
  const off = model?.unserved.join() ?? ''
  return `${maxPageSize} ${facets} ${canStream} ${omitNulls} ${metadata} ${ieee754} ${prefix} ${off}`
}
