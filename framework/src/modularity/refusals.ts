import { ambient } from './ambient.js'
import type { Principal } from './principal.js'

/** Somebody who was signed in asked for something that they may not do. */
export interface Refusal {
  /** Of the request: the answer's `X-Correlation-Id`. */
  readonly correlationId: string
  readonly permission: string
  readonly principal: Principal
  readonly time: Date
}

/** How many refusals this process remembers. */
const mostKept = 1000
const kept: Refusal[] = []
let next = 0

/** Remembers a refusal in place of the oldest one. */
export function recordRefusal(permission: string, principal: Principal): void {
  kept[next] = { correlationId: ambient().correlationId, permission, principal, time: new Date() }
  next = (next + 1) % mostKept
}

/** The recent refusals of this process for a correlation id. Several callers can use the same id. */
export function refusalsOf(correlationId: string): readonly Refusal[] {
  return kept.filter((refusal) => refusal.correlationId === correlationId)
}
