/**
 * The current time for all code that decides by the time or stores it. By default that of the system; a
 * module of a host, or a test, may list another one in its services, made with `@Provides(Clock)`. ABP's
 * `IClock`.
 *
 * What processes agree on through a queue (jobs, events, leases) goes by the database's clock instead, which they share.
 * @example
 * constructor(private readonly clock: Clock) {}
 * // later
 * if (offer.validUntil <= this.clock.now) throw new BusinessError(SalesErrors.OfferEnded)
 */
export class Clock {
  /** Instants are kept and told in UTC. */
  readonly kind = 'Utc'
  /** True when clients turn instants into the time zone of their user. */
  readonly supportsMultipleTimezone = true

  /** This instant. */
  get now(): Date {
    return new Date(this.nowMs)
  }

  /** This instant in milliseconds since 1970. */
  get nowMs(): number {
    return Date.now()
  }

  /** Milliseconds that never go back, from no instant in particular: for how long something lasts. */
  get elapsedMs(): number {
    return performance.now()
  }

  /**
   * An instant of elsewhere as we keep ours: a text without a zone is UTC. Throws a `RangeError` for what is
   * no instant.
   */
  normalize(instant: Date | string): Date {
    const text = typeof instant === 'string' ? instant.trim().replace(' ', 'T') : ''
    const isBare = /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(text)
    const normal = typeof instant === 'string' ? new Date(isBare ? `${text}Z` : text) : new Date(instant)
    if (Number.isNaN(normal.getTime())) throw new RangeError(`${String(instant)} is no instant`)
    return normal
  }
}
