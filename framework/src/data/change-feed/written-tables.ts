/** Parts of a statement in which no table is named: comments and texts, plain or between dollars. */
const unspoken = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$/g
const anyName = '(?:(?:"[^"]+"|\\w+)\\.)?"[^"]+"'
const name = '(?:(?:"[^"]+"|\\w+)\\.)?"([^"]+)"'
const write = new RegExp(
  `\\b(?:insert\\s+into|(update)(?:\\s+only)?|(delete)\\s+from(?:\\s+only)?|merge\\s+into|(truncate)(?:\\s+table)?(?:\\s+only)?)\\s+${name}((?:\\s*,\\s*${anyName})*)`,
  'gi',
)
const nameInList = new RegExp(`,\\s*${name}`, 'g')
/** The assignments of an update, up to the next clause. */
const settings = /\bset\b([\s\S]*?)(?:\bfrom\b|\bwhere\b|\breturning\b|$)/i
const assigned = /(?:^|,)\s*(?:\w+\.)?"([^"]+)"\s*=/g

/** How a statement writes a table. */
export interface TableWrite {
  readonly table: string
  /** `delete` for truncations, too. */
  readonly verb: 'update' | 'delete' | 'other'
  /** The columns that an update sets; undefined where the text does not show them. */
  readonly columns?: readonly string[]
}

/**
 * The tables that a statement of our own writes, also inside `with`. Their names stand in quotes. Writes of
 * functions that the statement calls are not found. Cheap for statements that only read.
 */
export function tablesWritten(text: string): readonly TableWrite[] {
  if (!mayWrite(text)) return []
  const spoken = text.replace(unspoken, ' ')
  return [...spoken.matchAll(write)].flatMap((found): TableWrite[] => {
    const [whole, update, remove, truncate, first = '', others = ''] = found
    const verb = update ? 'update' : remove || truncate ? 'delete' : 'other'
    const columns = update ? columnsSet(spoken.slice(found.index + whole.length)) : undefined
    const tables = [
      first,
      ...(truncate ? [...others.matchAll(nameInList)].map(([, table = '']) => table) : []),
    ]
    return tables.map((table) => ({ table, verb, ...(columns && { columns }) }))
  })
}

/** False for a statement of our own that writes nothing, but for what functions write that it calls. */
export function mayWrite(text: string): boolean {
  return writingWord.test(text)
}

const writingWord = /\b(?:insert|update|delete|merge|truncate)\b/i

function columnsSet(rest: string): string[] | undefined {
  const list = settings.exec(rest)?.[1]
  if (list === undefined) return undefined
  // An assignment in parentheses sets no column, or a row whose columns are not found here.
  let flat = list
  for (let before = ''; before !== flat; ) {
    before = flat
    flat = flat.replace(/\([^()]*\)/g, '()')
  }
  if (/(?:^|,)\s*\(\)\s*=/.test(flat)) return undefined
  const columns = [...flat.matchAll(assigned)].map(([, column]) => column as string)
  return columns.length ? columns : undefined
}
