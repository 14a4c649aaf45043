import { LRUCache } from 'lru-cache'
import type { TextRow } from '../connections.js'
import type { JsonView, ReferencesOfView } from './json-view.js'

/** How much JSON the rows of all views may keep together, in bytes. */
const mostBytes = 48 * 1024 * 1024
/** What an entry costs beside its JSON, roughly, in bytes: key, places in the list, buffer. */
const entryBytes = 500

/** Where the rows of all views are kept: those that were not used for longest make room. */
export type RowStorage = LRUCache<string, KeptRow>

/** The JSON of one version of a row. */
interface KeptRow {
  readonly xmin: string | null | undefined
  readonly json: Buffer
}

/** Makes room for rows. */
export function rowStorage(): RowStorage {
  return new LRUCache({ maxSize: mostBytes, sizeCalculation: ({ json }) => json.length + entryBytes })
}

let generations = 0

/**
 * Rows of a view as the JSON they were written as once. A row is known by its id and PostgreSQL's `xmin`, the transaction that wrote this
 * version of it: whoever changes a row, in whichever way, gives it another. So what is kept can't be stale, and what changed is not
 * found, and its old version makes room. The columns of `xmin` and id are {@link RowCache.key}.
 */
export class RowCache {
  /** The columns, of the table `t`, that say which version of which row it is. */
  static readonly key = 't."Id", t.xmin'
  private readonly generation = ++generations

  constructor(
    private readonly rows: RowStorage,
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

  /** The JSON of a row, by the columns {@link RowCache.key} that begin at `offset`. */
  find(row: TextRow, offset: number): Buffer | undefined {
    const kept = this.rows.get(this.keyOf(row[offset]))
    return kept?.xmin === row[offset + 1] ? kept?.json : undefined
  }

  /** Writes and keeps a row that begins with the columns {@link RowCache.key}, followed by those of the view. */
  add(row: TextRow): Buffer {
    const text = this.view.write(row, this.references, 2)
    // A buffer of its own: a slice of the shared pool would keep its neighbours in memory.
    const json = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
    json.write(text)
    const [id, xmin] = row
    this.rows.set(this.keyOf(id), { xmin, json })
    return json
  }

  private keyOf(id: string | null | undefined): string {
    return `${this.generation} ${id}`
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
