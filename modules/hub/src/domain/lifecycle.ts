import type { WordsOfData } from '@keel/framework/contracts'
import type { StatusMove } from '../contracts/index.js'

/** Why a guard refuses an action: a code of `HubErrors`, and the data of its text. */
export interface Refusal {
  readonly code: string
  readonly data: Readonly<Record<string, unknown>>
  /** What stands in its text for members and statuses of the data. */
  readonly words?: WordsOfData
}

/** A condition of an action; undefined when it is met. `Facts` are what it looks at beside the row. */
export type Guard<Row, Facts> = (row: Row, facts: Facts) => Refusal | undefined

/** An action that changes the status of an aggregate. */
export interface Transition<Status, Row, Facts> {
  readonly moves: readonly StatusMove<Status>[]
  /** Moves for callers who may force a status. */
  readonly forcedMoves?: readonly StatusMove<Status>[]
  /** The first one that refuses decides. */
  readonly guards: readonly Guard<Row, Facts>[]
}

/** The status that a transition leads to; undefined where it is not possible. */
export function targetOfMove<Status>(
  { moves, forcedMoves = [] }: Pick<Transition<Status, never, never>, 'moves' | 'forcedMoves'>,
  from: Status,
  mayForce = false,
): Status | undefined {
  return [...moves, ...(mayForce ? forcedMoves : [])].find(([start]) => start === from)?.[1]
}

/** The refusal of the first guard that says no. */
export function firstRefusal<Row, Facts>(
  guards: readonly Guard<Row, Facts>[],
  row: Row,
  facts: Facts,
): Refusal | undefined {
  for (const guard of guards) {
    const refusal = guard(row, facts)
    if (refusal) return refusal
  }
  return undefined
}
