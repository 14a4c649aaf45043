import { Model } from 'sequelize-typescript'
import { expect, test } from 'vitest'
import { Column, DataType, Entity, OptionalColumn } from '../entities/entity.js'
import { BaseEntity, PlatformTimestamp } from '../entities/entity-bases.js'
import { modelSnapshot, sqlDefault, sqlType } from './model-snapshot.js'

@Entity('AppOwners', {
  watched: true,
  indexes: [{ attributes: ['name'], unique: true, where: '"IsActive"' }],
})
class Owner extends BaseEntity {
  @Column(DataType.STRING(64)) declare name: string
  @Column(DataType.BOOLEAN, { defaultValue: true }) declare isActive: boolean
}

@Entity('AppPets', { indexes: [{ attributes: ['ownerId', 'bornAt'] }] })
class Pet extends BaseEntity {
  @Column(DataType.UUID, { references: () => Owner }) declare ownerId: string
  @OptionalColumn(DataType.UUID, { references: () => Pet }) declare motherId: string | null
  @OptionalColumn(PlatformTimestamp) declare bornAt: Date | null
}

@Entity('AppPetTags')
// biome-ignore lint/suspicious/noExplicitAny: a model of all attributes
class PetTag extends Model<any, any> {
  @Column(DataType.UUID, { primaryKey: true, references: () => Pet }) declare petId: string
  @Column(DataType.STRING(32), { primaryKey: true }) declare tag: string
}

test('entities become tables with keys, references and indexes, sorted by name', () => {
  expect(modelSnapshot([PetTag, Pet, Owner])).toEqual({
    tables: [
      {
        name: 'AppOwners',
        columns: [
          { name: 'Id', type: 'uuid', nullable: false },
          { name: 'Name', type: 'varchar(64)', nullable: false },
          { name: 'IsActive', type: 'boolean', nullable: false, default: 'true' },
        ],
        primaryKey: { name: 'PK_AppOwners', columns: ['Id'] },
        foreignKeys: [],
        indexes: [{ name: 'IX_AppOwners_Name', columns: ['Name'], unique: true, where: '"IsActive"' }],
        watched: true,
        tellsAlways: true,
      },
      {
        name: 'AppPetTags',
        columns: [
          { name: 'PetId', type: 'uuid', nullable: false },
          { name: 'Tag', type: 'varchar(32)', nullable: false },
        ],
        primaryKey: { name: 'PK_AppPetTags', columns: ['PetId', 'Tag'] },
        foreignKeys: [
          {
            name: 'FK_AppPetTags_AppPets_PetId',
            column: 'PetId',
            principalTable: 'AppPets',
            principalColumn: 'Id',
            onDelete: 'cascade',
          },
        ],
        indexes: [],
        watched: false,
      },
      {
        name: 'AppPets',
        columns: [
          { name: 'Id', type: 'uuid', nullable: false },
          { name: 'OwnerId', type: 'uuid', nullable: false },
          { name: 'MotherId', type: 'uuid', nullable: true },
          { name: 'BornAt', type: 'timestamp without time zone', nullable: true },
        ],
        primaryKey: { name: 'PK_AppPets', columns: ['Id'] },
        foreignKeys: [
          {
            name: 'FK_AppPets_AppOwners_OwnerId',
            column: 'OwnerId',
            principalTable: 'AppOwners',
            principalColumn: 'Id',
            onDelete: 'cascade',
          },
          {
            name: 'FK_AppPets_AppPets_MotherId',
            column: 'MotherId',
            principalTable: 'AppPets',
            principalColumn: 'Id',
            onDelete: 'no action',
          },
        ],
        indexes: [{ name: 'IX_AppPets_OwnerId_BornAt', columns: ['OwnerId', 'BornAt'], unique: false }],
        watched: false,
      },
    ],
  })
})

test('a name longer than 63 characters is cut and marked as EF Core does', () => {
  @Entity('AbpAuditLogActions', {
    indexes: [{ attributes: ['tenantId', 'serviceName', 'methodName', 'executionTime'] }],
  })
  class Action extends BaseEntity {
    @OptionalColumn(DataType.UUID) declare tenantId: string | null
    @OptionalColumn(DataType.STRING(256)) declare serviceName: string | null
    @OptionalColumn(DataType.STRING(128)) declare methodName: string | null
    @Column(PlatformTimestamp) declare executionTime: Date
  }
  expect(modelSnapshot([Action]).tables[0]?.indexes[0]?.name).toBe(
    'IX_AbpAuditLogActions_TenantId_ServiceName_MethodName_Executio~',
  )
})

test('an index may carry columns, be sorted by an expression and be of another kind, and rows may be checked', () => {
  @Entity('AppOrders', {
    indexes: [
      { attributes: ['code'], include: ['total'] },
      { attributes: [{ sql: 'lower("Code")' }, 'total'], name: 'LowerCode', unique: true },
      { attributes: ['labels'], method: 'gin' },
    ],
    checks: { Total: '"Total" >= 0' },
  })
  class Order extends BaseEntity {
    @Column(DataType.STRING(20)) declare code: string
    @Column(DataType.INTEGER) declare total: number
    @Column(DataType.JSONB) declare labels: string[]
  }
  const { indexes, checks } = modelSnapshot([Order]).tables[0] ?? {}
  expect({ indexes, checks }).toEqual({
    indexes: [
      { name: 'IX_AppOrders_Code', columns: ['Code'], unique: false, include: ['Total'] },
      {
        name: 'IX_AppOrders_LowerCode',
        columns: [{ sql: 'lower("Code")' }, 'Total'],
        unique: true,
      },
      { name: 'IX_AppOrders_Labels', columns: ['Labels'], unique: false, method: 'gin' },
    ],
    checks: [{ name: 'CK_AppOrders_Total', condition: '"Total" >= 0' }],
  })
})

test('an index over an expression without a name is refused', () => {
  @Entity('AppLetters', { indexes: [{ attributes: [{ sql: 'lower("Text")' }] }] })
  class Letter extends BaseEntity {
    @Column(DataType.TEXT) declare text: string
  }
  expect(() => modelSnapshot([Letter])).toThrow(
    'An index of Letter is sorted by an expression: give it a name',
  )
})

test('two indexes that would get the same name are refused', () => {
  @Entity('AppToys', { indexes: [{ attributes: ['name'] }, { attributes: ['name'], unique: true }] })
  class Toy extends BaseEntity {
    @Column(DataType.STRING(64)) declare name: string
  }
  expect(() => modelSnapshot([Toy])).toThrow('IX_AppToys_Name is asked for twice: by AppToys and by AppToys')
})

test.each([
  [DataType.UUID, 'uuid'],
  [DataType.STRING, 'varchar(255)'],
  [DataType.STRING(40), 'varchar(40)'],
  [DataType.CHAR(5), 'char(5)'],
  [DataType.TEXT, 'text'],
  [DataType.BOOLEAN, 'boolean'],
  [DataType.SMALLINT, 'smallint'],
  [DataType.INTEGER, 'integer'],
  [DataType.BIGINT, 'bigint'],
  [DataType.DOUBLE, 'double precision'],
  [DataType.DECIMAL, 'numeric'],
  [DataType.DECIMAL(18, 4), 'numeric(18,4)'],
  [DataType.DATE, 'timestamp with time zone'],
  [DataType.DATEONLY, 'date'],
  [DataType.JSONB, 'jsonb'],
  [DataType.BLOB, 'bytea'],
  [DataType.ARRAY(DataType.STRING(3)), 'varchar(3)[]'],
  ['TIMESTAMP', 'timestamp without time zone'],
  ['TIMESTAMPTZ', 'timestamp with time zone'],
  ['TSVECTOR', 'tsvector'],
])('%o is stored as %s', (type, expected) => {
  expect(sqlType(type, 'T.C')).toBe(expected)
})

test('a type without a counterpart is refused with its column', () => {
  expect(() => sqlType(DataType.VIRTUAL, 'AppPets.Age')).toThrow('AppPets.Age has the type VIRTUAL')
})

test.each([
  [false, 'false'],
  [15, '15'],
  ["it's", "'it''s'"],
  [{}, "'{}'"],
  [['a'], `'["a"]'`],
  [() => 'made in the program', undefined],
  [null, undefined],
])('the default %o is %s in SQL', (value, expected) => {
  expect(sqlDefault(value, 'T.C')).toBe(expected)
})
