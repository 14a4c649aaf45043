import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { atMost } from '../../modularity/at-most.js'
import type { Databases } from './databases.js'

/** The most tokens that are remembered. A forgotten token costs one more poll. */
const mostMet = 20_000
const wellFormed = /^[\w-]{1,40}((?:\.\w{1,40}){1,10})$/

/**
 * Lets a caller see its own writes on every copy of a host. A token stands for writes that were acknowledged,
 * and names the databases that they went to. A host that sees a token for the first time polls the table
 * versions of these before it answers, and so knows all writes that were acknowledged before the token was
 * sent. An invented token costs no more than a poll, which concurrent requests share.
 */
export class SeenWrites {
  private readonly met = new LRUCache<string, true>(atMost(mostMet))
  /** Of this process. */
  private readonly issuer = randomBytes(6).toString('base64url')
  private issued = 0

  constructor(private readonly databases: Databases) {}

  /** A new token for writes to these databases. */
  issue(names: Iterable<string>): string {
    this.issued += 1
    return [`${this.issuer}${this.issued.toString(36)}`, ...names].join('.')
  }

  /**
   * Makes the writes known that a token stands for; undefined when they are, and for a text that is no token.
   * Throws `UnavailableError` when a database does not answer.
   */
  catchUp(token: string): Promise<void> | undefined {
    const names = wellFormed.exec(token)?.[1]
    if (names === undefined || this.met.has(token)) return undefined
    const named = new Set(names.slice(1).split('.'))
    const databases = this.databases.all.filter(({ name }) => named.has(name))
    return Promise.all(databases.map(({ feed }) => feed.catchUp())).then(() => {
      this.met.set(token, true)
    })
  }
}
