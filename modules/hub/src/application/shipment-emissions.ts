import { Clock, Features, Injectable, Settings } from '@keel/framework'
import { ReferenceSets } from '@keel/framework/data'
import { HubErrors, HubFeatures, HubSettings } from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'
import type { EmissionFactor, ShipmentEmission } from '../domain/emission.js'
import { distanceOf, emissionKg, type Factor, factorOf, hundredths } from '../domain/emissions.js'
import { Port } from '../domain/port.js'
import type { Shipment } from '../domain/shipment.js'
import { ConsolLegStore, ConsolShipmentStore } from '../persistence/consol-stores.js'
import { EmissionFactorStore, ShipmentEmissionStore } from '../persistence/emission-stores.js'
import { ShipmentStore } from '../persistence/stores.js'

/** A carriage whose emissions are computed. */
interface Carriage {
  readonly consolLegId: string | null
  readonly transportModeId: string
  readonly departurePortId: string
  readonly arrivalPortId: string
  readonly distanceKm: number | null
}

/** Computes the greenhouse gases of shipments, leg by leg (domain model, section 7.5). */
@Injectable()
export class ShipmentEmissions {
  constructor(
    private readonly emissions: ShipmentEmissionStore,
    private readonly emissionFactors: EmissionFactorStore,
    private readonly shipments: ShipmentStore,
    private readonly links: ConsolShipmentStore,
    private readonly legs: ConsolLegStore,
    private readonly references: ReferenceSets,
    private readonly features: Features,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /**
   * Computes a shipment, and puts the result in the place of the one before. Answers the code of `HubErrors` that says why it can't be computed; then
   * everything stays as it is, as it does while the feature is off.
   */
  async recalculate(shipmentId: string): Promise<string | undefined> {
    if (!(await this.features.isEnabled(HubFeatures.Emissions.name))) return undefined
    const [shipment] = await this.shipments.everyWithIds([shipmentId])
    if (!shipment) return undefined
    const carriages = await this.carriagesOf(shipment)
    const weightKg = shipment.totalGrossWeight
    if (!carriages.length || !weightKg) return HubErrors.EmissionDistanceUnknown
    const computed = await this.compute(shipment, carriages, weightKg / 1000)
    if (typeof computed === 'string') return computed
    const before = await this.emissions.currentOf(shipmentId)
    const isSame = (index: number) =>
      (Object.keys(computed[index] ?? {}) as (keyof ShipmentEmission)[]).every(
        (name) => before[index]?.[name] === (computed[index] as unknown as ShipmentEmission)[name],
      )
    if (before.length === computed.length && computed.every((_, index) => isSame(index))) return undefined
    for (const row of before) await this.emissions.update(row, { isCurrent: false })
    for (const row of computed)
      await this.emissions.insert({ ...row, shipmentId, calculationTime: this.clock.now })
    await this.shipments.update(shipment, {
      co2Emissions: hundredths(computed.reduce((sum, { co2eKg }) => sum + co2eKg, 0)),
    })
    return undefined
  }

  /** The legs of a shipment, else one between its ports. */
  private async carriagesOf(shipment: Shipment): Promise<Carriage[]> {
    const links = await this.links.ofShipments([shipment.id])
    const all = await this.legs.ofConsols(links.map(({ consolId }) => consolId))
    const legs = links.flatMap(({ consolId }) => all.filter((leg) => leg.consolId === consolId))
    if (legs.length)
      return legs.map(({ id: consolLegId, transportModeId, departurePortId, arrivalPortId, distanceKm }) => ({
        ...{ consolLegId, transportModeId, departurePortId, arrivalPortId, distanceKm },
      }))
    const {
      transportModeId,
      firstConsolLegDeparturePortId: departurePortId,
      lastConsolLegArrivalPortId: arrivalPortId,
    } = shipment
    if (!transportModeId || !departurePortId || !arrivalPortId) return []
    return [{ consolLegId: null, transportModeId, departurePortId, arrivalPortId, distanceKm: null }]
  }

  private async compute(shipment: Shipment, carriages: readonly Carriage[], weightTonnes: number) {
    const [codes, ports] = await Promise.all([
      this.references.rows(CodeEntity, [
        shipment.containerModeId,
        ...carriages.map(({ transportModeId }) => transportModeId),
      ]),
      this.references.rows(
        Port,
        carriages.flatMap(({ departurePortId, arrivalPortId }) => [departurePortId, arrivalPortId]),
      ),
    ])
    const positionOf = (id: string) => {
      const [latitude, longitude] = [ports.value(id, 'latitude'), ports.value(id, 'longitude')]
      return latitude && longitude ? { latitude: Number(latitude), longitude: Number(longitude) } : undefined
    }
    const factors = await this.factors()
    const countsRadiativeForcing = await this.settings.isOn(HubSettings.UseRadiativeForcing)
    const rows = []
    for (const [index, carriage] of carriages.entries()) {
      const { consolLegId, transportModeId } = carriage
      const transportMode = codes.value(transportModeId, 'code') ?? ''
      const distance = distanceOf({
        transportMode,
        from: positionOf(carriage.departurePortId),
        to: positionOf(carriage.arrivalPortId),
        distanceKm: carriage.distanceKm,
      })
      if (!distance) return HubErrors.EmissionDistanceUnknown
      const factor = factorOf(factors, {
        transportMode,
        containerMode: shipment.containerModeId && (codes.value(shipment.containerModeId, 'code') ?? null),
        isTemperatureControlled: shipment.isTemperatureControlled,
        distanceKm: distance.km,
        countsRadiativeForcing,
        date: (shipment.actualDeparture ?? shipment.estimatedDeparture ?? this.clock.now)
          .toISOString()
          .slice(0, 10),
      })
      if (!factor) return HubErrors.EmissionFactorNotFound
      const { wtwGramsPerTkm, ttwGramsPerTkm } = factor
      rows.push({
        consolLegId,
        sequence: index + 1,
        transportModeId,
        emissionFactorId: factor.id,
        distanceKm: hundredths(distance.km),
        distanceSource: distance.source,
        weightTonnes,
        wtwGramsPerTkm,
        ttwGramsPerTkm,
        co2eKg: emissionKg(weightTonnes, distance.km, factor, wtwGramsPerTkm),
        co2eTtwKg:
          ttwGramsPerTkm === null ? null : emissionKg(weightTonnes, distance.km, factor, ttwGramsPerTkm),
      })
    }
    return rows
  }

  private async factors(): Promise<Factor[]> {
    const rows = await this.emissionFactors.active()
    const codes = await this.references.rows(
      CodeEntity,
      rows.map(({ transportModeId }) => transportModeId),
    )
    return rows.map((row) => ({
      ...(row.get() as EmissionFactor),
      transportMode: codes.value(row.transportModeId, 'code') ?? '',
      distanceUpliftPercent: Number(row.distanceUpliftPercent),
      distanceAddKm: Number(row.distanceAddKm),
    }))
  }
}
