declare module 'pg-copy-streams' {
  import type { Writable } from 'node:stream'
  import type { Submittable } from 'pg'

  /** A query that takes the rows of `copy … from stdin` as they are written to it. */
  export function from(sql: string): Writable & Submittable
}
