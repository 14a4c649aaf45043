import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'

const root = new URL('../../../', import.meta.url)

/** Makes the tables of a module in an empty database, as `npm run schema` does, but without a history of scripts. */
export async function runSchemaScripts(client: pg.Client, module: 'hub' | 'pricing'): Promise<void> {
  for (const folder of [new URL('framework/schema/', root), new URL(`modules/${module}/schema/`, root)])
    for (const file of readdirSync(folder).sort())
      await client.query(readFileSync(new URL(file, folder), 'utf8'))
}
