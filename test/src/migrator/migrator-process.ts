import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type EmbeddedPostgres, ensurePostgres } from '@keel/embedded-postgres'
import { programIn } from '@keel/framework'
import { createDatabase, dropDatabase } from '@keel/framework/data'
import pg from 'pg'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The migrator of this repository, as it was built. */
const program = programIn(`${root}migrator`)

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A database of its own, and the migrator run against it as a process. */
export class MigratedDatabase {
  private constructor(
    private readonly server: EmbeddedPostgres,
    private readonly name: string,
  ) {}

  static async create(name: string): Promise<MigratedDatabase> {
    const server = await ensurePostgres({ directory: `${root}.keel/test` })
    await dropDatabase(server, name)
    await createDatabase(server, name)
    return new MigratedDatabase(server, name)
  }

  get url(): string {
    return this.server.urlOf(this.name)
  }

  /** Runs a migrator to its end; that of this repository unless another main file is given. */
  async migrate(args: readonly string[] = [], main = program): Promise<Outcome> {
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...process.env, ConnectionStrings__Default: this.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (text) => (output.stdout += String(text)))
    child.stderr.on('data', (text) => (output.stderr += String(text)))
    const [code] = (await once(child, 'close')) as (number | null)[]
    return { code: code ?? null, ...output }
  }

  /** The JSON lines of a run with `--json`. */
  async migrateJson(args: readonly string[], main = program): Promise<Record<string, unknown>[]> {
    const { stdout } = await this.migrate([...args, '--json'], main)
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  async query<R extends object = Record<string, unknown>>(text: string): Promise<R[]> {
    const client = new pg.Client({ connectionString: this.url })
    await client.connect()
    try {
      return (await client.query<R>(text)).rows
    } finally {
      await client.end()
    }
  }

  /** Empties it. */
  async clear(): Promise<void> {
    await this.query('drop schema public cascade; create schema public')
  }

  async drop(): Promise<void> {
    await dropDatabase(this.server, this.name)
    await this.server.stop()
  }
}
