import { LRUCache } from 'lru-cache'
import type { Database } from '../../data/connections/database.js'
import { UnitOfWork } from '../../data/connections/unit-of-work.js'
import { DataFilters, SoftDelete } from '../../data/entities/data-filters.js'
import { joinJson, KeptRows, type RowStorage } from '../../data/lists/row-cache.js'
import type { VersionOfRow } from '../../data/query/kept-shape.js'
import { LateValue, VisibleRows } from '../../data/query/late-values.js'
import { PlannedStatement } from '../../data/query/planned-statement.js'
import { type ByteRow, type Bytes, bytesText } from '../../data/wire/byte-rows.js'
import type { Sql } from '../../data/wire/sql.js'
import type { KeptPlan } from './plan.js'

/** Shapes of rows that are kept at the same time. */
const mostForms = 500

/** As PostgreSQL's `json_agg` writes it: an answer has the same bytes whichever way it was read. */
const separator = Buffer.from(', ')

/** How rows of a form are read, and those that are kept of it, at one version of the tables whose rows stand inside them. */
interface KeptForm {
  /** For rows by their ids; null where values of a request stand in it, so that nothing may be kept. Undefined before it was needed. */
  byId?: PlannedStatement | null
  rows?: KeptRows
  epoch?: number
  version?: number | undefined
}

/** The kept rows of a form, and the statement for those that are missing. */
export interface KeptReading {
  readonly rows: KeptRows
  readonly byId: PlannedStatement
}

/**
 * Pages whose rows are recognized by their versions instead of being written anew by PostgreSQL, as `PageReader` does it for lists. Which rows a
 * page has is asked each time, for the caller at hand.
 */
export class KeptPages {
  private readonly forms = new LRUCache<string, KeptForm>({ max: mostForms })

  constructor(private readonly storage: RowStorage) {}

  /**
   * What is kept of the rows of a plan; undefined where nothing may be: inside a unit of work, and while changes are not heard. Also for the first
   * request for rows of this form, which may be the last.
   */
  async of({ inside, form, rows }: KeptPlan, database: Database): Promise<KeptReading | undefined> {
    if (UnitOfWork.current || !DataFilters.isEnabled(SoftDelete)) return undefined
    const key = `${database.name} ${form}`
    const known = this.forms.get(key)
    if (!known) this.forms.set(key, {})
    if (!known || known.byId === null) return undefined
    const byId = known.byId ?? statementOf(rows())
    known.byId = byId
    if (!byId) return undefined
    const watch = inside.length ? database.feed.watch(inside.map(({ table }) => table)) : undefined
    if (watch && watch.version === undefined) await watch.refresh()
    const { epoch } = database.feed
    const version = watch?.version
    if (epoch === undefined || (watch && version === undefined)) return undefined
    if (!known.rows || known.epoch !== epoch || known.version !== version) {
      known.rows = new KeptRows(this.storage, epoch)
      known.epoch = epoch
      known.version = version
    }
    return { rows: known.rows, byId }
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

function statementOf(rows: Sql): PlannedStatement | null {
  return rows.values.every(isSameForAll) ? new PlannedStatement(rows) : null
}

/** True for what stands in a statement for the row rules of its entity, and for the ids of rows: no value of a request. */
function isSameForAll(value: unknown): boolean {
  return value instanceof VisibleRows || (value instanceof LateValue && value.name === 'ids')
}

const brace = Buffer.from('}')

/** A row with the members that are not kept behind those that are. */
function withPassing(row: Buffer, passing: string | undefined): Buffer | readonly Buffer[] {
  if (passing === undefined) return row
  const more = passing === '{}' ? brace : Buffer.from(`,${passing.slice(1)}`)
  return [row.subarray(0, -1), more]
}
