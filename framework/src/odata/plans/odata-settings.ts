import { z } from '../../contracts/index.js'
import { configurationSection } from '../../modularity/configuration.js'
import { defaultLimits, type ODataLimits } from '../syntax/limits.js'

const atLeastOne = (value: number) => z.int().min(1).default(value)

/** The limits of the OData layer of a host (`OData:MaxTop` and so on), and what it serves. */
export const OData = configurationSection('OData', {
  maxNodeCount: atLeastOne(defaultLimits.maxNodeCount),
  maxAnyAllDepth: z.int().min(0).default(defaultLimits.maxAnyAllDepth),
  maxExpansionDepth: z.int().min(0).default(defaultLimits.maxExpansionDepth),
  maxExpandCount: z.int().min(0).default(defaultLimits.maxExpandCount),
  /** Expressions of one `$orderby`. */
  maxOrderByCount: atLeastOne(defaultLimits.maxOrderByCount),
  /** Calls of functions inside each other. */
  maxCallDepth: atLeastOne(defaultLimits.maxCallDepth),
  maxTop: atLeastOne(defaultLimits.maxTop),
  maxSkip: atLeastOne(defaultLimits.maxSkip),
  maxStreamedPage: z.int().min(0).default(defaultLimits.maxStreamedPage),
  maxExpandedPage: atLeastOne(defaultLimits.maxExpandedPage),
  maxExpandedRows: atLeastOne(defaultLimits.maxExpandedRows),
  maxObjects: atLeastOne(defaultLimits.maxObjects),
  maxDepth: z.int().min(1).max(400).default(defaultLimits.maxDepth),
  /** Segments of a resource path. */
  maxPathSegments: atLeastOne(defaultLimits.maxPathSegments),
  /** Terms of one `$search`. */
  maxSearchTerms: atLeastOne(defaultLimits.maxSearchTerms),
  maxListItems: atLeastOne(defaultLimits.maxListItems),
  maxTextLength: atLeastOne(defaultLimits.maxTextLength),
  /** Characters of path and query together; more may come in the body of `POST …/$query`. */
  maxUrlLength: atLeastOne(16 * 1024),
  /** Of a `$batch`, in bytes. */
  maxBodyBytes: atLeastOne(1024 * 1024),
  /** Of a `$query`, in bytes. */
  maxQueryBytes: atLeastOne(64 * 1024),
  /** Requests of a `$batch`. */
  maxBatchParts: atLeastOne(100),
  /** Callers who are not signed in see the service document and `$metadata`. */
  isMetadataPublic: z.boolean().default(true),
  /** Sets that modules publish and this host does not serve: internals, such as tokens. */
  unservedSets: z.array(z.string().min(1)).default([]),
  /** Of the answers to all parts of a batch together; parts beyond it are refused. */
  maxBatchAnswerBytes: atLeastOne(16 * 1024 * 1024),
  /**
   * The highest cost of a statement, estimated by PostgreSQL's planner when the statement is new; dearer ones
   * are refused. 0: no limit. The default is four times the cost of the dearest usual query over a million
   * shipments; a statement of cost 7.9 million was ended by `Database:QueryTimeoutMs`.
   */
  maxPlanCost: z.number().min(0).default(2_000_000),
  /** Requests of one caller, all keys and sessions together, that are answered at a time; others wait. */
  maxConcurrency: atLeastOne(4),
  /** Requests of one caller that wait; more are refused with 503. */
  maxWaiting: z.int().min(0).default(16),
} satisfies Record<keyof ODataLimits, z.ZodType> & Record<string, z.ZodType>)
