import { ODataError, say } from '../syntax/odata-error.js'
import type { ODataAnswer } from './odata-answer.js'

/** A part of a batch as it came. */
export interface BatchPart {
  /** Identifies the answer to the part. */
  readonly id: string | undefined
  readonly method: string
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  /** The group of parts it belongs to. */
  readonly group?: string | undefined
  /** Positions of the parts that must have gone well before. */
  readonly dependsOn: readonly number[]
  /** The error that a malformed part is answered with. */
  readonly fault?: ODataError
}

/** An answer beside the id of its part. */
export interface PartAnswer extends ODataAnswer {
  readonly id: string | undefined
  readonly group?: string | undefined
}

/** The most headers that a part may have. */
export const mostHeaders = 100

/** A batch with more parts than there may be. */
export function tooManyParts(most: number): ODataError {
  return new ODataError(400, say`A batch may have at most ${most} parts.`)
}
