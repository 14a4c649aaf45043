import { afterAll, beforeAll, expect, test } from 'vitest'
import { MigratedDatabase } from './migrator-process.js'

let database: MigratedDatabase
beforeAll(async () => {
  database = await MigratedDatabase.create('keel_test_drift')
  expect(await database.migrate()).toMatchObject({ code: 0 })
}, 120_000)
afterAll(() => database.drop())

test('a database that was just migrated does not drift', async () => {
  expect(await database.migrate(['drift'])).toEqual({
    code: 0,
    stdout: '-- The database is as the model asks.\n',
    stderr: '',
  })
})

test('what somebody changed by hand is told with its place, and the SQL that is printed undoes it', async () => {
  await database.query(`
    alter table "AbpClaimTypes" alter column "Description" type varchar(100);
    alter table "AbpUsers" add column "Shoes" integer;
    alter table "AbpRoles" alter column "IsDefault" drop not null;
    alter table "AbpSettings" drop column "ProviderKey" cascade;
    drop index "IX_AbpUsers_NormalizedUserName";
    drop trigger "TR_AbpUserRoles_NotifyChange" on "AbpUserRoles";
    alter table "AbpUserClaims" drop constraint "FK_AbpUserClaims_AbpUsers_UserId";
    create or replace function keel_notify_change() returns trigger language plpgsql as $$ begin return null; end $$;
    create table "ErpInvoices" ("Id" integer primary key);
    alter table "AbpClaimTypes" add constraint "Somebodys" unique ("Regex")`)
  const [drift] = await database.migrateJson(['drift'])
  expect(drift).toMatchObject({
    step: 'drift',
    message: 'The database differs from the model in 9 places',
    differences: [
      'AbpClaimTypes.Description: varchar(100) → varchar(256)',
      'AbpRoles.IsDefault: boolean → boolean not null',
      'AbpSettings.ProviderKey: no column → varchar(64)',
      expect.stringMatching(
        /^AbpSettings.IX_AbpSettings_Name_ProviderName_ProviderKey: none → unique index \("Name", "ProviderName", "ProviderKey"\)/,
      ),
      expect.stringMatching(
        /^AbpUserClaims.FK_AbpUserClaims_AbpUsers_UserId: none → foreign key \("UserId"\) references "AbpUsers"/,
      ),
      'AbpUserRoles.TR_AbpUserRoles_NotifyChange: none → change trigger',
      'AbpUsers.Shoes: integer → no column',
      'AbpUsers.IX_AbpUsers_NormalizedUserName: none → index ("NormalizedUserName")',
      'keel_notify_change(): another body',
    ],
    otherTables: ['ErpInvoices'],
    others: ['AbpClaimTypes.Somebodys: UNIQUE ("Regex")'],
  })
  const { code, stdout, stderr } = await database.migrate(['drift'])
  expect({ code, stderr }).toEqual({
    code: 20,
    stderr: expect.stringContaining('The database differs from the model in 9 places'),
  })
  await database.query(stdout)
  expect(await database.migrate(['drift'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('-- Tables that are not ours: ErpInvoices'),
  })
})

test('a change trigger that was disabled, or that replication or truncation passes by, is told and mended', async () => {
  await database.query(`
    alter table "AbpUserRoles" disable trigger "TR_AbpUserRoles_NotifyChange";
    alter table "AbpSessions" enable trigger "TR_AbpSessions_NotifyChange";
    create or replace trigger "TR_AbpRoles_NotifyChange" after insert or update or delete on "AbpRoles"
      for each statement execute function keel_notify_change();
    alter table "AbpRoles" enable always trigger "TR_AbpRoles_NotifyChange"`)
  const [drift] = await database.migrateJson(['drift'])
  expect(drift?.differences).toEqual([
    'AbpRoles.TR_AbpRoles_NotifyChange: change trigger, not always → none',
    'AbpRoles.TR_AbpRoles_NotifyChange: none → change trigger',
    'AbpSessions.TR_AbpSessions_NotifyChange: change trigger (deletes), not always → none',
    'AbpSessions.TR_AbpSessions_NotifyChange: none → change trigger (deletes)',
    'AbpUserRoles.TR_AbpUserRoles_NotifyChange: change trigger, not always → none',
    'AbpUserRoles.TR_AbpUserRoles_NotifyChange: none → change trigger',
  ])
  await database.query((await database.migrate(['drift'])).stdout)
  expect(await database.migrate(['drift'])).toMatchObject({ code: 0 })
})

test('a database without any of our tables drifts in all of them, and is written from what is printed', async () => {
  await database.clear()
  const { code, stdout } = await database.migrate(['drift'])
  expect(code).toBe(20)
  await database.query(stdout)
  expect(await database.migrate(['drift'])).toMatchObject({ code: 0 })
})
