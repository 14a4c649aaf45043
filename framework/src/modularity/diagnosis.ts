/** What was found out about one thing that a host leans on. */
export interface Finding {
  /** A `problem` keeps the host from working; a `warning` is a risk that somebody may have chosen. */
  readonly severity: 'fine' | 'warning' | 'problem'
  /** What was looked at, e.g. `Hub database`. */
  readonly subject: string
  readonly found: string
  /** What to do, with the setting or the command that does it; undefined when all is fine. */
  readonly cure?: string
}

/** Extension point: looks at what a module leans on, for `keel doctor`. Listed in `diagnoses` of its module; changes nothing. */
export abstract class Diagnosis {
  abstract examine(): Promise<readonly Finding[]>
}

/** All is well. */
export function fine(subject: string, found: string): Finding {
  return { severity: 'fine', subject, found }
}

/** Something keeps the host from working. */
export function problem(subject: string, found: string, cure: string): Finding {
  return { severity: 'problem', subject, found, cure }
}

/** Something is risky. */
export function warning(subject: string, found: string, cure: string): Finding {
  return { severity: 'warning', subject, found, cure }
}

/** How far clocks may differ: tokens are checked with 5 s of leeway. */
const leewayMs = 5000

/** Compares another machine's clock, read between two moments here, with ours. Everything in ms since 1970. */
export function compareClocks(subject: string, theirs: number, before: number, after: number): Finding {
  const apartMs = Math.round(theirs < before ? before - theirs : Math.max(theirs - after, 0))
  return apartMs <= leewayMs
    ? fine(subject, 'agrees with the clock here')
    : problem(
        subject,
        `differs from the clock here by ${Math.round(apartMs / 1000)} s`,
        'Set both clocks by NTP: tokens are valid by the clock.',
      )
}
