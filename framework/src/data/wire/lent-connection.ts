import type pg from 'pg'

/** Classes of PostgreSQL's errors after which a connection is as good as before: the statement was wrong, refused or took too long. */
const harmless = /^(21|22|23|25|40|42|44|54|55|57014|P0)/

/** A connection of the pool that is lent until it is given back. */
export class LentConnection {
  private broken: Error | undefined
  private isGivenBack = false

  /** @param giveBack gets the error that broke the connection, if any */
  constructor(
    readonly client: pg.PoolClient,
    private readonly giveBack: (broken: Error | undefined) => void,
  ) {
    // While it is lent the pool does not listen to it: a connection that breaks then would end the process.
    client.on('error', this.breaks)
  }

  get isBroken(): boolean {
    return this.broken !== undefined
  }

  /** Marks the connection as unusable after an error of a statement, unless the error says nothing against the connection. */
  judge(error: unknown): void {
    if (!harmless.test((error as { code?: string }).code ?? '')) this.breaks(error as Error)
  }

  /** Marks the connection as unusable: it is closed instead of being lent again. */
  readonly breaks = (error: Error): void => {
    this.broken ??= error
  }

  /** Gives the connection back, once. */
  release(): void {
    if (this.isGivenBack) return
    this.isGivenBack = true
    this.client.off('error', this.breaks)
    this.giveBack(this.broken)
  }
}
