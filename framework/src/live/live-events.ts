import { changeChannel } from '../data/change-feed/change-feed.js'
import type { Database } from '../data/connections/database.js'
import { type Sql, sql } from '../data/wire/sql.js'

/** Something that changed for a person. */
export interface LiveChange {
  readonly userId: string
  /** Of the thing that changed, e.g. a job; empty when the kind alone says it. */
  readonly key: string
}

/**
 * Extension point: a kind of event that the browsers of a person get. Whatever changes something sends a notice ({@link liveNotice}); each host
 * process asks the source for the people who have a stream open there. So an event is what the database says at that moment, and nothing of it is in
 * the notice. Listed in `services` of its module.
 */
export abstract class LiveEventSource {
  /** The name of the event in the stream: letters, digits and `-`. */
  abstract readonly kind: string
  /** Callers without it get no events of this kind; undefined for events of everybody. */
  readonly permission: string | undefined = undefined
  /** The database in which the notices are sent. */
  abstract readonly database: Database
  /** The data of the event of each change, in their order; undefined for a change without an event. One statement. */
  abstract read(changes: readonly LiveChange[]): Promise<readonly (object | undefined)[]>
}

/** The beginning of notices of a kind on the channel of the change feed. No table has such a name. */
export const liveNoticePrefix = (kind: string): string => `live:${kind} `

/** SQL that tells all host processes, once the current transaction is committed, that something of a kind changed for a person. */
export function liveNotice(kind: string, { userId, key }: LiveChange): Sql {
  return sql`pg_notify(${changeChannel}, ${`${liveNoticePrefix(kind)}${userId} ${key}`})`
}

/** The change that a notice tells of, without its prefix. */
export function changeOf(notice: string): LiveChange {
  const [userId = '', key = ''] = notice.split(' ')
  return { userId, key }
}
