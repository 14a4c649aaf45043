import type pg from 'pg'
import type { Transaction } from 'sequelize'
import { SessionClient } from '../wire/session-client.js'

/** A connection that is held until it is released. */
export interface HeldConnection {
  readonly client: pg.ClientBase
  /** Marks the connection as unusable. */
  breaks(error: Error): void
  release(): void
}

/**
 * A transaction of a unit of work, on a connection of its own. It begins together with its first statement where the connection allows that, and ends
 * once. Sequelize's own way to begin and to end one takes a tenth of the CPU of a creation.
 */
export class OpenTransaction {
  private isOver = false
  private sequelize: Transaction | undefined

  private constructor(
    private readonly connection: HeldConnection,
    private readonly joinModels: (client: pg.ClientBase) => Transaction,
    private readonly took: (text: string, ms: number) => void,
  ) {}

  /**
   * Begins a transaction.
   * @param joinModels makes the transaction of Sequelize that statements of models run in
   * @param took is called after the end, with its text and duration
   */
  static async begin(
    connection: HeldConnection,
    joinModels: (client: pg.ClientBase) => Transaction,
    took: (text: string, ms: number) => void,
  ): Promise<OpenTransaction> {
    const transaction = new OpenTransaction(connection, joinModels, took)
    const { client } = connection
    if (!(client instanceof SessionClient && client.beginWithNext())) await transaction.send('begin')
    return transaction
  }

  get client(): pg.ClientBase {
    return this.connection.client
  }

  /** The same transaction for statements of Sequelize's models. */
  get ofModels(): Transaction {
    this.sequelize ??= this.joinModels(this.client)
    return this.sequelize
  }

  commit(): Promise<void> {
    return this.end('commit')
  }

  /** Does nothing after the end. */
  async rollback(): Promise<void> {
    if (!this.isOver) await this.end('rollback')
  }

  private async end(text: 'commit' | 'rollback'): Promise<void> {
    this.isOver = true
    const startedMs = performance.now()
    await this.send(text)
    this.connection.release()
    this.took(text, performance.now() - startedMs)
  }

  /** After an error the state of the connection is unknown. */
  private async send(text: string): Promise<void> {
    try {
      await this.client.query(text)
    } catch (error) {
      this.connection.breaks(error as Error)
      this.connection.release()
      throw error
    }
  }
}
