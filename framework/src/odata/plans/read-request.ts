import type { AnswerFormat } from '../binding/request-context.js'
import type { EntityModel } from '../model/entity-model.js'
import type { ResourceSegment } from '../syntax/parse-path.js'
import type { QueryOptions } from '../syntax/syntax.js'

/** The syntax of a request. */
export interface ParsedRequest {
  readonly path: readonly ResourceSegment[]
  readonly options: QueryOptions
}

/** A request for data, of the caller at hand. */
export interface ReadRequest {
  /** The sets that are on at the moment; all sets of the host when not given. */
  readonly model?: EntityModel
  /** As they were written; the same texts are parsed the same. */
  readonly path: string
  readonly query: string
  /** Called for texts that are not remembered. */
  readonly parse: (path: string, query: string) => ParsedRequest
  /** The client's wish for the most rows of a page. */
  readonly maxPageSize?: number
  readonly facets?: boolean
  /** The page may be longer than the pages of its set. Its rows are streamed then. */
  readonly canStream?: boolean
  /** Leave out members that are null. */
  readonly omitNulls?: boolean
  /** `root`: the address of the service, ending with a slash. */
  readonly format: AnswerFormat & { readonly root: string }
}
