import {
  ConsolAppService,
  ConsolType,
  EmissionFactorAppService,
  HubErrors,
  LegType,
  ShipmentAppService,
  ShipmentEmissionAppService,
  ShipmentStatus,
} from '@keel/hub/contracts'
import { DefaultCustomer, OperationsManager } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addOrganization,
  addShipments,
  containerId,
  modeId,
  portId,
  type ShipmentRow,
} from '../support/hub-rows.js'
import { send } from '../support/wire.js'

let app: App
let staff: AppCaller
let customer: AppCaller
let stranger: AppCaller
let emissions: ShipmentEmissionAppService
let shipments: ShipmentAppService
let acme: string

beforeAll(async () => {
  app = await startApp(undefined, {
    'App:SendExceptionDetails': 'false',
    'Events:IsDeliveryEnabled': 'false',
  })
  acme = await addOrganization(app, 'ACME')
  await addOrganization(app, 'OTHER')
  staff = await app.as({ roles: [OperationsManager] })
  customer = await app.as({ roles: [DefaultCustomer], organizations: ['ACME'] })
  stranger = await app.as({ roles: [DefaultCustomer], organizations: ['OTHER'] })
  emissions = staff.service(ShipmentEmissionAppService)
  shipments = staff.service(ShipmentAppService)
})
afterAll(() => app?.close())

async function shipment(row: ShipmentRow = {}): Promise<string> {
  const values = {
    TransportModeId: modeId('Sea'),
    ContainerModeId: containerId('FCL'),
    FirstConsolLegDeparturePortId: portId('CNSGH'),
    LastConsolLegArrivalPortId: portId('DEHAM'),
    TotalGrossWeight: 10_000,
    parties: [{ role: 4, organizationId: acme }],
  }
  return (await addShipments(app, [{ ...values, ...row }]))[0] as string
}

test('a shipment without legs is computed between its ports, and says by what', async () => {
  const id = await shipment()
  const [leg] = await emissions.recalculate(id)
  expect(leg).toMatchObject({
    weightTonnes: 10,
    wtwGramsPerTkm: 19.77,
    emissionFactor: { code: 'SEA-CONT-AVG' },
  })
  // 10 t over 19,986 km within one percent
  expect(Math.abs((leg?.co2eKg ?? 0) / 3951.23 - 1)).toBeLessThan(0.01)
  expect((await shipments.get(id)).co2Emissions).toBe(leg?.co2eKg)
  await emissions.recalculate(id)
  expect((await emissions.getList({ shipmentId: id })).totalCount).toBe(1)
})

test('new legs compute it anew, and the rows before stay as no longer current', async () => {
  const id = await shipment()
  await emissions.recalculate(id)
  const consols = staff.service(ConsolAppService)
  const { id: consol } = await consols.create({
    transportModeId: modeId('Sea'),
    consolType: ConsolType.Direct,
  })
  await consols.addShipment(consol, { shipmentId: id })
  const leg = (from: string, to: string, mode: string, distanceKm: number) => ({
    legType: LegType.Main,
    transportModeId: modeId(mode),
    departurePortId: portId(from),
    arrivalPortId: portId(to),
    distanceKm,
  })
  await consols.setLegs(consol, {
    legs: [leg('CNSGH', 'NLRTM', 'Sea', 20_000), leg('NLRTM', 'DEHAM', 'Road', 500)],
  })
  // 10 t x 20,000 km x 19.77 g and 10 t x 500 km x 125.22 g
  expect((await shipments.get(id)).co2Emissions).toBe(3954 + 626.1)
  const { items } = await emissions.getList({ shipmentId: id })
  expect(items.map(({ isCurrent, co2eKg }) => [isCurrent, Math.round(co2eKg)]).sort()).toEqual([
    [false, expect.any(Number)],
    [true, 3954],
    [true, 626],
  ])
})

test('an arrival computes it; what is missing is named, and stops no arrival', async () => {
  const id = await shipment({ Status: ShipmentStatus.InTransit })
  await shipments.arrive(id, {})
  expect((await shipments.get(id)).co2Emissions).toBeGreaterThan(3900)
  const light = await shipment({ Status: ShipmentStatus.InTransit, TotalGrossWeight: null })
  await shipments.arrive(light, {})
  await expect(emissions.recalculate(light)).rejects.toMatchObject({
    code: HubErrors.EmissionDistanceUnknown,
  })
  const courier = await shipment({ TransportModeId: modeId('Courier'), ContainerModeId: null })
  await expect(emissions.recalculate(courier)).rejects.toMatchObject({
    code: HubErrors.EmissionFactorNotFound,
  })
})

test('factors of an own source are taken from their day on, and only by those who manage them', async () => {
  const factor = {
    code: 'OWN-SEA',
    transportModeId: modeId('Sea'),
    vehicleClass: 'Own fleet',
    wtwGramsPerTkm: 10,
    source: 'Primary data',
    sourceYear: 2026,
    validFrom: '2026-01-01',
    isDefault: true,
  }
  await expect(customer.service(EmissionFactorAppService).create(factor)).rejects.toMatchObject({
    status: 403,
  })
  const { id: own } = await staff.service(EmissionFactorAppService).create(factor)
  const id = await shipment({ EstimatedDeparture: '2026-06-01T00:00:00Z' })
  expect((await emissions.recalculate(id))[0]?.emissionFactor?.code).toBe('OWN-SEA')
  await staff.service(EmissionFactorAppService).delete(own)
  expect((await emissions.recalculate(id))[0]?.emissionFactor?.code).toBe('SEA-CONT-AVG')
})

test('customers see emissions of their own shipments alone, and do not compute them', async () => {
  const id = await shipment()
  await emissions.recalculate(id)
  expect((await customer.service(ShipmentEmissionAppService).getList({ shipmentId: id })).totalCount).toBe(1)
  await expect(customer.service(ShipmentEmissionAppService).recalculate(id)).rejects.toMatchObject({
    status: 403,
  })
  expect((await stranger.service(ShipmentEmissionAppService).getList({ shipmentId: id })).totalCount).toBe(0)
  expect((await send(stranger, 'GET', '/odata/ShipmentEmissions?$count=true')).body['@odata.count']).toBe(0)
})
