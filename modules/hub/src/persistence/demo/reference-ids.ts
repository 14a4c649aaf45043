import { type CodeEntityType, codeEntities } from '../reference/code-entities.js'
import { type PortRow, ports } from '../reference/ports.js'

// Looked up by the million, hence maps: computing a named id costs a hash.
const portsByCode = new Map(ports.map((port) => [port.unLocode, port]))
const codeIds = new Map<string, Map<string, string>>()
for (const { type, code, id } of codeEntities)
  codeIds.set(type, (codeIds.get(type) ?? new Map()).set(code, id))

export function portOf(unLocode: string): PortRow {
  const port = portsByCode.get(unLocode)
  if (!port) throw new Error(`${unLocode} is not a curated port`)
  return port
}

export function portIdOf(unLocode: string): string {
  return portOf(unLocode).id
}

export function codeIdOf(type: CodeEntityType, code: string): string {
  const id = codeIds.get(type)?.get(code)
  if (!id) throw new Error(`${code} is not a ${type}`)
  return id
}
