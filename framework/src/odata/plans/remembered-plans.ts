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
  /** By shape: the numbers of the inputs that decided for any plan of it. */
  private readonly deciding = new LRUCache<string, readonly number[]>({
    maxSize: mostParsedBytes,
    sizeCalculation: (numbers, key) => key.length + (numbers.length + 10) * 16,
  })
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
    const key = `${wishesOf(wanted)} ${shape}`
    const found = this.find(key, inputs)
    const isShort = url.length <= longestRemembered
    if (!known && isShort) this.parsed.set(url, { shape, inputs })
    if (found) return found
    const plan = new Plan(this.bind(wanted, parse()))
    if (isShort) this.keep(key, inputs, plan)
    const run = plan.binding.assumptions.runWith(inputs)
    if (!run) throw new Error('A plan does not hold for the request that it was made for')
    return { plan, run }
  }

  private find(key: string, inputs: readonly Input[]): PlannedRequest | undefined {
    for (const plan of this.plans.get(this.planKey(key, inputs)) ?? []) {
      const { decisions, assumptions } = plan.binding
      const run = holdsSameRights(decisions) ? assumptions.runWith(inputs) : undefined
      if (run) return { plan, run }
    }
    return undefined
  }

  private keep(key: string, inputs: readonly Input[], plan: Plan): void {
    const known = this.deciding.get(key) ?? []
    const deciding = new Set([...known, ...plan.binding.assumptions.deciding])
    if (deciding.size > known.length) this.deciding.set(key, [...deciding])
    const planKey = this.planKey(key, inputs)
    const others = this.plans.get(planKey) ?? []
    this.plans.set(planKey, [plan, ...others].slice(0, plansPerShape))
  }

  /** The key of plans for a request: the inputs that decide stand in it as they are. */
  private planKey(key: string, inputs: readonly Input[]): string {
    const deciding = this.deciding.get(key)
    if (!deciding) return key
    return [key, ...deciding.map((number) => inputs[number]?.text)].join('\0')
  }
}

/** The wishes of a request beside its URL, and the sets that are off, as a part of the key. */
function wishesOf({ model, maxPageSize, facets, canStream, omitNulls, format }: ReadRequest): string {
  const { metadata, ieee754, prefix } = format
  const off = model?.unserved.join() ?? ''
  return `${maxPageSize} ${facets} ${canStream} ${omitNulls} ${metadata} ${ieee754} ${prefix} ${off}`
}
