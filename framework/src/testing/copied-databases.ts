import { randomUUID } from 'node:crypto'
import { createCopies, type DatabaseServer, dropDatabase } from '../data/connections/database-server.js'

/** Where test hosts have their databases from. */
export interface CopiedDatabases {
  /** New databases as copies of templates. @returns their names, in the order of the templates */
  take(templates: readonly string[]): Promise<readonly string[]>
  /** Takes databases back that nobody uses any more. */
  giveBack(names: readonly string[]): Promise<void>
}

/** Databases that are copied when they are asked for, and dropped when they are given back. */
export function copiedDatabases(server: DatabaseServer): CopiedDatabases {
  return {
    async take(templates) {
      const suffix = randomUUID().slice(0, 8)
      const copies = new Map(templates.map((template) => [`${template}_${suffix}`, template]))
      await createCopies(server, copies)
      return [...copies.keys()]
    },
    giveBack: (names) => dropDatabase(server, ...names),
  }
}
