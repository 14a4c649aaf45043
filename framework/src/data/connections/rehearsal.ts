import { EventEmitter } from 'node:events'
import type pg from 'pg'
import type { DatabaseSession } from '../wire/session.js'

type Callback = (error: Error | null, result?: unknown) => void

/**
 * Takes the place of all connections to a database, and sends everything over one session inside a
 * transaction: writes are visible to all of them and to no other session, and are gone when the owner of the
 * session rolls back. Transactions become savepoints, and a statement that fails leaves the rest as it was.
 * For seeing what a program would write.
 */
export class Rehearsal {
  /** The end of what was sent last: a session does one thing at a time. */
  private last: Promise<unknown> = Promise.resolve()
  /** Savepoints that stand for transactions, outer ones first. */
  private readonly open: string[] = []
  private opened = 0

  constructor(private readonly session: DatabaseSession) {}

  /** The members of `pg.Pool` that we use. */
  pool(types: pg.CustomTypesConfig): pg.Pool {
    const pool = {
      connect: (done: (error: undefined, client: RehearsedClient) => void) =>
        done(undefined, new RehearsedClient(this, { types })),
      end: async () => undefined,
      totalCount: 1,
    }
    return pool as unknown as pg.Pool
  }

  /** Begins what stands for a transaction and answers its name. */
  begin(): Promise<string> {
    return this.inTurn(async () => {
      this.opened += 1
      const name = `keel_rehearsal_${this.opened}`
      await this.session.query(`savepoint ${name}`)
      this.open.push(name)
      return name
    })
  }

  /** Ends what {@link begin} began; one inside another ends with that. */
  end(name: string, how: 'release savepoint' | 'rollback to savepoint'): Promise<void> {
    return this.inTurn(async () => {
      const place = this.open.indexOf(name)
      if (place < 0) return
      this.open.splice(place)
      await this.session.query(`${how} ${name}`)
    })
  }

  /** Sends one statement. */
  send<T>(statement: (session: DatabaseSession) => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      await this.session.query('savepoint keel_statement')
      try {
        const result = await statement(this.session)
        await this.session.query('release savepoint keel_statement')
        return result
      } catch (error) {
        await this.session.query('rollback to savepoint keel_statement')
        await this.session.query('release savepoint keel_statement')
        throw error
      }
    })
  }

  /** Sends a statement about a savepoint of its sender: one of ours around it would end that. */
  sendSavepoint(text: string): Promise<unknown> {
    return this.inTurn(() => this.session.query(text))
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.last.then(work)
    this.last = turn.catch(() => undefined)
    return turn
  }
}

/** The members of `pg.Client` that users of the pool and Sequelize call. */
class RehearsedClient extends EventEmitter {
  private readonly transactions: string[] = []

  constructor(
    private readonly rehearsal: Rehearsal,
    private readonly config: { types?: pg.CustomTypesConfig },
  ) {
    super()
  }

  release(): void {}

  /**
   * As of `pg`: a text or a configuration, values, and a callback instead of a promise; or a query object of
   * one's own.
   */
  query(...words: unknown[]): Promise<unknown> | undefined {
    const [first, second, third] = words
    const done = [second, third].find((word) => typeof word === 'function') as Callback | undefined
    const values = Array.isArray(second) ? (second as unknown[]) : undefined
    const result = this.answer(first as string | pg.QueryConfig | pg.Submittable, values)
    if (!done) return result
    result.then(
      (rows) => done(null, rows),
      (error: Error) => done(error),
    )
    return undefined
  }

  private async answer(
    query: string | pg.QueryConfig | pg.Submittable,
    values?: unknown[],
  ): Promise<unknown> {
    if (typeof query === 'object' && 'submit' in query)
      return this.rehearsal.send(
        (session) =>
          new Promise((resolve, reject) => {
            const done: Callback = (error, rows) => (error ? reject(error) : resolve(rows))
            ;(session.query as (query: pg.Submittable, done: Callback) => void)(query, done)
          }),
      )
    const config = typeof query === 'string' ? { text: query } : query
    const [, verb] = /^\s*(begin|start transaction|commit|end|rollback)\s*;?\s*$/i.exec(config.text) ?? []
    if (verb) return this.transact(verb.toLowerCase())
    if (/^(savepoint|release savepoint|rollback to savepoint) \w+$/.test(config.text))
      return this.rehearsal.sendSavepoint(config.text)
    const { types } = this.config
    return this.rehearsal.send((session) =>
      session.query({ ...(types && { types }), ...(values && { values }), ...config }),
    )
  }

  private async transact(verb: string): Promise<unknown> {
    if (verb === 'begin' || verb === 'start transaction') this.transactions.push(await this.rehearsal.begin())
    else {
      const name = this.transactions.pop()
      const how = verb === 'rollback' ? 'rollback to savepoint' : 'release savepoint'
      if (name) await this.rehearsal.end(name, how)
    }
    return { command: verb.toUpperCase(), rowCount: null, rows: [], fields: [] }
  }
}
