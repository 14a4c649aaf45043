/** The time after which half of what an owner used is forgotten, in milliseconds. */
const halfLifeMs = 60_000
/** What is less is forgotten, in milliseconds. */
const leastMs = 1

interface Used {
  readonly ms: number
  readonly atMs: number
}

/** How long the work for each owner took lately, in this process: the owner with the least is next, however much work of others waits. */
export class OwnerShares {
  private readonly ended = new Map<string, Used>()
  private readonly running = new Set<{ readonly ownerId: string; readonly startedMs: number }>()

  /** @param now a clock that never goes back, in milliseconds */
  constructor(private readonly now: () => number) {}

  /** Does work for an owner, and counts its time. */
  async during<T>(ownerId: string, work: () => Promise<T>): Promise<T> {
    const turn = { ownerId, startedMs: this.now() }
    this.running.add(turn)
    try {
      return await work()
    } finally {
      this.running.delete(turn)
      const atMs = this.now()
      this.ended.set(ownerId, { ms: this.endedOf(ownerId, atMs) + atMs - turn.startedMs, atMs })
    }
  }

  /** The milliseconds that owners used, by their ids, work under way included. Owners that are missing used none. */
  used(): ReadonlyMap<string, number> {
    const now = this.now()
    const used = new Map<string, number>()
    for (const ownerId of [...this.ended.keys()]) {
      const ms = this.endedOf(ownerId, now)
      if (ms < leastMs) this.ended.delete(ownerId)
      else used.set(ownerId, ms)
    }
    for (const { ownerId, startedMs } of this.running)
      used.set(ownerId, (used.get(ownerId) ?? 0) + now - startedMs + leastMs)
    return used
  }

  private endedOf(ownerId: string, now: number): number {
    const used = this.ended.get(ownerId)
    return used ? used.ms * 0.5 ** ((now - used.atMs) / halfLifeMs) : 0
  }
}
