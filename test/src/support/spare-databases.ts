import { type CopiedDatabases, copiedDatabases } from '@keel/framework/testing'
import { templates, testServer } from './test-databases.js'

const server = copiedDatabases(testServer)
/** By template: the copy for whoever asks next. Copying takes longer than anything else of a host's start but its own work. */
const spare = new Map<string, Promise<string | undefined>>()
let copying: Promise<unknown> = Promise.resolve()
let dropping: Promise<unknown> = Promise.resolve()

/**
 * The databases of test hosts and programs: a copy of each migrated database is made while the tests before it run, and what was given back is
 * dropped while the next ones do. What is left at the end of the run its set-up drops.
 */
export const spareDatabases: CopiedDatabases = {
  async take(names) {
    const taken: string[] = []
    for (const template of names) taken.push(await takeOne(template))
    return taken
  },
  async giveBack(names) {
    dropping = dropping.then(() => server.giveBack(names)).catch(nothing)
  },
}

/** The migrated databases' copies, as settings of a program. */
export interface DatabaseCopies {
  /** From connection name to database. */
  readonly names: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
  drop(): Promise<void>
}

/** Copies the migrated databases for a program. */
export async function copyDatabases(): Promise<DatabaseCopies> {
  const connections = Object.keys(templates)
  const taken = await spareDatabases.take(Object.values(templates))
  const names = Object.fromEntries(connections.map((connection, index) => [connection, taken[index] ?? '']))
  return {
    names,
    env: Object.fromEntries(
      Object.entries(names).map(([connection, name]) => [
        `ConnectionStrings__${connection}`,
        testServer.urlOf(name),
      ]),
    ),
    drop: () => spareDatabases.giveBack(taken),
  }
}

async function takeOne(template: string): Promise<string> {
  const ready = spare.get(template)
  spare.delete(template)
  const name = (await ready) ?? (await copy(template))
  if (Object.values(templates).includes(template) && !spare.has(template))
    spare.set(template, later(template))
  return name
}

/** One after the other, beside the tests. Where that fails, whoever asks next makes their own copy, and is told why it cannot be made. */
function later(template: string): Promise<string | undefined> {
  const made = copying.then(() => copy(template)).catch(nothing)
  copying = made
  return made
}

async function copy(template: string): Promise<string> {
  const [name = ''] = await server.take([template])
  return name
}

function nothing(): undefined {
  return undefined
}
