import type { ODataLimits } from '../syntax/limits.js'
import type { OptionText } from '../syntax/syntax.js'
import type { BinderContext } from './binder.js'

/** How an answer is written. */
export interface AnswerFormat {
  readonly metadata: 'none' | 'minimal' | 'full'
  /** Numbers that a double does not hold are texts. */
  readonly ieee754: boolean
  /** The prefix of annotations: `@odata.`, or `@` in version 4.01. */
  readonly prefix: '@odata.' | '@'
  /** Members that are null are left out. */
  readonly omitNulls?: boolean | undefined
}

/** Data that the binders of one request share, with everything that shapes the answer. */
export interface RequestContext extends BinderContext {
  readonly limits: ODataLimits
  /** The client's wish for the most rows of a page, at every level. */
  readonly maxPageSize?: number | undefined
  readonly format: AnswerFormat
  /** The request's aliases as they were written, for links. */
  readonly aliasTexts: readonly OptionText[]
}
