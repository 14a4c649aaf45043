import type { ModelSnapshot, Rename } from '@keel/framework/data'
import { Refusal } from './exit-codes.js'

/**
 * Renames as they are asked for: `AppPets=AppAnimals` for a table, `AppPets.Name=Title` for a column of it (under either name of the table).
 * Throws for one that does not lead from what only the old model has to what only the new one has.
 */
export function readRenames(texts: readonly string[], from: ModelSnapshot, to: ModelSnapshot): Rename[] {
  const words = texts.map((text) => {
    const [, table, column, target] = /^([^.=]+)(?:\.([^.=]+))?=(?:[^.=]+\.)?([^.=]+)$/.exec(text) ?? []
    if (!table || !target)
      throw new Refusal(
        'scaffoldRefused',
        `--rename ${text} is not Table.Old=New for a column, or Old=New for a table`,
      )
    return { table, column, target }
  })
  const tables = words.filter(({ column }) => column === undefined)
  const renames = words.map(({ table, column, target }): Rename => {
    if (column === undefined) return { from: table, to: target }
    const moved = tables.find((other) => other.table === table || other.target === table)
    return { from: `${moved?.table ?? table}.${column}`, to: `${moved?.target ?? table}.${target}` }
  })
  for (const rename of renames) refuseUnknown(rename, from, to)
  // Tables first: their columns are renamed under the new name.
  return renames.sort((a, b) => Number(a.from.includes('.')) - Number(b.from.includes('.')))
}

function refuseUnknown(rename: Rename, from: ModelSnapshot, to: ModelSnapshot): void {
  const old = pathsOf(from)
  const current = pathsOf(to)
  const fault = [
    !old.has(rename.from) && `the snapshot has no ${rename.from}`,
    current.has(rename.from) && `the model still has ${rename.from}`,
    !current.has(rename.to) && `the model has no ${rename.to}`,
    old.has(rename.to) && `the snapshot has ${rename.to} already`,
  ].find((text) => text !== false)
  if (fault) throw new Refusal('scaffoldRefused', `${rename.from} can't be renamed to ${rename.to}: ${fault}`)
}

const pathsOf = ({ tables }: ModelSnapshot): Set<string> =>
  new Set(tables.flatMap(({ name, columns }) => [name, ...columns.map((column) => `${name}.${column.name}`)]))

/**
 * Possible renames: pairs of a removed and an added table or column of the same kind. Only a person can
 * decide about them.
 */
export function possibleRenames(from: ModelSnapshot, to: ModelSnapshot): Rename[] {
  return [...possibleTables(from, to), ...possibleColumns(from, to)]
}

function possibleTables(from: ModelSnapshot, to: ModelSnapshot): Rename[] {
  const gone = from.tables.filter(({ name }) => !to.tables.some((table) => table.name === name))
  const come = to.tables.filter(({ name }) => !from.tables.some((table) => table.name === name))
  return pairUp(gone, come, (old, current) => {
    const same = old.columns.filter(({ name, type }) =>
      current.columns.some((column) => column.name === name && column.type === type),
    )
    // One column, the id, is common to all.
    return same.length > 1 && same.length * 2 >= Math.max(old.columns.length, current.columns.length)
  })
}

function possibleColumns(from: ModelSnapshot, to: ModelSnapshot): Rename[] {
  return from.tables.flatMap((old) => {
    const current = to.tables.find(({ name }) => name === old.name)
    if (!current) return []
    const gone = old.columns.filter(({ name }) => !current.columns.some((column) => column.name === name))
    const come = current.columns.filter(({ name }) => !old.columns.some((column) => column.name === name))
    return pairUp(gone, come, (before, after) => before.type === after.type).map((pair) => ({
      from: `${old.name}.${pair.from}`,
      to: `${old.name}.${pair.to}`,
    }))
  })
}

/** Every one of `gone` with the first of `come` that is like it and not taken. */
function pairUp<T extends { readonly name: string }>(
  gone: readonly T[],
  come: readonly T[],
  isLike: (old: T, current: T) => boolean,
): Rename[] {
  const free = [...come]
  return gone.flatMap((old) => {
    const found = free.find((current) => isLike(old, current))
    if (!found) return []
    free.splice(free.indexOf(found), 1)
    return [{ from: old.name, to: found.name }]
  })
}

/** A rename as the command line takes it. */
export const renameSwitch = ({ from, to }: Rename): string => `${from}=${to.split('.').at(-1)}`

/** A comment for the SQL that would lose values, where the change may be a rename. */
export const renameFlag = (rename: Rename): string =>
  `-- Is ${rename.to} what ${rename.from} was? Then this loses its values: write it again with --rename ${renameSwitch(rename)}.`
