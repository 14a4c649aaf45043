import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Connections } from './connections.js'
import { type DatabaseClient, withClient } from './databases.js'

/** The decisions of a run that brings databases up to date, apart from what the databases hold. */
export interface BringingUp {
  /** The fingerprint of all that the programs are made of and read; undefined where there is none. */
  readonly sources: string | undefined
  readonly env: NodeJS.ProcessEnv
  readonly args: readonly string[]
  /** The addresses that are written into the databases, as redirect addresses of clients. */
  readonly addresses: object
}

/**
 * Knows, from a file in `.keel/`, whether the programs that bring the databases up to date have nothing to apply: the last time that they ended well they were made
 * of the same files and had the same settings, and each database is the same one, with the same migrations and schema scripts.
 */
export class BroughtUp {
  private readonly inputs: string | undefined
  private readonly recorded: Recorded | undefined

  constructor(
    private readonly file: string,
    bringingUp: BringingUp,
  ) {
    this.inputs = inputsOf(bringingUp)
    this.recorded = read(file)
  }

  /** True when files and settings are those of the last time. The databases are still to be asked. */
  get isLikely(): boolean {
    return this.inputs !== undefined && this.recorded?.inputs === this.inputs
  }

  /** True when nothing is to be applied. Asks each database for its migrations and schema scripts. */
  async holds(connections: Connections): Promise<boolean> {
    if (!this.isLikely) return false
    const states = await statesOf(connections).catch(() => undefined)
    return JSON.stringify(states) === JSON.stringify(this.recorded?.states)
  }

  /** Forgets the last time, before something is applied. */
  forget(): void {
    rmSync(this.file, { force: true })
  }

  /** Notes that the databases have been brought up to date. */
  async note(connections: Connections): Promise<void> {
    if (this.inputs === undefined) return
    const recorded: Recorded = { inputs: this.inputs, states: await statesOf(connections) }
    mkdirSync(dirname(this.file), { recursive: true })
    writeFileSync(`${this.file}.new`, JSON.stringify(recorded))
    renameSync(`${this.file}.new`, this.file)
  }
}

interface Recorded {
  readonly inputs: string
  /** By the name of the connection. */
  readonly states: Readonly<Record<string, string>>
}

function read(file: string): Recorded | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Recorded
  } catch {
    return undefined
  }
}

/** Variables of shells, terminals and npm: they are others in each window, and no program here reads them. */
const ofTheShell =
  /^(_|SHLVL|PWD|OLDPWD|INIT_CWD|NODE|COLUMNS|LINES|WINDOWID|DISPLAY|STY|EDITOR|PAGER|LS_COLORS|NO_COLOR|FORCE_COLOR|COLORTERM|(npm|TERM|SSH|XDG|DBUS|TMUX|VSCODE|ITERM)_?.*|Log__.*)$/i

function inputsOf({ sources, env, args, addresses }: BringingUp): string | undefined {
  if (sources === undefined) return undefined
  const variables = Object.entries(env)
    .filter(([name]) => !ofTheShell.test(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const settings = args.filter((arg) => !/^--Log:/i.test(arg))
  return hashOf([sources, variables, settings, addresses])
}

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

async function statesOf(connections: Connections): Promise<Record<string, string>> {
  const states = Object.entries(connections).map(async ([name, connection]) => [
    name,
    await withClient(connection, name, async (client) => hashOf(await rowsOf(client))),
  ])
  return Object.fromEntries(await Promise.all(states))
}

/** Which database it is, which migrations it has, and which schema scripts. */
const questions = [
  `select oid::text from pg_database where datname = current_database()`,
  `select "MigrationId", "ProductVersion" from "__EFMigrationsHistory" order by 1`,
  `select "Name", "Sha256" from "KeelSchemaScripts" order by 1`,
]

async function rowsOf(client: DatabaseClient): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const question of questions) {
    const { rows } = await client.query(question).catch((error: { code?: string }) => {
      // 42P01: a database without migrations has no table of them, and one without scripts none of these.
      if (error.code !== '42P01') throw error
      return { rows: [] }
    })
    answers.push(rows)
  }
  return answers
}
