/** Admits a few at a time and queues a bounded number, so that costly work cannot stall the process. */
export class Gate {
  private inside = 0
  private readonly waiting: (() => void)[] = []

  constructor(
    private readonly places: number,
    private readonly maxWaiting: number,
    /** Makes the error for callers that find the queue full, usually a `LimitReachedError`. */
    private readonly turnedAway: () => Error,
  ) {}

  /** True when no place is free and nobody more may wait. */
  get isFull(): boolean {
    return this.inside >= this.places && this.waiting.length >= this.maxWaiting
  }

  /** Runs `work` when a place is free. Throws at once when the line is full. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    // A free place is taken synchronously, without a microtask of delay.
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
