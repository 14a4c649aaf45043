/** How much one request may ask for (odata.md, section 16). Every set may have its own. */
export interface ODataLimits {
  /** Of one `$filter`, `$orderby`, `$compute` or `$apply`; items of a list after `in` don't count. */
  readonly maxNodeCount: number
  /** How deep `any` and `all` may stand inside each other. */
  readonly maxAnyAllDepth: number
  /** How deep `$expand` may stand inside `$expand`. */
  readonly maxExpansionDepth: number
  /** Expanded properties of a request, all levels together. */
  readonly maxExpandCount: number
  readonly maxOrderByCount: number
  readonly maxCallDepth: number
  /** Rows of a page that is not streamed; `$top` may be greater, and is spread over pages. */
  readonly maxTop: number
  /** Rows that one request skips. Links lead to rows behind more skipped ones. */
  readonly maxSkip: number
  /** Rows of a page that is streamed because its caller wants more than a page of the set has; 0 for none. */
  readonly maxStreamedPage: number
  /** Rows of one expanded collection inside one row, where nothing else limits them. */
  readonly maxExpandedPage: number
  /** Rows of one expanded collection inside all rows of an answer: its pages are shortened for it. */
  readonly maxExpandedRows: number
  /** Rows that an answer may have at all levels together; what may become more is refused. */
  readonly maxObjects: number
  /** Of the parser: parentheses, operators and options inside each other. */
  readonly maxDepth: number
  readonly maxPathSegments: number
  readonly maxSearchTerms: number
  /** Values of one list after `in`. */
  readonly maxListItems: number
  /** Of one text in quotes, and of all words and phrases of a search together, in UTF-16 units. */
  readonly maxTextLength: number
}

/** The limits of hosts that set none. */
export const defaultLimits: ODataLimits = {
  maxNodeCount: 400,
  maxAnyAllDepth: 3,
  maxExpansionDepth: 4,
  maxExpandCount: 40,
  maxOrderByCount: 8,
  maxCallDepth: 15,
  maxTop: 1000,
  maxSkip: 100_000,
  maxStreamedPage: 1_000_000,
  maxExpandedPage: 200,
  maxExpandedRows: 50_000,
  maxObjects: 500_000,
  maxDepth: 100,
  maxPathSegments: 20,
  maxSearchTerms: 50,
  maxListItems: 1000,
  maxTextLength: 4000,
}
