import type { ODataAnswer } from './odata-answer.js'
import type { ODataError } from './odata-error.js'

/** A part of a batch as it came. */
export interface BatchPart {
  /** What the answer is recognized by. */
  readonly id: string | undefined
  readonly method: string
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  /** Positions of the parts that must have gone well before. */
  readonly dependsOn: readonly number[]
  /** What is wrong with the part as such: it is answered so. */
  readonly fault?: ODataError
}

/** An answer beside the id of its part. */
export interface PartAnswer extends ODataAnswer {
  readonly id: string | undefined
}
