import type { ChangeFeed } from '../change-feed/change-feed.js'
import type { TextRow } from '../wire/statement.js'
import type { JsonView, ReferencesOfView } from './json-view.js'

/** How much JSON the rows of all views may keep together: so many slabs */
const mostSlabs = 48
/** of so many bytes. */
const slabBytes = 1024 * 1024
/**
 * What a row costs besides, 230 bytes of heap or so, is bounded by this: 4 MB, which rows of the usual size need anyway. All together are no
 * more than half of 32,768: a `Map` of so many places is tidied up when it is full of deleted ones, one that is fuller grows.
 */
const mostRowsOfSlab = 340

/** Where the JSON of one version of a row is. */
interface KeptRow {
  readonly id: string
  readonly xmin: string | null | undefined
  readonly slab: Slab
  readonly start: number
  readonly end: number
  /** What it is found in. */
  readonly rows: Map<string, KeptRow>
}

/** Memory that rows are written into one after the other, and that goes as a whole. */
class Slab {
  readonly memory = Buffer.allocUnsafeSlow(slabBytes)
  readonly rows: KeptRow[] = []
  end = 0
}

/**
 * Where the rows of all views are kept. Those that were written first make room, many at once: memory in pieces of one size, each taken
 * and given back as a whole, does not fragment, whatever rows are kept. Whoever still holds JSON of what made room keeps it.
 */
export class RowStorage {
  private readonly slabs: Slab[] = []

  /** Writes the JSON of a row, to be found in `rows` by its id as long as there is room. */
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
    // A row may have been written anew since.
    for (const row of this.slabs.shift()?.rows ?? [])
      if (row.rows.get(row.id) === row) row.rows.delete(row.id)
  }
}

function jsonOf({ slab, start, end }: KeptRow): Buffer {
  return slab.memory.subarray(start, end)
}

/**
 * Rows of a view as the JSON they were written as once. A row is known by its id and PostgreSQL's `xmin`, the transaction that wrote this
 * version of it: whoever changes a row, in whichever way, gives it another. So what is kept can't be stale, and what changed is not
 * found, and its old version makes room. The columns of `xmin` and id are {@link RowCache.key}.
 */
export class RowCache {
  /** The columns, of the table `t`, that say which version of which row it is. */
  static readonly key = 't."Id", t.xmin'
  private readonly rows = new Map<string, KeptRow>()

  constructor(
    private readonly storage: RowStorage,
    private readonly view: JsonView,
    private readonly references: ReferencesOfView,
    private readonly epoch: number,
  ) {}

  /** False when rows are to be written anew: a referenced set changed, or the connection was lost, perhaps to a restored database. */
  holdsFor(references: ReferencesOfView, epoch: number): boolean {
    if (epoch !== this.epoch) return false
    for (const [entity, set] of references) if (this.references.get(entity) !== set) return false
    return true
  }

  /** Whether what was read just now comes from the server whose rows are kept. */
  isValid(feed: Pick<ChangeFeed, 'isOf'>): boolean {
    return feed.isOf(this.epoch)
  }

  /** The JSON of a row, by the columns {@link RowCache.key} that begin at `offset`. */
  find(row: TextRow, offset: number): Buffer | undefined {
    const kept = this.rows.get(row[offset] ?? '')
    return kept && kept.xmin === row[offset + 1] ? jsonOf(kept) : undefined
  }

  /** Writes and keeps a row that begins with the columns {@link RowCache.key}, followed by those of the view. */
  add(row: TextRow): Buffer {
    const [id, xmin] = row
    return this.storage.keep(this.rows, id ?? '', xmin, this.view.write(row, this.references, 2))
  }
}

const comma = Buffer.from(',')

/** JSON between a head and a tail, with commas between the rows. */
export function joinJson(head: string, rows: readonly Buffer[], tail: string): Buffer {
  const parts: Buffer[] = [Buffer.from(head)]
  for (const [index, row] of rows.entries()) {
    if (index > 0) parts.push(comma)
    parts.push(row)
  }
  parts.push(Buffer.from(tail))
  return Buffer.concat(parts)
}
