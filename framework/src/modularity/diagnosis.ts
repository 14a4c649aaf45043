/** The finding about one thing that a host needs, e.g. a database. */
export interface Finding {
  /** A `problem` keeps the host from working; a `warning` is a risk that may be intended. */
  readonly severity: 'fine' | 'warning' | 'problem'
  /** The name of the thing, e.g. `Hub database`. */
  readonly subject: string
  readonly found: string
  /** The remedy, with its setting or command; undefined when the thing is healthy. */
  readonly cure?: string
}

/**
 * Extension point: examines the surroundings of a module for `keel doctor`, without changes. Listed in
 * `diagnoses` of its module.
 */
export abstract class Diagnosis {
  abstract examine(): Promise<readonly Finding[]>
}

/** A finding without a fault. */
export function healthy(subject: string, found: string): Finding {
  return { severity: 'fine', subject, found }
}

/** A finding that keeps the host from working. */
export function problem(subject: string, found: string, cure: string): Finding {
  return { severity: 'problem', subject, found, cure }
}

/** A finding that is a risk and may be intended. */
export function warning(subject: string, found: string, cure: string): Finding {
  return { severity: 'warning', subject, found, cure }
}

/** How far clocks may differ: tokens are checked with 5 s of leeway. */
const leewayMs = 5000

/**
 * Compares another machine's clock, read between two moments here, with ours. Everything in ms since 1970. Half of the time between is how
 * uncertain the difference is: only a difference beyond it is a problem.
 */
export function compareClocks(subject: string, theirs: number, before: number, after: number): Finding {
  const apartMs = Math.abs(theirs - (before + after) / 2)
  const uncertainMs = (after - before) / 2
  return apartMs - uncertainMs <= leewayMs
    ? healthy(subject, 'agrees with the clock here')
    : problem(
        subject,
        `differs from the clock here by ${Math.round(apartMs / 1000)} s, give or take ${Math.ceil(uncertainMs / 1000)} s`,
        'Set both clocks by NTP: tokens are valid by the clock.',
      )
}
