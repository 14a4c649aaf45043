import { ApiHost } from '@keel/api-host'
import { AutoApiController, ambient, Injectable, KeelModule, Module } from '@keel/framework'
import { AppService, Dto, op, remoteService, z } from '@keel/framework/contracts'
import {
  BaseEntity,
  Column,
  Databases,
  DataType,
  Entity,
  type EntityClass,
  FullyAuditedEntity,
  HasMany,
  Models,
  Op,
  type RowScope,
  rowRule,
  Scopes,
  StoreOf,
  sql,
  UnitOfWork,
} from '@keel/framework/data'
import { Authenticated } from '@keel/framework/security'
import { Admin } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization, addShipments, hubOf, portId } from '../support/hub-rows.js'

/** Sequelize's models in a module: associations, includes and scopes, in the unit of work, with soft delete and row rules. */
@Injectable()
class CallerId implements RowScope<string | undefined> {
  current(): string | undefined {
    return ambient().principal.userId
  }
}
const tripsOfCaller = rowRule(CallerId, (userId, t) => sql`${t}."CreatorId" = ${userId ?? null}::uuid`)

@Scopes(() => ({ late: { where: { isLate: true }, include: ['stops'] } }))
@Entity('TestTrips', { rules: [tripsOfCaller] })
class Trip extends FullyAuditedEntity {
  @Column(DataType.STRING(50)) declare name: string
  @Column(DataType.BOOLEAN) declare isLate: boolean
  @HasMany(() => Stop, 'tripId') declare stops: Stop[]
}

@Entity('TestStops')
class Stop extends BaseEntity {
  @Column(DataType.UUID, { references: () => Trip }) declare tripId: string
  @Column(DataType.STRING(50)) declare place: string
  declare trip: Trip | null
}

class TripStore extends StoreOf(Trip) {}

class FoundDto extends Dto({ found: z.array(z.string()) }) {}
class NameDto extends Dto({ name: z.string() }) {}
abstract class TripAppService extends AppService(remoteService('Test', 'test'), 'TripAppService', {
  getTrips: op().returns(FoundDto),
  getStops: op().returns(FoundDto),
  getLate: op().returns(FoundDto),
  getShipments: op().returns(FoundDto),
  add: op(NameDto).returns(FoundDto),
}) {}

@AutoApiController(TripAppService)
@Authenticated()
class TripService implements TripAppService {
  constructor(
    private readonly models: Models,
    private readonly trips: TripStore,
    private readonly databases: Databases,
  ) {}

  async getTrips(): Promise<FoundDto> {
    const trips = this.models.of(Trip)
    const { rows, count } = await trips.findAndCountAll({
      include: [{ association: 'stops', separate: true, order: ['place'] }],
      order: ['name'],
      limit: 10,
    })
    const latest = await trips.max('name')
    const [first] = rows
    const same = first && (await trips.findByPk(first.id))
    return found([
      ...rows.map(({ name, stops }) => `${name}: ${stops.map(({ place }) => place).join()}`),
      `${count} to ${latest}, again ${same?.name}`,
    ])
  }

  async getStops(): Promise<FoundDto> {
    const stops = await this.models.of(Stop).findAll({ include: ['trip'], order: ['place'] })
    return found(stops.map(({ place, trip }) => `${place} of ${trip?.name ?? 'nothing'}`))
  }

  async getLate(): Promise<FoundDto> {
    const late = await this.models
      .of(Trip)
      .scope('late')
      .findAll({ order: ['name'] })
    return found(late.map(({ name, stops }) => `${name}: ${stops.length}`))
  }

  async getShipments(): Promise<FoundDto> {
    const Shipment = this.entity('Shipment')
    const shipments = await this.models.of(Shipment).findAll({
      where: { shipmentReference: { [Op.like]: 'M-$1%' } },
      include: ['originPort'],
      order: ['shipmentReference'],
    })
    const addresses = await this.models.of(this.entity('ShipmentAddress')).count({ include: ['shipment'] })
    return found([
      ...shipments.map((row) => {
        const { shipmentReference, originPort } = row.get({ plain: true })
        return `${shipmentReference} from ${originPort?.unLocode}`
      }),
      `${addresses} addresses`,
    ])
  }

  /** Writes by store and model, reads what was written, and fails when the name says so. */
  async add({ name }: NameDto): Promise<FoundDto> {
    const { id: tripId } = await this.trips.insert({ name, isLate: true })
    const [one, two] = await Promise.all([
      this.models.of(Stop).create({ id: tripId.replace(/^./, 'e'), tripId, place: `${name} A` }),
      this.models.of(Stop).create({ id: tripId.replace(/^./, 'f'), tripId, place: `${name} B` }),
    ])
    await two.update({ place: `${name} C` })
    await one.destroy()
    const seen = await this.models.of(Trip).findAll({ where: { name }, include: ['stops'] })
    const elsewhere = await UnitOfWork.apart(() => this.models.of(Trip).count({ where: { name } }))
    if (name === 'Fails') throw new Error('not this one')
    return found([...seen.map((trip) => `${trip.name}: ${trip.stops[0]?.place}`), `${elsewhere} elsewhere`])
  }

  private entity(name: string): EntityClass {
    const found = this.databases.named('Hub').entities.find((entity) => entity.name === name)
    if (!found) throw new Error(`There is no ${name}`)
    return found
  }
}

const found = (texts: string[]): FoundDto => ({ found: texts })

@Module({
  name: 'Test',
  dependsOn: [ApiHost],
  database: 'Hub',
  entities: [Trip, Stop],
  services: [TripService, TripStore, CallerId],
})
class TripHost extends KeelModule {}

let app: App
let caller: AppCaller
let other: AppCaller

beforeAll(async () => {
  app = await startApp(TripHost)
  await hubOf(app).execute(sql`
    create table "TestTrips" ("Id" uuid primary key, "TenantId" uuid, "CreationTime" timestamptz not null, "CreatorId" uuid,
      "LastModificationTime" timestamptz, "LastModifierId" uuid, "IsDeleted" boolean not null default false, "DeleterId" uuid,
      "DeletionTime" timestamptz, "Name" varchar(50) not null, "IsLate" boolean not null)`)
  await hubOf(app).execute(
    sql`create table "TestStops" ("Id" uuid primary key, "TripId" uuid not null, "Place" varchar(50) not null)`,
  )
  caller = await app.as({ roles: [Admin] })
  other = await app.as({ roles: [Admin] })
  for (const [owner, name, isLate, isDeleted] of [
    [caller, 'Mine', true, false],
    [caller, 'Mine on time', false, false],
    [caller, 'Mine deleted', true, true],
    [other, 'Theirs', true, false],
  ] as const)
    await hubOf(app).execute(sql`
      with trip as (insert into "TestTrips" ("Id", "CreationTime", "CreatorId", "IsDeleted", "Name", "IsLate")
        values (gen_random_uuid(), now(), ${owner.userId}, ${isDeleted}, ${name}, ${isLate}) returning "Id")
      insert into "TestStops" select gen_random_uuid(), "Id", 'Stop of ' || ${name} from trip`)
})
afterAll(() => app.close())

const ask = async (
  operation: 'getTrips' | 'getStops' | 'getLate' | 'getShipments',
  by = caller,
): Promise<string[]> => (await by.service(TripAppService)[operation]()).found

test('finds, counts, aggregates and separate includes hide what is deleted and what the caller may not see', async () => {
  expect(await ask('getTrips')).toEqual([
    'Mine: Stop of Mine',
    'Mine on time: Stop of Mine on time',
    '2 to Mine on time, again Mine',
  ])
  expect(await ask('getTrips', other)).toEqual(['Theirs: Stop of Theirs', '1 to Theirs, again Theirs'])
})

test('an included parent that is hidden is absent, and its child is not', async () => {
  expect(await ask('getStops')).toEqual([
    'Stop of Mine of Mine',
    'Stop of Mine deleted of nothing',
    'Stop of Mine on time of Mine on time',
    'Stop of Theirs of nothing',
  ])
})

test('scopes narrow what is visible, and their includes work', async () => {
  expect(await ask('getLate')).toEqual(['Mine: 1'])
})

test('entities of the product have associations by their references, and the rules of the product', async () => {
  const own = await addOrganization(app, 'MODELS')
  const foreign = await addOrganization(app, 'FOREIGN')
  const originPortId = portId('NLRTM')
  await addShipments(app, [
    {
      ShipmentReference: 'M-$1',
      IsDeleted: false,
      OriginPortId: originPortId,
      parties: [{ role: 4, organizationId: own }],
    },
    { ShipmentReference: 'M-$1-deleted', IsDeleted: true, parties: [{ role: 4, organizationId: own }] },
    { ShipmentReference: 'M-$1-foreign', IsDeleted: false, parties: [{ role: 4, organizationId: foreign }] },
  ])
  const member = await app.as({ organizations: ['MODELS'] })
  expect(await ask('getShipments', member)).toEqual(['M-$1 from NLRTM', '1 addresses'])
  expect(await ask('getShipments')).toEqual(['M-$1 from NLRTM', 'M-$1-foreign from undefined', '3 addresses'])
})

test('models read and write in the unit of work at hand, and nothing of it stays when it fails', async () => {
  const trips = caller.service(TripAppService)
  await expect(trips.add({ name: 'Fails' })).rejects.toMatchObject({ status: 500 })
  expect(await trips.add({ name: 'New' })).toEqual({ found: ['New: New C', '0 elsewhere'] })
  const rows = await hubOf(app).query(
    sql`select "Place" from "TestStops" where "Place" like 'New%' or "Place" like 'Fails%'`,
  )
  expect(rows).toEqual([{ Place: 'New C' }])
})

test('rows with marks and rules are not written past their store', async () => {
  const trips = app.host.get(Models).of(Trip)
  const row = { id: crypto.randomUUID(), name: 'Past', isLate: false, creationTime: new Date() }
  for (const write of [
    () => trips.create(row),
    () => trips.bulkCreate([row]),
    () => trips.update({ name: 'Past' }, { where: {} }),
    () => trips.destroy({ where: {} }),
  ])
    await expect(write()).rejects.toThrow('Rows of Trip are written by its store')
  await expect(trips.findAll({ transaction: {} as never })).rejects.toThrow('takes no transaction')
})

test('a row that was inserted has not changed, and its values are those of before', async () => {
  const row = await app.host.get(TripStore).insert({ name: 'Inserted', isLate: false })
  const isChanged = row.changed()
  row.set({ name: 'Changed' })
  expect([row.isNewRecord, isChanged, row.changed(), row.previous('name')]).toEqual([
    false,
    false,
    ['name'],
    'Inserted',
  ])
})
