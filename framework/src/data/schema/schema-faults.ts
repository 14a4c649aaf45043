import { performance } from 'node:perf_hooks'
import { StartupError } from '../../modularity/startup-error.js'
import type { Database } from '../connections/database.js'
import { findLacks, hasAllColumns, type SchemaFault, tellLacks } from './schema-state.js'

/** How long an answer to whether the schema is up to date counts. */
const schemaFineMs = 60_000
const schemaFaultMs = 2000

const known = new WeakMap<Database, { readonly at: number; readonly fault: SchemaFault | undefined }>()

/**
 * The differences between a database and the schema that the host expects, in words; undefined when it is up
 * to date. The result is cached for a time, and for a shorter time while there are differences.
 */
export async function schemaFaultOf(database: Database): Promise<SchemaFault | undefined> {
  const last = known.get(database)
  if (last && performance.now() - last.at < (last.fault ? schemaFaultMs : schemaFineMs)) return last.fault
  const fault = await database
    .withConnection((client) => findLacks(client, database))
    .then(
      (lacks) => {
        const told = tellLacks(lacks)
        return told === undefined ? undefined : { told, isUsable: hasAllColumns(lacks) }
      },
      (error) => {
        if (error instanceof StartupError) return { told: error.message, isUsable: false }
        throw error
      },
    )
  known.set(database, { at: performance.now(), fault })
  return fault
}
