import { LRUCache } from 'lru-cache'
import type { Database } from '../../data/connections/database.js'
import { UnitOfWork } from '../../data/connections/unit-of-work.js'
import { DataFilters, SoftDelete } from '../../data/entities/data-filters.js'
import { joinJson, KeptRows, type RowStorage } from '../../data/lists/row-cache.js'
import type { VersionOfRow } from '../../data/query/kept-shape.js'
import { type ByteRow, type Bytes, bytesText } from '../../data/wire/byte-rows.js'
import type { KeptPlan } from './plan.js'

/** Shapes of rows that are kept at the same time. */
const mostForms = 500

/** As PostgreSQL's `json_agg` writes it: an answer has the same bytes whichever way it was read. */
const separator = Buffer.from(', ')

/** The kept rows of a shape, at one version of the tables whose rows stand inside them. */
interface KeptForm {
  readonly rows: KeptRows
  readonly epoch: number
  readonly version: number | undefined
}

/**
 * Pages whose rows are recognized by their versions instead of being written anew by PostgreSQL, as `PageReader` does it for lists. Which rows a
 * page has is asked each time, for the caller at hand.
 */
export class KeptPages {
  private readonly forms = new LRUCache<string, KeptForm>({ max: mostForms })

  constructor(private readonly storage: RowStorage) {}

  /** What is kept of the rows of a plan; undefined where nothing may be: inside a unit of work, and while changes are not heard. */
  async of({ inside, form }: KeptPlan, database: Database): Promise<KeptRows | undefined> {
    if (UnitOfWork.current || !DataFilters.isEnabled(SoftDelete)) return undefined
    const watch = inside.length ? database.feed.watch(inside.map(({ table }) => table)) : undefined
    if (watch && watch.version === undefined) await watch.refresh()
    const { epoch } = database.feed
    const version = watch?.version
    if (epoch === undefined || (watch && version === undefined)) return undefined
    const key = `${database.name} ${form}`
    const known = this.forms.get(key)
    if (known?.epoch === epoch && known.version === version) return known.rows
    const rows = new KeptRows(this.storage, epoch)
    this.forms.set(key, { rows, epoch, version })
    return rows
  }

  /**
   * The JSON of a page.
   * @param versions its rows and their versions, as JSON
   * @param read the rows with these ids: id, version and JSON of each
   * @returns undefined when a row has changed since: then the versions do not tell the page any more
   */
  async page(
    versions: Bytes,
    kept: KeptRows,
    database: Database,
    read: (ids: readonly string[]) => Promise<readonly ByteRow[]>,
  ): Promise<Bytes | undefined> {
    const wanted = JSON.parse(bytesText(versions)) as VersionOfRow[]
    const isValid = kept.isValid(database.feed)
    // Held from here on: what makes room meanwhile is not lost.
    const found = wanted.map(({ id, version }) => (isValid ? kept.get(id, version) : undefined))
    const missing = wanted.filter((_, index) => !found[index]).map(({ id }) => id)
    if (missing.length) {
      const added = new Map<string, Buffer>()
      for (const row of await read(missing)) {
        const [id = '', version = '', json = ''] = row.map((value) => (value ? bytesText(value) : ''))
        added.set(`${id} ${version}`, kept.keep(id, version, json))
      }
      for (const [index, { id, version }] of wanted.entries()) found[index] ??= added.get(`${id} ${version}`)
    }
    if (!found.every((row) => row !== undefined)) return undefined
    const rows = found.map((row, index) => withPassing(row, wanted[index]?.passing))
    return [joinJson('[', rows, ']', separator)]
  }
}

const brace = Buffer.from('}')

/** A row with the members that are not kept behind those that are. */
function withPassing(row: Buffer, passing: string | undefined): Buffer | readonly Buffer[] {
  if (passing === undefined) return row
  const more = passing === '{}' ? brace : Buffer.from(`,${passing.slice(1)}`)
  return [row.subarray(0, -1), more]
}
