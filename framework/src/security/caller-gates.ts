import { LRUCache } from 'lru-cache'
import { callerKey } from '../modularity/ambient.js'
import { atMost } from '../modularity/at-most.js'
import type { Gate } from './gate.js'

const mostCallers = 10_000
/** The gate of a caller without work is kept for this time. */
const keptMs = 60_000

/** A gate for each caller: what one asks for at once waits for its own work, and keeps no other caller waiting. */
export class CallerGates {
  private readonly gates = new LRUCache<string, Gate>({
    ...atMost(mostCallers),
    ttl: keptMs,
    updateAgeOnGet: true,
  })

  /** @param make makes the gate of a caller */
  constructor(private readonly make: () => Gate) {}

  /** Runs work of the caller at hand when the caller has a free place. Throws what the gate throws to those that it turns away. */
  pass<T>(work: () => Promise<T>): Promise<T> {
    const caller = callerKey()
    let gate = this.gates.get(caller)
    if (!gate) {
      gate = this.make()
      this.gates.set(caller, gate)
    }
    return gate.pass(work)
  }
}
