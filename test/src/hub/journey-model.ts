import { ShipmentStatus } from '@keel/hub/contracts'

const { Draft, Booked, Confirmed, CargoReceived, InTransit, Arrived } = ShipmentStatus
const { CustomsCleared, OutForDelivery, Delivered, Completed, Cancelled } = ShipmentStatus
const dayMs = 86_400_000

/** The happenings that a carrier reports (domain model, section 2.7). */
export type Happening = 'departed' | 'arrived' | 'released' | 'delivered'

/** A report of a carrier. */
export interface Report {
  readonly kind: 'report'
  readonly what: Happening
  readonly isActual: boolean
  readonly time: Date
  /** When it was written: of two reports on one thing the later one counts. No two are written at once. */
  readonly written: Date
  /** The carrier's own id: a second report with it is the first one again. */
  readonly id: string
}

/** An action of a person. */
export interface Act {
  readonly kind: 'act'
  readonly action:
    | 'book'
    | 'confirm'
    | 'receiveCargo'
    | 'depart'
    | 'arrive'
    | 'clearCustoms'
    | 'dispatchDelivery'
    | 'deliver'
    | 'complete'
    | 'cancel'
    | 'reopen'
    | 'setHold'
    | 'releaseHold'
  readonly time: Date
}

/**
 * A shipment by the text of the domain model (sections 2.1 and 2.7), and by nothing else: one method for each row of its table. It has ports,
 * parties and dates, so that no guard on those refuses anything.
 */
export class ModelShipment {
  isOnHold = false
  departure: Date | undefined
  arrival: Date | undefined
  private readonly reports: Report[] = []

  constructor(
    public status: ShipmentStatus,
    private readonly now: Date,
  ) {}

  /** Takes a step. False when it is refused. */
  take(step: Report | Act): boolean {
    if (step.kind === 'act') return this.act(step)
    // Nothing is added to a shipment that is over (section 6.1).
    if (this.status === Completed || this.status === Cancelled) return false
    if (!this.reports.some(({ id }) => id === step.id)) {
      this.reports.push(step)
      this.follow()
    }
    return true
  }

  private act({ action, time }: Act): boolean {
    switch (action) {
      case 'book':
        return this.move([Draft], Booked)
      case 'confirm':
        return this.move([Booked], Confirmed)
      case 'receiveCargo':
        return this.isPast(time) && this.move([Confirmed], CargoReceived)
      case 'depart':
        return this.depart(time)
      case 'arrive':
        return this.arrive(time)
      case 'clearCustoms':
        return this.clearCustoms(time)
      case 'dispatchDelivery':
        return !this.isOnHold && this.move([Arrived, CustomsCleared], OutForDelivery)
      case 'deliver':
        return this.deliver(time)
      case 'complete':
        return this.move([Delivered], Completed)
      case 'cancel':
        return this.move([Draft, Booked, Confirmed], Cancelled)
      case 'reopen':
        return this.move([Completed], Delivered) || this.move([Cancelled], Draft)
      case 'setHold':
        this.isOnHold = true
        return true
      case 'releaseHold':
        this.isOnHold = false
        return true
    }
  }

  private depart(time: Date): boolean {
    const isDone = !this.isOnHold && this.isPast(time) && this.move([Confirmed, CargoReceived], InTransit)
    if (isDone) this.departure = time
    return isDone
  }

  private arrive(time: Date): boolean {
    const isLate = !this.departure || time >= this.departure
    const isDone = isLate && this.isPast(time) && this.move([InTransit], Arrived)
    if (isDone) this.arrival = time
    return isDone
  }

  private clearCustoms(time: Date): boolean {
    return this.isPast(time) && this.move([Arrived], CustomsCleared)
  }

  private deliver(time: Date): boolean {
    const isLate = !this.arrival || time >= this.arrival
    return isLate && this.isPast(time) && this.move([Arrived, CustomsCleared, OutForDelivery], Delivered)
  }

  /** The automatic transitions, in the order of the journey; then the times of the steps that were taken are those reported last. */
  private follow(): void {
    const [departed, arrived, released, delivered] = (
      ['departed', 'arrived', 'released', 'delivered'] as const
    ).map((what) => this.latest(what))
    if (departed) this.depart(departed)
    if (arrived) this.arrive(arrived)
    if (released) this.clearCustoms(released)
    if (delivered) this.deliver(delivered)
    if (departed && this.status >= InTransit) this.departure = departed
    if (arrived && this.status >= Arrived) this.arrival = arrived
  }

  private latest(what: Happening): Date | undefined {
    const actual = this.reports.filter((report) => report.what === what && report.isActual)
    return actual.sort((a, b) => a.written.getTime() - b.written.getTime()).at(-1)?.time
  }

  private isPast(time: Date): boolean {
    return time.getTime() <= this.now.getTime() + dayMs
  }

  private move(from: readonly ShipmentStatus[], to: ShipmentStatus): boolean {
    if (!from.includes(this.status)) return false
    this.status = to
    return true
  }
}
