import type { TextRow } from '../../data/wire/statement.js'

/** The rows of a page of any length as JSON, taken piece by piece from the database. */
export class StreamedRows {
  private taken = 0
  private keys: string | null = null

  private constructor(
    private readonly rows: AsyncGenerator<readonly TextRow[], void, undefined>,
    private piece: readonly TextRow[] | undefined,
    private readonly limit: number,
  ) {}

  /**
   * Waits for the first piece: an error before it can still be answered. @param rows the JSON of each row,
   * and the keys of the page's last row
   * @param limit rows of the page; one more says that another page follows
   */
  static async begin(
    rows: AsyncGenerator<readonly TextRow[], void, undefined>,
    limit: number,
  ): Promise<StreamedRows> {
    const first = await rows.next()
    return new StreamedRows(rows, first.value ?? undefined, limit)
  }

  /** JSON objects with commas between them. */
  async *pieces(): AsyncGenerator<string, void, undefined> {
    while (this.piece) {
      const shown = this.piece.slice(0, Math.max(this.limit - this.taken, 0))
      const separator = this.taken > 0 ? ',' : ''
      this.taken += this.piece.length
      this.keys ??= shown.at(-1)?.[1] ?? null
      if (shown.length) yield separator + shown.map(([json]) => json).join(',')
      this.piece = (await this.rows.next()).value ?? undefined
    }
  }

  /** The keys of the last row where another page follows it; to be asked when all pieces are taken. */
  get lastKeys(): string | undefined {
    return this.taken > this.limit ? (this.keys ?? undefined) : undefined
  }

  /** Lets the database go; to be called in any case. */
  async close(): Promise<void> {
    await this.rows.return()
  }
}
