import { callerKey } from '../modularity/ambient.js'
import type { Gate } from './gate.js'

/** The gate of a caller, and how much work of theirs is in front of it or inside. */
interface GateInUse {
  readonly gate: Gate
  works: number
}

/**
 * A gate for each caller: what one asks for at once waits for its own work, and keeps no other caller waiting. A gate
 * is kept for as long as it has work, however long that takes: a second one would give its caller more places.
 */
export class CallerGates {
  private readonly gates = new Map<string, GateInUse>()

  /** @param make makes the gate of a caller */
  constructor(private readonly make: () => Gate) {}

  /** True when the line of the caller at hand is full: the gate would turn more work away. */
  get isFull(): boolean {
    return this.gates.get(callerKey())?.gate.isFull ?? false
  }

  /** Runs work of the caller at hand when the caller has a free place. Throws what the gate throws to those that it turns away. */
  pass<T>(work: () => Promise<T>): Promise<T> {
    const caller = callerKey()
    const inUse = this.gates.get(caller) ?? { gate: this.make(), works: 0 }
    this.gates.set(caller, inUse)
    inUse.works += 1
    const leave = (): void => {
      inUse.works -= 1
      if (inUse.works === 0) this.gates.delete(caller)
    }
    const passing = inUse.gate.pass(work)
    // Beside the answer, which it must not delay.
    passing.then(leave, leave)
    return passing
  }
}
