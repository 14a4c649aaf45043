import { expect, test } from 'vitest'
import { compareModels, describeChange } from './model-diff.js'
import type { ColumnSnapshot, ModelSnapshot, TableSnapshot } from './model-snapshot.js'

const id: ColumnSnapshot = { name: 'Id', type: 'uuid', nullable: false }

function pets(changes: Partial<TableSnapshot> = {}): ModelSnapshot {
  const table: TableSnapshot = {
    name: 'AppPets',
    columns: [id, { name: 'Name', type: 'varchar(64)', nullable: false }],
    primaryKey: { name: 'PK_AppPets', columns: ['Id'] },
    foreignKeys: [],
    indexes: [{ name: 'IX_AppPets_Name', columns: ['Name'], unique: false }],
    watched: false,
    ...changes,
  }
  return { tables: [table] }
}

const differences = (from: ModelSnapshot, to: ModelSnapshot): string[] =>
  compareModels(from, to).map(describeChange)

test('a model does not differ from itself, nor from its copy in JSON', () => {
  expect(differences(pets(), pets())).toEqual([])
  expect(differences(pets(), JSON.parse(JSON.stringify(pets())) as ModelSnapshot)).toEqual([])
})

test('the order of columns is not a difference', () => {
  const [table] = pets().tables as [TableSnapshot]
  expect(differences(pets(), pets({ columns: table.columns.toReversed() }))).toEqual([])
})

test('a column that changed is told with its table, what it was and what it is to be', () => {
  const wider: ColumnSnapshot = { name: 'Name', type: 'varchar(128)', nullable: true, default: "'Rex'" }
  expect(differences(pets(), pets({ columns: [id, wider] }))).toEqual([
    "AppPets.Name: varchar(64) not null → varchar(128) default 'Rex'",
  ])
})

test('columns come and go', () => {
  const born: ColumnSnapshot = { name: 'Born', type: 'date', nullable: true }
  expect(differences(pets(), pets({ columns: [id, born] }))).toEqual([
    'AppPets.Name: varchar(64) not null → no column',
    'AppPets.Born: no column → date',
  ])
})

test('tables come and go', () => {
  expect(differences({ tables: [] }, pets())).toEqual(['AppPets: no table → 2 columns'])
  expect(differences(pets(), { tables: [] })).toEqual(['AppPets: 2 columns → no table'])
})

test('an index that changed under its name is dropped and made anew', () => {
  const partial = { name: 'IX_AppPets_Name', columns: ['Name'], unique: true, where: '"Name" <> \'\'' }
  expect(differences(pets(), pets({ indexes: [partial] }))).toEqual([
    'AppPets.IX_AppPets_Name: index ("Name") → none',
    `AppPets.IX_AppPets_Name: none → unique index ("Name") where "Name" <> ''`,
  ])
})

test('watching a table is a difference', () => {
  expect(differences(pets(), pets({ watched: true, tellsAlways: true }))).toEqual([
    'AppPets.TR_AppPets_NotifyChange: none → change trigger',
  ])
})

test('a change trigger that truncation or replication passes by is another one', () => {
  expect(differences(pets({ watched: true }), pets({ watched: true, tellsAlways: true }))).toEqual([
    'AppPets.TR_AppPets_NotifyChange: change trigger, not always → none',
    'AppPets.TR_AppPets_NotifyChange: none → change trigger',
  ])
})
