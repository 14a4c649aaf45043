import { Configuration, type Constructor, createApplication, type KeelModule } from '@keel/framework'
import {
  BaseEntity,
  Column,
  compareScripts,
  createDatabase,
  DataType,
  dropDatabase,
  Entity,
  type EntityClass,
  modelSnapshot,
  OptionalColumn,
  ReferenceEntity,
  readSchemaScripts,
  type ScriptDifferences,
} from '@keel/framework/data'
import { HubModule } from '@keel/hub'
import { PricingModule } from '@keel/pricing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { directServer } from '../support/test-databases.js'

const name = `keel_test_schema_scripts_${process.pid}`
beforeAll(async () => {
  await dropDatabase(directServer, name)
  await createDatabase(directServer, name)
})
afterAll(() => dropDatabase(directServer, name))

test.each([
  ['Hub', HubModule],
  ['Pricing', PricingModule],
] as const)('the schema scripts of %s make the tables that its entity classes declare', async (_, module) => {
  expect((await differencesOf(module)).told).toEqual([])
})

@Entity('HubCodeEntities', {
  indexes: [
    { attributes: ['type', 'code'], unique: true },
    { attributes: ['type', { attribute: 'sortOrder', order: 'desc' }] },
  ],
  checks: { SortOrder: '"SortOrder" between 0 and 99' },
})
class ChangedCodeEntity extends ReferenceEntity {
  @Column(DataType.STRING(30)) declare type: string
  @Column(DataType.STRING(25)) declare code: string
  @OptionalColumn(DataType.STRING(100)) declare name: string | null
  @OptionalColumn(DataType.STRING(500)) declare description: string | null
  @OptionalColumn(DataType.STRING(20)) declare shortCode: string | null
  @Column(DataType.INTEGER, { defaultValue: 1 }) declare sortOrder: number
  @OptionalColumn(DataType.JSONB) declare attributes: Record<string, unknown> | null
  @Column(DataType.JSONB, { defaultValue: {} }) declare extraProperties: Record<string, unknown>
}

@Entity('HubWarehouses', { indexes: [{ attributes: ['kindId'] }] })
class Warehouse extends BaseEntity {
  @Column(DataType.UUID, { references: () => ChangedCodeEntity, onDelete: 'no action' })
  declare kindId: string
}

test('every difference between scripts and entity classes is told in a sentence, and leads to SQL in the words of the class', async () => {
  const others = entitiesOf(HubModule).filter((entity) => entity.name !== 'CodeEntity')
  const { told, sql } = await differencesOf(HubModule, [...others, ChangedCodeEntity, Warehouse])
  expect(told).toEqual([
    'HubCodeEntities.Code is varchar(20) not null, but the entity class declares varchar(25) not null.',
    'HubCodeEntities.Name is varchar(100) not null, but the entity class declares varchar(100).',
    'No entity class declares the column StandardCode of HubCodeEntities (varchar(20)).',
    'HubCodeEntities.SortOrder is integer not null default 0, but the entity class declares integer not null default 1.',
    'HubCodeEntities lacks the column ShortCode (varchar(20)).',
    'No entity class declares the index IX_HubCodeEntities_Type_SortOrder of HubCodeEntities: index ("Type", "SortOrder").',
    'No entity class declares the trigger TR_HubCodeEntities_NotifyChange of HubCodeEntities: change trigger.',
    'HubCodeEntities lacks the index IX_HubCodeEntities_Type_SortOrder: index ("Type", "SortOrder" desc).',
    'HubCodeEntities lacks the check CK_HubCodeEntities_SortOrder: check ("SortOrder" >= 0 AND "SortOrder" <= 99).',
    'The table HubWarehouses is missing.',
  ])
  expect(sql).toContain(
    'alter table "HubCodeEntities" add constraint "CK_HubCodeEntities_SortOrder" check ("SortOrder" between 0 and 99);',
  )
})

function entitiesOf(module: Constructor<KeelModule>): readonly EntityClass[] {
  return (optionsOf(module).entities ?? []) as readonly EntityClass[]
}

function optionsOf(module: Constructor<KeelModule>) {
  const { modules } = createApplication(module, new Configuration('Development'))
  const { options } = modules.find(({ type }) => type === module) ?? {}
  return options ?? expect.fail(`${module.name} is no module`)
}

async function differencesOf(
  module: Constructor<KeelModule>,
  entities = entitiesOf(module),
): Promise<ScriptDifferences> {
  const { schema } = optionsOf(module)
  const session = new pg.Client({ connectionString: directServer.urlOf(name) })
  await session.connect()
  try {
    return await compareScripts(session, {
      scripts: readSchemaScripts(schema ?? expect.fail(`${module.name} has no scripts`)),
      model: modelSnapshot(entities),
    })
  } finally {
    await session.end()
  }
}
