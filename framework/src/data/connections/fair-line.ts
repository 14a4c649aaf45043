import { LRUCache } from 'lru-cache'
import { atMost } from '../../modularity/at-most.js'

/** Work that waits for a place, or has one. */
export interface Turn<T> {
  readonly work: T
  readonly caller: string
  readonly text: string
  /** When it came, in ms. */
  readonly since: number
}

/** How many may work at a time. */
export interface Places {
  /** In all. */
  readonly all: number
  /** Of them for work that is known to be slow. */
  readonly slow: number
}

interface Running {
  readonly caller: string
  readonly startedAt: number
  /** In ms; undefined of work that is not known. */
  readonly expected: number | undefined
}

interface Share<T> {
  /** In the order in which they came. */
  readonly waiting: Turn<T>[]
  /** Time that the caller's work took, in ms; work that runs counts with what is expected of it. */
  used: number
  running: number
}

/** From this time on work is slow, in ms. */
const slowMs = 100
/** How much the newest time counts in what is expected of a text. */
const newestShare = 0.2
const mostTexts = 5000

/**
 * Shares places among callers by the time that their work takes: the next is the oldest work of the caller
 * who had least. What takes long is learnt by its text. A caller has one piece of work at a time that is slow
 * or not yet known, and a few places are always left for what is quick, so that nobody's quick work waits for
 * anybody's slow work. Work that turns out to be slow counts as such while it still runs.
 */
export class FairLine<T> {
  private readonly shares = new Map<string, Share<T>>()
  private readonly running = new Map<Turn<T>, Running>()
  private readonly times = new LRUCache<string, number>(atMost(mostTexts))
  /**
   * Time used by the caller that began last. New callers start with it: neither before nor behind the others.
   */
  private progress = 0
  private count = 0

  /**
   * @param isBusyElsewhere whether a caller has work under way in another line that is slow or not yet known:
   * it counts here too
   */
  constructor(
    private readonly places: Places,
    private readonly isBusyElsewhere: (caller: string) => boolean = () => false,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The number of waiting pieces of work. */
  get waitingCount(): number {
    return this.count
  }

  add(caller: string, text: string, work: T): Turn<T> {
    const turn = { work, caller, text, since: this.now() }
    let share = this.shares.get(caller)
    if (!share) {
      share = { waiting: [], used: this.progress, running: 0 }
      this.shares.set(caller, share)
    }
    share.waiting.push(turn)
    this.count += 1
    return turn
  }

  /** True while a caller has work under way that is slow or of unknown duration. */
  isBusy(caller: string): boolean {
    return this.running.size > 0 && this.demands().callers.has(caller)
  }

  /** True when some waiting work may begin. */
  get isReady(): boolean {
    return this.next() !== undefined
  }

  /** Begins the next work that may begin; undefined when there is none. */
  begin(): Turn<T> | undefined {
    const next = this.next()
    if (!next) return undefined
    const { share, index } = next
    const [turn] = share.waiting.splice(index, 1) as [Turn<T>]
    const expected = this.times.get(turn.text)
    this.count -= 1
    this.progress = Math.max(this.progress, share.used)
    share.used += expected ?? slowMs
    share.running += 1
    this.running.set(turn, { caller: turn.caller, startedAt: this.now(), expected })
    return turn
  }

  /** The end of work that was begun. */
  end(turn: Turn<T>): void {
    const running = this.running.get(turn)
    const share = this.shares.get(turn.caller)
    if (!running || !share) return
    this.running.delete(turn)
    const { expected, startedAt } = running
    const took = this.now() - startedAt
    this.times.set(turn.text, expected === undefined ? took : expected + (took - expected) * newestShare)
    share.used += took - (expected ?? slowMs)
    share.running -= 1
    this.forgetIdle(turn.caller, share)
  }

  /** Removes the last waiting work of the caller who has the most; undefined when this caller has as much. */
  makeRoomFor(caller: string): Turn<T> | undefined {
    const waitingOf = (name: string) => this.shares.get(name)?.waiting.length ?? 0
    let greediest = caller
    for (const name of this.shares.keys()) if (waitingOf(name) > waitingOf(greediest)) greediest = name
    const share = this.shares.get(greediest)
    if (!share || greediest === caller) return undefined
    const turn = share.waiting.pop()
    this.count -= 1
    this.forgetIdle(greediest, share)
    return turn
  }

  /** Removes waiting work that came before a moment. */
  giveUp(before: number): Turn<T>[] {
    return this.takeOut(({ since }) => since <= before)
  }

  /** Removes one waiting piece of work. */
  giveUpOne(): Turn<T> | undefined {
    let isFirst = true
    const [turn] = this.takeOut(() => {
      const taken = isFirst
      isFirst = false
      return taken
    })
    return turn
  }

  private takeOut(isMeant: (turn: Turn<T>) => boolean): Turn<T>[] {
    const taken: Turn<T>[] = []
    for (const [caller, share] of this.shares) {
      while (share.waiting[0] && isMeant(share.waiting[0])) taken.push(share.waiting.shift() as Turn<T>)
      this.forgetIdle(caller, share)
    }
    this.count -= taken.length
    return taken
  }

  private forgetIdle(caller: string, share: Share<T>): void {
    if (share.running === 0 && share.waiting.length === 0) this.shares.delete(caller)
  }

  private next(): { readonly share: Share<T>; readonly index: number } | undefined {
    if (this.count === 0 || this.running.size >= this.places.all) return undefined
    let demands: Demands | undefined
    const mayBegin = (text: string, caller: string): boolean => {
      const expected = this.times.get(text)
      if (expected !== undefined && expected <= slowMs) return true
      demands ??= this.demands()
      if (demands.callers.has(caller) || demands.all >= Math.max(this.places.all - 1, 1)) return false
      if (this.isBusyElsewhere(caller)) return false
      return expected === undefined || demands.slow < this.places.slow
    }
    let chosen: { readonly share: Share<T>; readonly index: number } | undefined
    for (const [caller, share] of this.shares) {
      if (chosen && share.used >= chosen.share.used) continue
      const index = share.waiting.findIndex(({ text }) => mayBegin(text, caller))
      if (index >= 0) chosen = { share, index }
    }
    return chosen
  }

  /** The running work that is slow or of unknown duration. */
  private demands(): Demands {
    const now = this.now()
    const callers = new Set<string>()
    let [all, slow] = [0, 0]
    for (const { caller, startedAt, expected } of this.running.values()) {
      const isSlow = (expected ?? 0) > slowMs || now - startedAt > slowMs
      if (!isSlow && expected !== undefined) continue
      callers.add(caller)
      all += 1
      if (isSlow) slow += 1
    }
    return { callers, all, slow }
  }
}

interface Demands {
  /** The callers that have work in the line. */
  readonly callers: ReadonlySet<string>
  readonly all: number
  readonly slow: number
}
