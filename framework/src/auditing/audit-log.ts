import type { Principal } from '../modularity/principal.js'

/** The kinds of change to a row, with ABP's numbers. */
export enum EntityChangeType {
  Created = 0,
  Updated = 1,
  Deleted = 2,
}

/** A written column of a row. Values are shortened JSON, or null for none; secrets are masked. */
export interface PropertyChange {
  /** In PascalCase. */
  readonly name: string
  /** The type it has in .NET, e.g. `System.String`. */
  readonly type: string
  readonly original: string | null
  readonly current: string | null
}

/** A request that writes more rows than this is a mass change: the rest is counted. */
export const mostEntityChanges = 1000

/** Stands for the id in an entry about many rows, whose only property is their number. */
export const manyRows = '*'

/** A row that was written by a unit of work that was committed. */
export interface EntityChange {
  readonly table: string
  /** {@link manyRows} in an entry about many rows. */
  readonly entityId: string
  readonly time: Date
  readonly type: EntityChangeType
  readonly properties: readonly PropertyChange[]
}

/** A call of an operation. */
export interface AuditedAction {
  /** The contract, e.g. `Hub.ShipmentAppService`. */
  readonly serviceName: string
  readonly methodName: string
  /** The arguments as JSON, shortened; secrets are masked. */
  readonly parameters: string
  readonly executionTime: Date
  /** Milliseconds. */
  readonly executionDuration: number
}

/** A request, or work of the program in a person's name, that is over, and everything it did. */
export interface AuditLog {
  readonly applicationName: string
  readonly principal: Principal
  readonly correlationId: string
  readonly executionTime: Date
  /** Milliseconds. */
  readonly executionDuration: number
  /** Undefined, as are URL and status, for work of the program in a person's name ({@link Principal.ranBy}). */
  readonly httpMethod?: string | undefined
  /** The path, without the query, which may hold anything. */
  readonly url?: string | undefined
  readonly httpStatusCode?: number | undefined
  readonly clientIpAddress?: string | undefined
  /** The header `User-Agent`. */
  readonly browserInfo?: string | undefined
  /** JSON: the errors as the caller was told, secrets masked; undefined when all went well. */
  readonly exceptions: string | undefined
  /** Remarks for readers about the log itself. */
  readonly comments: string | undefined
  readonly actions: readonly AuditedAction[]
  readonly entityChanges: readonly EntityChange[]
}

/** Extension point: takes what is to be kept. The audit-logging module provides it. */
export abstract class AuditStore {
  /**
   * Called after the answer was sent. Returns at once and never throws: the store reports its own failures.
   */
  abstract add(log: AuditLog): void
}
