import { dangerousSubstances } from '../reference/transport.js'
import { cargoOf, round } from './cargo.js'
import type { DemoRow } from './demo-table.js'
import { containerId, movementOf, share } from './movements.js'
import { demoId, Stream } from './random.js'
import { codeIdOf } from './reference-ids.js'
import { routeOf } from './route.js'
import { shipmentId } from './shipments.js'
import { phaseOf, timelineOf } from './timeline.js'
import { type DemoWorld, drawsFor } from './world.js'

/** How many lines a shipment has: none as a draft, 2.4 on average after that, never more than packages. */
export function packLineCount(world: DemoWorld, ordinal: number): number {
  if (phaseOf(world, ordinal) === 'Draft') return 0
  const { packages } = cargoOf(world, ordinal, routeOf(world, ordinal))
  const draws = drawsFor(world, Stream.PackLineCount, ordinal)
  let lines = 1
  while (lines < 12 && draws.chance(0.584)) lines++
  return Math.min(lines, packages)
}

/** Rows of HubPackLines of one shipment: their packages, weights and volumes add up to those of the shipment. */
export function* packLineRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const lines = packLineCount(world, ordinal)
  if (lines === 0) return
  const route = routeOf(world, ordinal)
  const cargo = cargoOf(world, ordinal, route)
  const draws = drawsFor(world, Stream.PackLine, ordinal)
  const { created } = timelineOf(world, ordinal, route)
  const containers = movementOf(world, ordinal)?.containers ?? 0
  const heading = /HS (\d{4})$/.exec(cargo.description)?.[1]
  const what = cargo.description.replace(/^\d+ \w+ of /, '').replace(/, HS \d{4}$/, '')
  for (let index = 0; index < lines; index++) {
    const count = share(cargo.packages, lines, index)
    const gross = round((cargo.grossWeight * count) / cargo.packages, 2)
    yield {
      Id: demoId(Stream.PackLine, world.seed, ordinal, index),
      ShipmentId: shipmentId(world, ordinal),
      LineNumber: index + 1,
      PackageCount: count,
      PackageTypeId: codeIdOf('PackageType', cargo.packageTypeCode),
      GrossWeightKg: gross,
      NetWeightKg: round(gross * draws.between(0.86, 0.97), 2),
      VolumeM3: round((cargo.volume * count) / cargo.packages, 4),
      Description: what,
      MarksAndNumbers: draws.optional(`${draws.pick(['LOT', 'SKU', 'ART'])} ${draws.digits(5)}`),
      HsCode: heading ? `${heading}00` : null,
      CountryOfOriginCode: route.from.slice(0, 2),
      ContainerId: containers ? containerId(world, ordinal, index % containers) : null,
      IsStackable: draws.chance(0.8),
      CreationTime: new Date(created),
    }
  }
}

const substances = new Map(dangerousSubstances.map((substance) => [substance.unNumber, substance]))

/** One declaration for each shipment of dangerous goods, on its first line. */
export function dangerousGoodsCount(world: DemoWorld, ordinal: number): number {
  return packLineCount(world, ordinal) > 0 && cargoOf(world, ordinal, routeOf(world, ordinal)).isDangerous
    ? 1
    : 0
}

/** Rows of HubPackLineDangerousGoods of one shipment. */
export function* dangerousGoodsRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  if (dangerousGoodsCount(world, ordinal) === 0) return
  const [first] = packLineRows(world, ordinal)
  const { description } = cargoOf(world, ordinal, routeOf(world, ordinal))
  const substance = substances.get(/UN(\d{4})/.exec(description)?.[1] ?? '')
  if (!first || !substance) throw new Error(`Shipment ${ordinal} has no substance: ${description}`)
  yield {
    Id: demoId(Stream.DangerousGoods, world.seed, ordinal),
    PackLineId: first.Id as string,
    DangerousSubstanceId: substance.id,
    ProperShippingName: substance.properShippingName,
    HazardClass: substance.hazardClass,
    PackingGroup: substance.packingGroup,
    NetQuantity: first.NetWeightKg as number,
    UnitCode: 'KGM',
    IsLimitedQuantity: false,
    IsMarinePollutant: substance.isMarinePollutant,
    EmergencyContact: 'Dangerous goods desk',
    EmergencyPhone: '+49 40 555 0199',
    CreationTime: first.CreationTime as Date,
  }
}
