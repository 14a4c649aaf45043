import { expect, test } from 'vitest'
import { Dto, decimal, ownFields, secret, z } from '../../contracts/index.js'
import { Column, DataType, Entity, OptionalColumn } from '../../data/entities/entity.js'
import { BaseEntity, FullyAuditedEntity } from '../../data/entities/entity-bases.js'
import { type EntitySetDeclaration, entitySet } from '../../data/entities/entity-set.js'
import { EntityModel } from './entity-model.js'

enum Size {
  Small = 0,
  Large = 1,
}

@Entity('Boxes')
class Box extends BaseEntity {
  @Column(DataType.STRING(20)) declare label: string
  @Column(DataType.SMALLINT, { enumeration: { Size } }) declare size: Size
  @Column(DataType.JSONB) declare extraProperties: object
  @Column(DataType.STRING) declare secretHash: string
  @Column(DataType.STRING) declare pin: string
  @Column(DataType.STRING) declare note: string
}

@Entity('Things')
class Thing extends FullyAuditedEntity {
  @OptionalColumn(DataType.UUID, { references: () => Box }) declare boxId: string | null
  @OptionalColumn(DataType.DECIMAL(18, 2)) declare price: string | null
}

class BoxDto extends Dto({
  label: z.string(),
  size: z.int(),
  extraProperties: ownFields('Test.Box'),
  // What a DTO takes in, or shows blank, is no reason to publish a secret.
  secretHash: z.string(),
  pin: secret(z.string()),
  isHeavy: z.boolean(),
}) {}
class ThingDto extends Dto({ box: BoxDto.schema.nullish(), price: decimal(18, 2).nullish() }) {}

const boxes = entitySet('Boxes', Box, 'Box.View', {
  dto: BoxDto,
  collections: { things: { entity: () => Thing, by: 'boxId' } },
})
const things = entitySet('Things', Thing, 'Thing.View', { dto: ThingDto, also: ['creationTime'] })
const modelOf = (...odata: EntitySetDeclaration[]) => new EntityModel([{ name: 'Test', options: { odata } }])

test('a set publishes its key, what the DTO declares, and what it names besides', () => {
  const { sets } = modelOf(boxes, things)
  expect([...(sets.get('Boxes')?.type.properties.keys() ?? [])]).toEqual(['Id', 'Label', 'Size'])
  expect([...(sets.get('Boxes')?.type.navigations.keys() ?? [])]).toEqual(['Things'])
  expect([...(sets.get('Things')?.type.properties.keys() ?? [])]).toEqual([
    'Id',
    'CreationTime',
    'BoxId',
    'Price',
  ])
})

test('a host leaves out sets and what leads to them, and no set that there is not', () => {
  const modules = [{ name: 'Test', options: { odata: [boxes, things] } }]
  const { sets } = new EntityModel(modules, ['Boxes'])
  expect([...sets.keys()]).toEqual(['Things'])
  expect([...(sets.get('Things')?.type.navigations.keys() ?? [])]).toEqual([])
  expect(() => new EntityModel(modules, ['Bowes'])).toThrow(
    'OData:UnservedSets names Bowes, which no module of this host publishes. There are Boxes, Things.',
  )
})

test('a set that names neither a DTO nor attributes stops the start', () => {
  expect(() => modelOf(entitySet('Boxes', Box, 'Box.View', {}))).toThrow('publishes nothing')
})

test('properties know their types and sizes', () => {
  const { sets, enums } = modelOf(boxes, things)
  const { properties } = sets.get('Boxes')?.type ?? { properties: new Map() }
  expect(properties.get('Label')).toMatchObject({ type: 'String', maxLength: 20, nullable: false })
  expect(properties.get('Size').type).toBe(enums.get('Size'))
  expect([...(enums.get('Size')?.members ?? [])]).toEqual([
    ['Small', 0],
    ['Large', 1],
  ])
  expect(sets.get('Things')?.type.properties.get('Price')).toMatchObject({
    type: 'Decimal',
    precision: 18,
    scale: 2,
    nullable: true,
  })
})

test('a reference and the collection that is its inverse are partners', () => {
  const { sets } = modelOf(boxes, things)
  const box = sets.get('Things')?.type.navigations.get('Box')
  const all = sets.get('Boxes')?.type.navigations.get('Things')
  expect(box).toMatchObject({ collection: false, nullable: true, partner: all })
  expect(all).toMatchObject({ collection: true, target: sets.get('Things'), partner: box })
})

test('nothing leads to a set that no module publishes', () => {
  expect(modelOf(things).sets.get('Things')?.type.navigations.size).toBe(0)
})

test('a set is found in any case', () => {
  expect(modelOf(things).find('THINGS')?.name).toBe('Things')
})

test('two sets of one name stop the start', () => {
  expect(() => modelOf(boxes, entitySet('Boxes', Thing, 'Thing.View', { also: [] }))).toThrow(
    'The entity set Boxes is defined twice: by the module Test',
  )
})
