import { expect, test } from 'vitest'
import { createNotifyFunction, migrationSql } from './migration-sql.js'
import type { ColumnSnapshot, ForeignKeySnapshot, ModelSnapshot, TableSnapshot } from './model-snapshot.js'

const id: ColumnSnapshot = { name: 'Id', type: 'uuid', nullable: false }
const none: ModelSnapshot = { tables: [] }

function table(name: string, rest: Partial<TableSnapshot> = {}): TableSnapshot {
  return {
    name,
    columns: [id],
    primaryKey: { name: `PK_${name}`, columns: ['Id'] },
    foreignKeys: [],
    indexes: [],
    watched: false,
    ...rest,
  }
}

function reference(from: string, column: string, to: string): ForeignKeySnapshot {
  const name = `FK_${from}_${to}_${column}`
  return { name, column, principalTable: to, principalColumn: 'Id', onDelete: 'cascade' }
}

const pets = table('AppPets', {
  columns: [id, { name: 'OwnerId', type: 'uuid', nullable: false }],
  foreignKeys: [reference('AppPets', 'OwnerId', 'AppOwners')],
  indexes: [
    { name: 'IX_AppPets_OwnerId', columns: ['OwnerId'], unique: true, where: '"OwnerId" is not null' },
  ],
})

test('tables are made in the order their references ask for, with keys, indexes and the change trigger', () => {
  expect(
    migrationSql(none, {
      tables: [pets, table('AppOwners', { watched: true, tellsAlways: true })].toReversed(),
    }),
  ).toBe(
    `${createNotifyFunction}

create table "AppOwners" (
  "Id" uuid not null,
  constraint "PK_AppOwners" primary key ("Id")
);
create or replace trigger "TR_AppOwners_NotifyChange" after insert or update or delete or truncate on "AppOwners"
  for each statement execute function keel_notify_change();
alter table "AppOwners" enable always trigger "TR_AppOwners_NotifyChange";

create table "AppPets" (
  "Id" uuid not null,
  "OwnerId" uuid not null,
  constraint "PK_AppPets" primary key ("Id"),
  constraint "FK_AppPets_AppOwners_OwnerId" foreign key ("OwnerId") references "AppOwners" ("Id") on delete cascade
);
create unique index "IX_AppPets_OwnerId" on "AppPets" ("OwnerId") where "OwnerId" is not null;`,
  )
})

test('an index whose nulls are alike says so', () => {
  const index = { name: 'IX_T_C', columns: ['C'], unique: true, nullsNotDistinct: true }
  const before = table('T')
  const after = table('T', { indexes: [index] })
  expect(migrationSql({ tables: [before] }, { tables: [after] })).toBe(
    `create unique index "IX_T_C" on "T" ("C") nulls not distinct;`,
  )
})

test('a change trigger of an earlier release is replaced without keeping readers out, also on the way back', () => {
  const before = { tables: [table('T', { watched: false, tellsDeletes: true })] }
  const after = { tables: [table('T', { watched: false, tellsDeletes: true, tellsAlways: true })] }
  expect(
    migrationSql(before, after),
  ).toBe(`create or replace trigger "TR_T_NotifyChange" after delete or truncate on "T"
  for each statement execute function keel_notify_change();
alter table "T" enable always trigger "TR_T_NotifyChange";`)
  expect(migrationSql(after, before)).toBe(`create or replace trigger "TR_T_NotifyChange" after delete on "T"
  for each statement execute function keel_notify_change();`)
})

test('a change trigger that names columns goes before they change', () => {
  const watching = (type: string, tellsAlways: boolean) => ({
    tables: [
      table('T', {
        columns: [id, { name: 'C', type, nullable: true }],
        watched: true,
        watchedColumns: ['C'],
        ...(tellsAlways && { tellsAlways }),
      }),
    ],
  })
  expect(migrationSql(watching('integer', false), watching('bigint', true)).split('\n\n')).toEqual([
    'drop trigger "TR_T_NotifyChange" on "T";',
    expect.stringContaining('alter table'),
    expect.stringContaining('create or replace trigger'),
  ])
})

test('going back drops tables against the order of their references', () => {
  expect(migrationSql({ tables: [table('AppOwners', { watched: true }), pets] }, none)).toBe(
    `drop table "AppPets";
drop table "AppOwners";

drop function keel_notify_change();
drop table "KeelTableVersions";`,
  )
})

test('tables that refer to each other get the forward reference when both stand, and lose it first', () => {
  const chicken = table('A', {
    columns: [id, { name: 'EggId', type: 'uuid', nullable: false }],
    foreignKeys: [reference('A', 'EggId', 'B')],
  })
  const egg = table('B', {
    columns: [id, { name: 'HenId', type: 'uuid', nullable: false }],
    foreignKeys: [reference('B', 'HenId', 'A')],
  })
  const forward =
    'alter table "B" add constraint "FK_B_A_HenId" foreign key ("HenId") references "A" ("Id") on delete cascade;'
  expect(
    migrationSql(none, { tables: [chicken, egg] })
      .split('\n\n')
      .at(-1),
  ).toBe(forward)
  expect(migrationSql({ tables: [chicken, egg] }, none)).toBe(
    'alter table "B" drop constraint "FK_B_A_HenId";\n\ndrop table "A";\ndrop table "B";',
  )
})

const named = (name: Partial<ColumnSnapshot>): ModelSnapshot => ({
  tables: [table('T', { columns: [id, { name: 'C', type: 'varchar(10)', nullable: true, ...name }] })],
})

test.each<[string, Partial<ColumnSnapshot>, Partial<ColumnSnapshot>, string]>([
  ['a wider text', {}, { type: 'varchar(20)' }, 'alter table "T" alter column "C" type varchar(20);'],
  [
    'another kind of value',
    {},
    { type: 'integer' },
    'alter table "T" alter column "C" type integer using "C"::integer;',
  ],
  [
    'another kind of value with a default',
    { default: "'1'" },
    { type: 'integer', default: '1' },
    `alter table "T" alter column "C" drop default;
alter table "T" alter column "C" type integer using "C"::integer;
alter table "T" alter column "C" set default 1;`,
  ],
  [
    'required with a default',
    {},
    { nullable: false, default: "''" },
    `alter table "T" alter column "C" set default '';
update "T" set "C" = default where "C" is null;
alter table "T" alter column "C" set not null;`,
  ],
  [
    'required without a default',
    {},
    { nullable: false },
    `-- Fails when rows have no C: fill them first.
alter table "T" alter column "C" set not null;`,
  ],
  ['optional', { nullable: false }, {}, 'alter table "T" alter column "C" drop not null;'],
])('a column becomes %s', (_, from, to, expected) => {
  expect(migrationSql(named(from), named(to))).toBe(expected)
})

test('a required column without a default is added with a warning', () => {
  expect(migrationSql({ tables: [table('T')] }, named({ nullable: false }))).toBe(
    `-- Fails when T has rows: they need a value. Add the column without "not null", fill it, then set it.
alter table "T" add column "C" varchar(10) not null;`,
  )
})

test('a key that changes is dropped after and made before the references that lean on it', () => {
  const before = table('T', { indexes: [{ name: 'IX_T_C', columns: ['C'], unique: false }] })
  const after = table('T', {
    columns: [id, { name: 'C', type: 'uuid', nullable: false, default: "'0'" }],
    primaryKey: { name: 'PK_T', columns: ['Id', 'C'] },
    foreignKeys: [reference('T', 'C', 'U')],
  })
  expect(migrationSql({ tables: [before] }, { tables: [after] })).toBe(
    `drop index "IX_T_C";
alter table "T" drop constraint "PK_T";

alter table "T" add column "C" uuid not null default '0';

alter table "T" add constraint "PK_T" primary key ("Id", "C");
alter table "T" add constraint "FK_T_U_C" foreign key ("C") references "U" ("Id") on delete cascade;`,
  )
})
