import { type Database, sql } from '@keel/framework/data'
import { LRUCache } from 'lru-cache'

/** For so long statistics are not read again. PostgreSQL renews them when a tenth of a table has changed. */
const keptMs = 600_000

/** A text of a column in lower case, and about how many rows it stands for. */
interface KnownText {
  readonly text: string
  readonly rows: number
}

/** What PostgreSQL knows of the texts of a column. */
interface StatisticsRow {
  readonly rows: number
  readonly nulls: number
  readonly values: string[] | null
  readonly shares: number[] | null
  readonly bounds: string[] | null
}

/** Estimates how many rows have a text by the statistics that PostgreSQL plans with, without asking PostgreSQL for each text. */
export class TextStatistics {
  private readonly kept = new LRUCache<'texts', Promise<readonly KnownText[]>>({ max: 1, ttl: keptMs })

  /** @param searched the columns that texts are looked for in */
  constructor(private readonly searched: readonly { readonly table: string; readonly column: string }[]) {}

  /**
   * About how many rows of all columns together have a text somewhere in them, in whichever case. 0 for texts that less than a hundredth of a
   * column has, and for tables that PostgreSQL has not analyzed yet.
   */
  async rowsWith(text: string, database: Database): Promise<number> {
    const wanted = text.toLowerCase()
    let rows = 0
    for (const known of await this.current(database)) if (known.text.includes(wanted)) rows += known.rows
    return rows
  }

  private current(database: Database): Promise<readonly KnownText[]> {
    const known = this.kept.get('texts')
    if (known) return known
    const texts = this.read(database)
    this.kept.set('texts', texts)
    texts.catch(() => this.kept.clear())
    return texts
  }

  private async read(database: Database): Promise<readonly KnownText[]> {
    const tables = this.searched.map(({ table }) => table)
    const columns = this.searched.map(({ column }) => column)
    const rows = await database.queryList<StatisticsRow>(sql`
      select c.reltuples::float8 as rows, s.null_frac::float8 as nulls, s.most_common_vals::text::text[] as values,
        s.most_common_freqs::float8[] as shares, s.histogram_bounds::text::text[] as bounds
      from unnest(${tables}::text[], ${columns}::text[]) w("table", "column")
      join pg_class c on c.oid = to_regclass(quote_ident(w."table"))
      join pg_stats s on s.schemaname = c.relnamespace::regnamespace::text and s.tablename = w."table"
        and s.attname = w."column" and not s.inherited`)
    return rows.flatMap(textsOf)
  }
}

/** The most common values stand for their own rows, the bounds of the histogram for equal shares of the others. */
function textsOf({ rows, nulls, values, shares, bounds }: StatisticsRow): KnownText[] {
  const common = (values ?? []).map((text, index) => ({ text, share: shares?.[index] ?? 0 }))
  const rest = common.reduce((left, { share }) => left - share, 1 - nulls)
  const others = (bounds ?? []).map((text, _index, all) => ({ text, share: rest / all.length }))
  return [...common, ...others].map(({ text, share }) => ({ text: text.toLowerCase(), rows: share * rows }))
}
