import { ValidationError } from '@keel/framework/contracts'
import { namedGuid, sql } from '@keel/framework/data'
import {
  CarrierAppService,
  CarrierType,
  ConsolAppService,
  ConsolStatus,
  ConsolType,
  ContainerAppService,
  ContainerTypeAppService,
  HubErrors,
  LegType,
  PackLineAppService,
  PackLineDangerousGoodsAppService,
  SailingScheduleAppService,
  ShipmentAppService,
  ShipmentContainerAppService,
  ShipmentExceptionAppService,
  ShipmentMilestoneAppService,
  ShipmentStatus,
  TerminalAppService,
  VesselAppService,
  VesselType,
} from '@keel/hub/contracts'
import { CustomerAdmin, DefaultCustomer, OperationsManager } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addOrganization,
  addShipments,
  codeId,
  containerId,
  hubOf,
  modeId,
  portId,
  type ShipmentRow,
} from '../support/hub-rows.js'
import { testOfOwnHost } from '../support/own-host.js'
import { send } from '../support/wire.js'

const hourMs = 3_600_000
const at = (hours: number): Date => new Date(Date.now() + hours * hourMs)
const maersk = namedGuid('Carrier:MAEU')
const box = namedGuid('ContainerType:45G1')

let app: App
let staff: AppCaller
let customer: AppCaller
let stranger: AppCaller
let consols: ConsolAppService
let shipments: ShipmentAppService
let acme: string
let other: string

beforeAll(async () => {
  app = await startApp(undefined, {
    'Events:IsDeliveryEnabled': 'false',
    'App:SendExceptionDetails': 'false',
  })
  acme = await addOrganization(app, 'ACME')
  other = await addOrganization(app, 'OTHER')
  staff = await app.as({ roles: [OperationsManager] })
  customer = await app.as({ roles: [CustomerAdmin], organizations: ['ACME'] })
  stranger = await app.as({ roles: [DefaultCustomer], organizations: ['OTHER'] })
  consols = staff.service(ConsolAppService)
  shipments = staff.service(ShipmentAppService)
})
afterAll(() => app?.close())

/** The members that a refused call finds fault with. */
async function faultyMembers(call: Promise<unknown>): Promise<string[]> {
  const error: unknown = await call.then(
    () => new Error('It was not refused.'),
    (refusal: unknown) => refusal,
  )
  if (!(error instanceof ValidationError)) throw error
  return error.validationErrors.flatMap(({ members }) => members)
}

async function shipment(row: ShipmentRow = {}, organizationId = acme): Promise<string> {
  const parties = [0, 1, 4].map((role) => ({ role, organizationId }))
  const values = {
    TransportModeId: modeId('Sea'),
    ContainerModeId: containerId('FCL'),
    FirstConsolLegDeparturePortId: portId('CNSHA'),
    LastConsolLegArrivalPortId: portId('NLRTM'),
    CargoReadyDate: at(-100),
    parties,
  }
  return (await addShipments(app, [{ ...values, ...row }]))[0] as string
}

const leg = (from: string, to: string, departs: number, arrives: number) => ({
  legType: LegType.Main,
  transportModeId: modeId('Sea'),
  departurePortId: portId(from),
  arrivalPortId: portId(to),
  estimatedDeparture: at(departs),
  estimatedArrival: at(arrives),
})

let bills = 0
const consolInput = (values: object = {}) => ({
  transportModeId: modeId('Sea'),
  consolType: ConsolType.Agent,
  carrierId: maersk,
  masterBillNumber: `MAEU${String(++bills).padStart(9, '0')}`,
  ...values,
})

describe('reference data of transports', () => {
  test('carriers, container types and dangerous substances are delivered', async () => {
    const lines = await staff.service(CarrierAppService).getList({ filter: 'MAEU' })
    expect(lines.items).toMatchObject([{ name: 'Maersk', carrierType: CarrierType.Ocean }])
    expect(await staff.service(ContainerTypeAppService).get(box)).toMatchObject({
      isoCode: '45G1',
      alias: '40HC',
      teu: '2',
      maxPayloadKg: 28600,
    })
  })

  test('a ship needs an IMO number with its check digit, and a carrier that is active', async () => {
    const vessels = staff.service(VesselAppService)
    const input = { name: 'Emma', vesselType: VesselType.Container, carrierId: maersk }
    const ship = await vessels.create({ ...input, imoNumber: '9074729' })
    expect((await vessels.getLookup({ filter: 'emm' })).map(({ id }) => id)).toEqual([ship.id])
    expect(await faultyMembers(vessels.create({ ...input, imoNumber: '9074728' }))).toEqual(['imoNumber'])
    const carriers = staff.service(CarrierAppService)
    const closed = await carriers.create({ code: 'CLOSED', name: 'Closed', carrierType: CarrierType.Ocean })
    await hubOf(app).execute(sql`update "HubCarriers" set "IsActive" = false where "Id" = ${closed.id}`)
    hubOf(app).feed.changed('HubCarriers')
    expect(await faultyMembers(vessels.create({ ...input, carrierId: closed.id }))).toEqual(['carrierId'])
    expect(await faultyMembers(vessels.update(ship.id, { ...input, carrierId: portId('NLRTM') }))).toEqual([
      'carrierId',
    ])
  })

  test('terminals are listed by port, and customers do not change them', async () => {
    const terminals = staff.service(TerminalAppService)
    const input = {
      portId: portId('NLRTM'),
      code: 'APM2',
      name: 'Maasvlakte II',
      facilityTypeCode: 'POTE' as const,
    }
    const { id } = await terminals.create(input)
    expect((await terminals.getList({ portId: portId('NLRTM') })).items.map((one) => one.id)).toEqual([id])
    expect((await terminals.getList({ portId: portId('DEHAM') })).totalCount).toBe(0)
    await expect(terminals.create(input)).rejects.toMatchObject({ code: HubErrors.TerminalAlreadyExists })
    await expect(customer.service(TerminalAppService).create(input)).rejects.toMatchObject({ status: 403 })
  })
})

describe('legs', () => {
  test('ports, dates and carriage of shipments follow them, with milestones, events and a delay', async () => {
    const id = await shipment()
    await shipments.book(id, {})
    const { id: consol, consolNumber } = await consols.create(
      consolInput({ masterBillNumber: 'MAEU123456789' }),
    )
    expect(consolNumber).toMatch(/^C\d{8}$/)
    await consols.addShipment(consol, { shipmentId: id })
    const vessels = staff.service(VesselAppService)
    const vessel = await vessels.create({ name: 'Madrid', vesselType: VesselType.Container })
    const [first, second] = [leg('CNNGB', 'SGSIN', 24, 200), leg('SGSIN', 'DEHAM', 240, 900)]
    await consols.setLegs(consol, {
      legs: [{ ...first, vesselId: vessel.id, voyageFlightNumber: '042W' }, second],
    })
    expect(await shipments.get(id)).toMatchObject({
      firstConsolLegDeparturePort: { unLocode: 'CNNGB' },
      lastConsolLegArrivalPort: { unLocode: 'DEHAM' },
      estimatedDeparture: first.estimatedDeparture,
      estimatedArrival: second.estimatedArrival,
      vesselName: 'Madrid',
      voyageFlightNumber: '042W',
      masterBillNumber: 'MAEU123456789',
      isRoutingOverridden: false,
    })
    expect(await consols.get(consol)).toMatchObject({
      firstLoadPort: { unLocode: 'CNNGB' },
      lastDischargePort: { unLocode: 'DEHAM' },
      estimatedArrival: second.estimatedArrival,
    })
    await consols.setLegs(consol, { legs: [first, leg('SGSIN', 'DEHAM', 240, 1000)] })
    const raised = await staff.service(ShipmentExceptionAppService).getList({ shipmentId: id })
    expect(raised.items).toMatchObject([{ delayHours: 100 }])
    const milestones = await staff
      .service(ShipmentMilestoneAppService)
      .getList({ shipmentId: id, maxResultCount: 50 })
    expect(milestones.items.find(({ code }) => code === 9)?.estimatedTime?.getTime()).toBeCloseTo(
      at(1000).getTime(),
      -5,
    )
    const told = await hubOf(app).query<{ name: string }>(
      sql`select "EventName" as name from "AbpEventOutbox" where "ExtraProperties"::jsonb ->> 'Key' = ${id}`,
    )
    expect(told.map(({ name }) => name)).toContain('Hub.Shipment.ScheduleChanged')
    await shipments.confirm(id, {})
  })

  test('a change by hand stops that, and giving the routing back starts it again', async () => {
    const id = await shipment()
    const { id: consol } = await consols.create(consolInput())
    await consols.addShipment(consol, { shipmentId: id })
    await consols.setLegs(consol, { legs: [leg('CNNGB', 'DEHAM', 24, 900)] })
    const byHand = at(48)
    expect(await shipments.update(id, { estimatedDeparture: byHand })).toMatchObject({
      isRoutingOverridden: true,
    })
    await consols.setLegs(consol, { legs: [leg('CNNGB', 'DEHAM', 72, 900)] })
    expect((await shipments.get(id)).estimatedDeparture).toEqual(byHand)
    const given = await shipments.update(id, { isRoutingOverridden: false })
    expect(given.estimatedDeparture).not.toEqual(byHand)
  })

  test.for([
    [
      'that do not follow each other',
      [leg('CNNGB', 'SGSIN', 1, 2), leg('DEHAM', 'NLRTM', 3, 4)],
      HubErrors.LegsNotContiguous,
    ],
    ['from a port to itself', [leg('CNNGB', 'CNNGB', 1, 2)], HubErrors.LegSamePort],
    ['that arrive before they depart', [leg('CNNGB', 'SGSIN', 3, 2)], HubErrors.LegDatesOverlap],
    [
      'that depart before the one before arrives',
      [leg('CNNGB', 'SGSIN', 1, 5), leg('SGSIN', 'DEHAM', 4, 9)],
      HubErrors.LegDatesOverlap,
    ],
  ] as const)('%s are refused', async ([, legs, code]) => {
    const { id } = await consols.create(consolInput())
    await expect(consols.setLegs(id, { legs: [...legs] })).rejects.toMatchObject({ code })
  })

  test('of codes that are no transport modes are refused, with their place', async () => {
    const { id } = await consols.create(consolInput())
    const wrong = { ...leg('CNNGB', 'SGSIN', 1, 2), transportModeId: codeId('PackageType', 'CT') }
    expect(await faultyMembers(consols.setLegs(id, { legs: [wrong] }))).toEqual(['legs[0].transportModeId'])
    expect(
      await faultyMembers(consols.create(consolInput({ transportModeId: wrong.transportModeId }))),
    ).toEqual(['transportModeId'])
  })
})

describe('a master bill', () => {
  test('of a carrier is on one consol', async () => {
    const masterBillNumber = 'MAEU555555555'
    const input = consolInput({ masterBillNumber })
    const both = await Promise.allSettled([consols.create(input), consols.create(input)])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = both.find((one) => one.status === 'rejected')
    expect(refused?.reason).toMatchObject({ status: 403, code: HubErrors.MasterBillAlreadyExists })
    const { id } = await consols.create(consolInput({ carrierId: null, masterBillNumber }))
    await expect(consols.update(id, { carrierId: maersk })).rejects.toMatchObject({
      code: HubErrors.MasterBillAlreadyExists,
      data: { masterBillNumber },
    })
    const own = await consols.create(consolInput())
    expect(
      (await consols.update(own.id, { carrierId: maersk, masterBillNumber: own.masterBillNumber })).id,
    ).toBe(own.id)
  })
})

describe('the life of a consol', () => {
  test('goes from planned to completed, and takes its shipments along', async () => {
    const id = await shipment({ Status: ShipmentStatus.Confirmed })
    const draft = await shipment()
    const { id: consol } = await consols.create(consolInput())
    await expect(consols.book(consol, { bookingReference: 'B1' })).rejects.toMatchObject({
      code: HubErrors.ConsolIncomplete,
      message: expect.stringContaining('lacks: Legs.'),
      data: { fields: ['legs'] },
    })
    await consols.setLegs(consol, { legs: [leg('CNNGB', 'DEHAM', -90, -10)] })
    await expect(consols.close(consol, {})).rejects.toMatchObject({
      code: HubErrors.ConsolInvalidStatusTransition,
      message: expect.stringContaining('from Planned to Closed'),
      data: { from: 'Planned', to: 'Closed' },
    })
    await consols.book(consol, { bookingReference: 'B1' })
    await expect(consols.close(consol, {})).rejects.toMatchObject({ data: { fields: ['shipments'] } })
    await consols.addShipment(consol, { shipmentId: id })
    await consols.addShipment(consol, { shipmentId: draft })
    await expect(consols.addShipment(consol, { shipmentId: id })).rejects.toMatchObject({
      code: HubErrors.ShipmentAlreadyLinked,
    })
    await consols.close(consol, {})
    await expect(consols.addShipment(consol, { shipmentId: await shipment() })).rejects.toMatchObject({
      code: HubErrors.ConsolNotEditable,
    })
    await consols.depart(consol, { actualTime: at(-90) })
    expect((await shipments.get(id)).status).toBe(ShipmentStatus.InTransit)
    expect((await shipments.get(draft)).status).toBe(ShipmentStatus.Draft)
    await expect(consols.arrive(consol, { actualTime: at(-91) })).rejects.toMatchObject({
      code: HubErrors.ArrivalBeforeDeparture,
    })
    await consols.arrive(consol, { actualTime: at(-10) })
    expect((await shipments.get(id)).status).toBe(ShipmentStatus.Arrived)
    expect(await consols.getLegs(consol)).toMatchObject([
      { actualDeparture: expect.any(Date), actualArrival: expect.any(Date) },
    ])
    const containers = staff.service(ContainerAppService)
    const { id: container } = await containers.create({ consolId: consol, containerTypeId: box })
    await expect(consols.complete(consol, {})).rejects.toMatchObject({ code: HubErrors.ContainersInside })
    await containers.update(container, { gateOutTime: at(-5) })
    expect((await consols.complete(consol, {})).status).toBe(ConsolStatus.Completed)
  })

  test('ends with a cancellation, unless its shipments are on their way', async () => {
    const id = await shipment({ Status: ShipmentStatus.Confirmed })
    const { id: consol } = await consols.create(consolInput())
    await consols.addShipment(consol, { shipmentId: id })
    await shipments.receiveCargo(id, {})
    await expect(consols.cancel(consol, { reason: 'Test' })).rejects.toMatchObject({
      code: HubErrors.ConsolShipmentsUnderway,
    })
    await consols.removeShipment(consol, id)
    expect((await consols.cancel(consol, { reason: 'Test' })).status).toBe(ConsolStatus.Cancelled)
  })

  test('shipments of another mode, and behind the cut-off, are refused', async () => {
    const { id } = await consols.create(consolInput({ cargoCutOff: at(-1) }))
    await expect(consols.addShipment(id, { shipmentId: await shipment() })).rejects.toMatchObject({
      code: HubErrors.CutOffPassed,
    })
    const air = await shipment({ TransportModeId: modeId('Air'), ContainerModeId: containerId('LSE') })
    await expect(consols.addShipment(id, { shipmentId: air })).rejects.toMatchObject({
      code: HubErrors.TransportModeMismatch,
    })
    await expect(
      consols.create(consolInput({ transportModeId: modeId('Air'), masterBillNumber: '176-12345676' })),
    ).rejects.toMatchObject({ code: HubErrors.InvalidMasterBill })
  })
})

test('a departure that its carrier leaves out raises an exception for the shipments on it', async () => {
  const sailings = staff.service(SailingScheduleAppService)
  const sailing = await sailings.create({
    carrierId: maersk,
    transportModeId: modeId('Sea'),
    voyageFlightNumber: '100W',
    departurePortId: portId('CNNGB'),
    arrivalPortId: portId('DEHAM'),
    estimatedDeparture: at(48),
    estimatedArrival: at(48 + 24 * 30 + 1),
  })
  expect(sailing).toMatchObject({ transitDays: 31, isCancelled: false, carrier: { code: 'MAEU' } })
  const search = {
    departurePortId: portId('CNNGB'),
    arrivalPortId: portId('DEHAM'),
    departFrom: at(0),
    departTo: at(100),
  }
  expect((await sailings.search(search)).map(({ id }) => id)).toEqual([sailing.id])
  expect(await faultyMembers(sailings.search({ ...search, departTo: at(-1) }))).toEqual(['departTo'])
  const shipmentId = await shipment()
  const { id: consol } = await consols.create(consolInput())
  await consols.addShipment(consol, { shipmentId })
  const { estimatedDeparture, estimatedArrival, ...undated } = leg('CNNGB', 'DEHAM', 0, 0)
  await consols.setLegs(consol, { legs: [{ ...undated, sailingScheduleId: sailing.id }] })
  expect(await shipments.get(shipmentId)).toMatchObject({
    estimatedDeparture: sailing.estimatedDeparture,
    voyageFlightNumber: '100W',
  })
  await sailings.cancelSailing(sailing.id, { reason: 'Blank sailing' })
  const raised = await staff.service(ShipmentExceptionAppService).getList({ shipmentId })
  expect(raised.items).toMatchObject([{ description: '100W: Blank sailing' }])
  expect(await sailings.search(search)).toEqual([])
  await expect(sailings.cancelSailing(sailing.id, { reason: 'Again' })).rejects.toMatchObject({
    code: HubErrors.SailingAlreadyCancelled,
  })
})

test('a departure that was cancelled is brought back by a change, which cancels none, and found by its time', async () => {
  const sailings = staff.service(SailingScheduleAppService)
  const departure = {
    departurePortId: portId('CNTAO'),
    arrivalPortId: portId('ESVLC'),
  }
  const { id } = await sailings.create({
    ...{ ...departure, carrierId: maersk, transportModeId: modeId('Sea'), voyageFlightNumber: '101W' },
    ...{ estimatedDeparture: at(48), estimatedArrival: at(480) },
  })
  expect(await faultyMembers(sailings.update(id, { isCancelled: true }))).toEqual(['isCancelled'])
  await sailings.cancelSailing(id, { reason: 'Blank sailing' })
  expect(await sailings.update(id, { isCancelled: true, serviceCode: 'AE7' })).toMatchObject({
    isCancelled: true,
    serviceCode: 'AE7',
  })
  expect((await sailings.update(id, { isCancelled: false })).isCancelled).toBe(false)
  const found = await sailings.search({ ...departure, departFrom: at(0), departTo: at(100) })
  expect(found.map((sailing) => sailing.id)).toEqual([id])
  const listed = async (period: object) =>
    (await sailings.getList({ ...departure, ...period })).items.map((sailing) => sailing.id)
  expect(await listed({ departFrom: at(47), departBefore: at(49) })).toEqual([id])
  expect(await listed({ departFrom: at(49) })).toEqual([])
  expect(await listed({ departBefore: at(47) })).toEqual([])
})

describe('cargo', () => {
  test('containers have numbers with check digits', async () => {
    const containers = staff.service(ContainerAppService)
    expect(await containers.validateNumber({ number: 'csqu3054383' })).toEqual({
      isValid: true,
      checkDigit: 3,
    })
    expect(await containers.validateNumber({ number: 'CSQU3054384' })).toEqual({
      isValid: false,
      checkDigit: 3,
    })
    const input = { containerTypeId: box, containerNumber: 'csqu3054383' }
    const { id } = await containers.create(input)
    expect((await containers.getByNumber('CSQU3054383')).id).toBe(id)
    await expect(containers.create({ ...input, containerNumber: 'CSQU3054384' })).rejects.toMatchObject({
      code: HubErrors.InvalidContainerNumber,
    })
    await expect(containers.update(id, { grossWeightKg: 100, vgmWeightKg: 50 })).rejects.toMatchObject({
      code: HubErrors.VgmBelowCargo,
    })
  })

  testOfOwnHost('a container that is heavier than it may be is warned of', async () => {
    const { id } = await staff.service(ContainerAppService).create({ containerTypeId: box })
    const heavy = await send(staff, 'PUT', `/api/hub/container/${id}`, { grossWeightKg: 40_000 })
    expect(heavy.headers.get('x-keel-warning')).toContain('28600')
  })

  test('lines give a shipment its totals, its chargeable weight and its mark of dangerous goods', async () => {
    const id = await shipment({ TransportModeId: modeId('Air'), ContainerModeId: containerId('LSE') })
    const lines = customer.service(PackLineAppService)
    const line = {
      shipmentId: id,
      lineNumber: 1,
      packageCount: 12,
      packageTypeId: codeId('PackageType', 'CT'),
      grossWeightKg: 268,
      lengthCm: 60,
      widthCm: 50,
      heightCm: 45,
    }
    const { id: first, volumeM3 } = await lines.create(line)
    expect(volumeM3).toBe(1.62)
    expect(await shipments.get(id)).toMatchObject({
      totalPackages: 12,
      totalGrossWeight: 268,
      totalVolume: 1.62,
      totalChargeableWeight: 270,
      isDangerousGoods: false,
    })
    await expect(lines.create(line)).rejects.toMatchObject({ code: HubErrors.DuplicatePackLine })
    await expect(lines.create({ ...line, lineNumber: 2, heightCm: null })).rejects.toMatchObject({
      code: HubErrors.PackLineSizesIncomplete,
    })
    const sizes = { lengthCm: null, widthCm: null, heightCm: null }
    const countless = { ...line, ...sizes, lineNumber: 2, packageCount: 2_147_483_647 }
    expect(await faultyMembers(lines.create(countless))).toEqual(['packageCount'])
    const goods = customer.service(PackLineDangerousGoodsAppService)
    const declared = {
      packLineId: first,
      dangerousSubstanceId: namedGuid('DangerousSubstance:1263'),
      properShippingName: 'PAINT',
      hazardClass: '3',
      netQuantity: 100,
      unitCode: 'LTR',
      emergencyContact: 'Duty desk',
      emergencyPhone: '+31 10 1234567',
    }
    const { id: paint } = await goods.create(declared)
    expect((await shipments.get(id)).isDangerousGoods).toBe(true)
    await hubOf(app).execute(
      sql`update "HubDangerousSubstances" set "AirProhibition" = 2 where "UnNumber" = '1950'`,
    )
    const aerosols = { ...declared, dangerousSubstanceId: namedGuid('DangerousSubstance:1950') }
    await expect(goods.create(aerosols)).rejects.toMatchObject({ code: HubErrors.ForbiddenByAir })
    await goods.delete(paint)
    expect((await shipments.get(id)).isDangerousGoods).toBe(false)
    await lines.delete(first)
    expect((await shipments.get(id)).totalGrossWeight).toBe(268)
  })
})

describe('another organization', () => {
  test('sees neither consols, legs, links, containers nor cargo, by REST or OData, and of a shared consol only its own', async () => {
    const [mine, theirs] = [await shipment(), await shipment({}, other)]
    const { id: consol } = await consols.create(consolInput())
    await consols.setLegs(consol, { legs: [leg('CNNGB', 'DEHAM', 24, 900)] })
    await consols.addShipment(consol, { shipmentId: mine })
    const containers = staff.service(ContainerAppService)
    const { id: container } = await containers.create({ consolId: consol, containerTypeId: box })
    await staff.service(ShipmentContainerAppService).create({ shipmentId: mine, containerId: container })
    const { id: line } = await staff.service(PackLineAppService).create({
      shipmentId: mine,
      lineNumber: 1,
      packageCount: 1,
      packageTypeId: codeId('PackageType', 'CT'),
      grossWeightKg: 1,
    })
    const sets = ['Consols', 'ConsolLegs', 'ConsolShipments', 'Containers', 'ShipmentContainers', 'PackLines']
    const counts = (caller: AppCaller) =>
      Promise.all(
        sets.map(async (set) => {
          const answer = await send(caller, 'GET', `/odata/${set}?$count=true&$top=0`)
          return (answer.body as { '@odata.count': number })['@odata.count']
        }),
      )
    expect(await counts(stranger)).toEqual([0, 0, 0, 0, 0, 0])
    const strange = stranger.service(ConsolAppService)
    await expect(strange.get(consol)).rejects.toMatchObject({ status: 404 })
    await expect(strange.getLegs(consol)).rejects.toMatchObject({ status: 404 })
    await expect(stranger.service(ContainerAppService).get(container)).rejects.toMatchObject({ status: 404 })
    await expect(stranger.service(PackLineAppService).get(line)).rejects.toMatchObject({ status: 404 })
    expect((await customer.service(ConsolAppService).getLegs(consol)).length).toBe(1)
    await consols.addShipment(consol, { shipmentId: theirs })
    expect(await counts(stranger)).toEqual([1, 1, 1, 0, 0, 0])
    expect((await strange.getShipments(consol)).map(({ shipmentId }) => shipmentId)).toEqual([theirs])
    // Not into a container of others either.
    const theirLine = {
      shipmentId: theirs,
      lineNumber: 1,
      packageCount: 1,
      packageTypeId: codeId('PackageType', 'CT'),
      grossWeightKg: 1,
      containerId: container,
    }
    const keyUser = await app.as({ roles: [CustomerAdmin], organizations: ['OTHER'] })
    expect(await faultyMembers(keyUser.service(PackLineAppService).create(theirLine))).toEqual([
      'containerId',
    ])
    await expect(keyUser.service(ConsolAppService).setLegs(consol, { legs: [] })).rejects.toMatchObject({
      status: 403,
    })
  })
})
