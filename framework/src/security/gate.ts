/** Lets a few through at a time and a bounded number wait in line, so that a storm of costly work cannot stall the rest of the process. */
export class Gate {
  private inside = 0
  private readonly waiting: (() => void)[] = []

  constructor(
    private readonly places: number,
    private readonly maxWaiting: number,
    /** What whoever finds the line full is told; an `UnavailableError`, most likely. */
    private readonly turnedAway: () => Error,
  ) {}

  /** Runs `work` when a place is free. Throws at once when the line is full. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    // Who finds a place does not wait for one, not even for a moment.
    if (this.inside < this.places) this.inside += 1
    else await this.turn()
    try {
      return await work()
    } finally {
      this.leave()
    }
  }

  private turn(): Promise<void> {
    if (this.waiting.length >= this.maxWaiting) throw this.turnedAway()
    return new Promise<void>((resolve) => this.waiting.push(resolve))
  }

  private leave(): void {
    // The place is handed over rather than freed, so that nobody who comes meanwhile can take it.
    const next = this.waiting.shift()
    if (next) next()
    else this.inside -= 1
  }
}
