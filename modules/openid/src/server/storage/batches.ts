import { UnavailableError } from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'

interface Asked<Item, Answer> {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/** Batches under way at once: two, so that one that has to wait for a row does not hold up everybody. */
const maxUnderWay = 2
const maxItems = 100

/**
 * Asks one thing for several requests at once: what comes in the same turn of the event loop goes out
 * together, what comes while others are under way with the next batch, and nobody waits when nothing is.
 * Under load the statements, and the commits of those that write, are a fraction of the requests.
 */
export class Batches<Item, Answer> {
  private readonly waiting: Asked<Item, Answer>[] = []
  private underWay = 0

  /** @param ask answers the items in their order; it happens for all of them, or for none */
  constructor(private readonly ask: (items: readonly Item[]) => Promise<readonly Answer[]>) {}

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject })
      if (this.underWay < maxUnderWay) void this.next()
    })
  }

  private async next(): Promise<void> {
    this.underWay += 1
    // A turn of the event loop takes in every request that has come meanwhile: waiting for its end makes
    // refreshes a third faster.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.waiting.length > 0) await this.send(this.waiting.splice(0, maxItems))
    this.underWay -= 1
  }

  private async send(batch: readonly Asked<Item, Answer>[]): Promise<void> {
    try {
      // It belongs to several requests: in the transaction of none.
      const answers = await UnitOfWork.apart(() => this.ask(batch.map(({ item }) => item)))
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      if (batch.length === 1 || error instanceof UnavailableError)
        for (const { reject } of batch) reject(error)
      // One that can't be done must not cost the others theirs.
      else await Promise.all(batch.map((one) => this.send([one])))
    }
  }
}
