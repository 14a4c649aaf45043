import {
  type ColumnSnapshot,
  compareModels,
  describeChange,
  type ModelSnapshot,
  migrationSql,
  type TableSnapshot,
  undoRenames,
} from '@keel/framework/data'
import { expect, test } from 'vitest'
import { possibleRenames, readRenames } from './renames.js'

const id: ColumnSnapshot = { name: 'Id', type: 'uuid', nullable: false }
const name: ColumnSnapshot = { name: 'Name', type: 'varchar(64)', nullable: false }

function pets(table: string, column: string): ModelSnapshot {
  const animals: TableSnapshot = {
    name: table,
    columns: [id, { ...name, name: column }, { name: 'MotherId', type: 'uuid', nullable: true }],
    primaryKey: { name: `PK_${table}`, columns: ['Id'] },
    foreignKeys: [
      {
        name: `FK_${table}_${table}_MotherId`,
        column: 'MotherId',
        principalTable: table,
        principalColumn: 'Id',
        onDelete: 'no action',
      },
    ],
    indexes: [
      { name: `IX_${table}_${column}`, columns: [column], unique: true, where: `"${column}" <> ''` },
      {
        name: `IX_${table}_Lower`,
        columns: [{ sql: `lower("${column}")` }],
        include: [column],
        unique: false,
      },
    ],
    checks: [{ name: `CK_${table}_Named`, condition: `length("${column}") > 1` }],
    watched: true,
    watchedColumns: ['Id', column],
  }
  return { tables: [animals] }
}

const before = pets('AppPets', 'Name')

test('a column under another name keeps its values, and what hangs on it is renamed with it', () => {
  const after = pets('AppPets', 'Title')
  const renames = readRenames(['AppPets.Name=Title'], before, after)
  expect(migrationSql(before, after, renames)).toBe(`alter table "AppPets" rename column "Name" to "Title";

alter index "IX_AppPets_Name" rename to "IX_AppPets_Title";`)
  expect(compareModels(before, after, renames).map(describeChange)).toEqual([
    'AppPets.Name: renamed → AppPets.Title',
    'AppPets.IX_AppPets_Name: renamed → IX_AppPets_Title',
  ])
})

test('a table under another name keeps its rows, keys and indexes, and the way back undoes it', () => {
  const after = pets('AppAnimals', 'Title')
  const renames = readRenames(['AppAnimals.Name=Title', 'AppPets=AppAnimals'], before, after)
  expect(renames).toEqual([
    { from: 'AppPets', to: 'AppAnimals' },
    { from: 'AppPets.Name', to: 'AppAnimals.Title' },
  ])
  expect(migrationSql(before, after, renames)).toBe(`alter table "AppPets" rename to "AppAnimals";
alter trigger "TR_AppPets_NotifyChange" on "AppAnimals" rename to "TR_AppAnimals_NotifyChange";
alter table "AppAnimals" rename column "Name" to "Title";

alter table "AppAnimals" rename constraint "PK_AppPets" to "PK_AppAnimals";
alter table "AppAnimals" rename constraint "FK_AppPets_AppPets_MotherId" to "FK_AppAnimals_AppAnimals_MotherId";
alter index "IX_AppPets_Name" rename to "IX_AppAnimals_Title";
alter index "IX_AppPets_Lower" rename to "IX_AppAnimals_Lower";
alter table "AppAnimals" rename constraint "CK_AppPets_Named" to "CK_AppAnimals_Named";`)
  expect(migrationSql(after, before, undoRenames(renames)).split('\n').slice(0, 2)).toEqual([
    'alter table "AppAnimals" rename to "AppPets";',
    'alter trigger "TR_AppAnimals_NotifyChange" on "AppPets" rename to "TR_AppPets_NotifyChange";',
  ])
})

test('what looks like a rename is told, and nothing else is', () => {
  expect(possibleRenames(before, pets('AppPets', 'Title'))).toEqual([
    { from: 'AppPets.Name', to: 'AppPets.Title' },
  ])
  expect(possibleRenames(before, pets('AppAnimals', 'Name'))).toEqual([{ from: 'AppPets', to: 'AppAnimals' }])
  expect(possibleRenames(before, before)).toEqual([])
  expect(possibleRenames(before, { tables: [] })).toEqual([])
})

test.each([
  ['AppPets.Name', '--rename AppPets.Name is not Table.Old=New'],
  ['AppPets.Nome=Title', 'the snapshot has no AppPets.Nome'],
  ['AppPets.Id=Title', 'the model still has AppPets.Id'],
  ['AppPets.Name=Titel', 'the model has no AppPets.Titel'],
])('--rename %s is refused: %s', (text, reason) => {
  expect(() => readRenames([text], before, pets('AppPets', 'Title'))).toThrow(reason)
})
