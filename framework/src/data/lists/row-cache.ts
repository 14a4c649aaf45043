import { Injectable } from '../../modularity/injectable.js'
import type { ChangeFeed } from '../change-feed/change-feed.js'
import type { TextRow } from '../wire/statement.js'
import type { JsonView, ReferencesOfView } from './json-view.js'

/** The most slabs of the row storage, which all views share. */
const mostSlabs = 48
/** The size of a slab. */
const slabBytes = 1024 * 1024
/**
 * The most rows of a slab. Bounds the heap beside the slabs: about 230 bytes a row, 4 MB in all. 48 × 340
 * rows are less than half of 32,768: below that, a `Map` reuses deleted entries instead of growing.
 */
const mostRowsOfSlab = 340

/** A cache entry: the place of the JSON of one version of a row. */
interface KeptRow {
  readonly id: string
  readonly xmin: string | null | undefined
  readonly slab: Slab
  readonly start: number
  readonly end: number
  /** The index that has the entry. */
  readonly rows: Map<string, KeptRow>
}

/** A buffer that rows are appended to, and that is evicted as a whole. */
class Slab {
  readonly memory = Buffer.allocUnsafeSlow(slabBytes)
  readonly rows: KeptRow[] = []
  end = 0
}

/**
 * The storage of cached rows of all lists and queries, in slabs. The oldest slab is evicted first, with all of its rows:
 * buffers of one size do not fragment the memory. JSON of an evicted slab stays valid while it is referenced.
 */
@Injectable()
export class RowStorage {
  private readonly slabs: Slab[] = []

  /** Stores the JSON of a row and adds its entry to `rows`. A row larger than a slab is not cached. */
  keep(rows: Map<string, KeptRow>, id: string, xmin: KeptRow['xmin'], text: string): Buffer {
    const bytes = Buffer.byteLength(text)
    if (bytes > slabBytes) return Buffer.from(text)
    const slab = this.slabWithRoom(bytes)
    const start = slab.end
    slab.end += slab.memory.write(text, start)
    const kept: KeptRow = { id, xmin, slab, start, end: slab.end, rows }
    slab.rows.push(kept)
    rows.set(id, kept)
    return jsonOf(kept)
  }

  private slabWithRoom(bytes: number): Slab {
    const last = this.slabs.at(-1)
    if (last && last.rows.length < mostRowsOfSlab && last.end + bytes <= slabBytes) return last
    if (this.slabs.length === mostSlabs) this.forgetFirst()
    const slab = new Slab()
    this.slabs.push(slab)
    return slab
  }

  private forgetFirst(): void {
    // The index may have a newer entry of the row.
    for (const row of this.slabs.shift()?.rows ?? [])
      if (row.rows.get(row.id) === row) row.rows.delete(row.id)
  }
}

function jsonOf({ slab, start, end }: KeptRow): Buffer {
  return slab.memory.subarray(start, end)
}

/**
 * The cached JSON of rows. The key is the id and PostgreSQL's `xmin`, the transaction that wrote this version of the row. Every change of a row
 * gives it another `xmin`, so an entry is never stale: a changed row is a miss, and its new JSON replaces the entry.
 */
export class KeptRows {
  private readonly rows = new Map<string, KeptRow>()

  /** @param epoch that of the connection which the rows come from */
  constructor(
    private readonly storage: RowStorage,
    protected readonly epoch: number,
  ) {}

  /**
   * False when the cache is invalid, or rows that were just read do not come from the server whose rows are cached: the connection was lost,
   * after which the database may be a restored one.
   */
  isValid(feed: Pick<ChangeFeed, 'isOf'>): boolean {
    return feed.isOf(this.epoch)
  }

  /** The cached JSON of a version of a row. */
  get(id: string, xmin: string | null | undefined): Buffer | undefined {
    const kept = this.rows.get(id)
    return kept && kept.xmin === xmin ? jsonOf(kept) : undefined
  }

  /** Caches the JSON of a version of a row. */
  keep(id: string, xmin: string | null | undefined, json: string): Buffer {
    return this.storage.keep(this.rows, id, xmin, json)
  }
}

/** {@link KeptRows} of a view. The columns of the key are {@link RowCache.key}. */
export class RowCache extends KeptRows {
  /** The columns of the cache key, of the table `t`. */
  static readonly key = 't."Id", t.xmin'

  constructor(
    storage: RowStorage,
    private readonly view: JsonView,
    private readonly references: ReferencesOfView,
    epoch: number,
  ) {
    super(storage, epoch)
  }

  /** False when the cache is invalid: a referenced set changed, or the connection was lost. */
  holdsFor(references: ReferencesOfView, epoch: number): boolean {
    if (epoch !== this.epoch) return false
    for (const [entity, set] of references) if (this.references.get(entity) !== set) return false
    return true
  }

  /** The cached JSON of a row, whose columns {@link RowCache.key} begin at `offset`. */
  find(row: TextRow, offset: number): Buffer | undefined {
    return this.get(row[offset] ?? '', row[offset + 1])
  }

  /** Writes a row as JSON and caches it. It has the columns {@link RowCache.key}, then those of the view. */
  add(row: TextRow): Buffer {
    const [id, xmin] = row
    return this.keep(id ?? '', xmin, this.view.write(row, this.references, 2))
  }
}

/**
 * JSON between a head and a tail, with commas between the rows.
 * @param rows each whole, or in pieces
 * @param separator a comma, as whoever wrote the rows at first writes it
 */
export function joinJson(
  head: string,
  rows: readonly (Buffer | readonly Buffer[])[],
  tail: string,
  separator = comma,
): Buffer {
  const parts: Buffer[] = [Buffer.from(head)]
  for (const [index, row] of rows.entries()) {
    if (index > 0) parts.push(separator)
    if (Buffer.isBuffer(row)) parts.push(row)
    else parts.push(...row)
  }
  parts.push(Buffer.from(tail))
  return Buffer.concat(parts)
}

const comma = Buffer.from(',')
