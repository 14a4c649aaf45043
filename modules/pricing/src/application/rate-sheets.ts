import { ambient, Clock, Injectable, Localization } from '@keel/framework'
import type { FileContent } from '@keel/framework/contracts'
import { expectStamp, type NewRow, ReferenceSets, sequentialGuid } from '@keel/framework/data'
import { countryCode, unLocode } from '../contracts/fields.js'
import {
  ChargeCondition,
  type ImportRateSheetInput,
  LanePointType,
  PricingErrors,
  RateBasis,
  type RateSheetReportDto,
} from '../contracts/index.js'
import { ChargeCode } from '../domain/charge-code.js'
import { Currency } from '../domain/currency.js'
import { exact } from '../domain/exact.js'
import type { RateBreak, RateCard, RateLane, RateLine } from '../domain/rate-card.js'
import { RateZone } from '../domain/rate-zone.js'
import { RateBreakStore, RateCardStore, RateLaneStore, RateLineStore } from '../persistence/stores.js'
import { KnownPorts } from './known-ports.js'
import { breakMembers, demandDraft, editor, laneMembers, lineMembers } from './rate-card-parts.js'
import { type RateSheetColumn, rateSheetFile } from './rate-sheet.js'
import {
  isSameValue,
  mostSheetFaults,
  RateSheetReader,
  type SheetCharge,
  type SheetRowRead,
} from './rate-sheet-reader.js'

const told = { audit: 'count', events: 'batch' } as const

/** Writes cards as sheets, and makes sheets the lanes, lines and breaks of cards. */
@Injectable()
export class RateSheets {
  constructor(
    private readonly cards: RateCardStore,
    private readonly lanes: RateLaneStore,
    private readonly lines: RateLineStore,
    private readonly breaks: RateBreakStore,
    private readonly ports: KnownPorts,
    private readonly references: ReferenceSets,
    private readonly texts: Localization,
    private readonly clock: Clock,
  ) {}

  async export(id: string): Promise<FileContent> {
    const card = await this.cards.get(id)
    const { lanes, lines, breaks } = await this.contentOf(id)
    const zones = await this.references.rows(
      RateZone,
      lanes.flatMap(({ originZoneId, destinationZoneId }) => [originZoneId, destinationZoneId]),
    )
    const charges = await this.references.rows(
      ChargeCode,
      lines.map(({ chargeCodeId }) => chargeCodeId),
    )
    const codeOf = (one: string) => zones.value(one, 'code') ?? charges.value(one, 'code') ?? ''
    return rateSheetFile({ card, lanes, lines, breaks, codeOf }, this.texts, ambient().culture)
  }

  async import(id: string, { file, dryRun, ...input }: ImportRateSheetInput): Promise<RateSheetReportDto> {
    const card = await this.cards.get(id)
    expectStamp(card, input)
    demandDraft(card)
    const before = await this.contentOf(id)
    const reader = new RateSheetReader(this.texts)
    await reader.read(file)
    const sheet = new SheetContent(card, before, reader)
    await this.checkReferences(reader, sheet)
    const plan = sheet.plan()
    const isWritten = !dryRun && !reader.faultCount
    if (isWritten) await this.write(card, plan)
    const { culture } = ambient()
    return {
      ...{ isDryRun: dryRun, isWritten, rowCount: reader.rows.length },
      ...{ lanes: plan.lanes.counts, lines: plan.lines.counts, breaks: plan.breaks.counts },
      faultCount: reader.faultCount,
      faults: reader.faults.map(({ text: { key, data }, ...place }) => ({
        ...place,
        code: key,
        message: this.texts.find(key, culture, data) ?? key,
      })),
    }
  }

  private async contentOf(id: string): Promise<CardContent> {
    return {
      lanes: await this.lanes.ofCard(id),
      lines: await this.lines.ofCard(id),
      breaks: await this.breaks.ofCard(id),
    }
  }

  /** Refuses cells that name zones, charges, currencies and ports which do not exist. Those that the card names already are known. */
  private async checkReferences(reader: RateSheetReader, sheet: SheetContent): Promise<void> {
    const { rows } = reader
    const valuesOf = (column: RateSheetColumn) =>
      [...new Set(rows.flatMap(({ values }) => values[column] ?? []))] as string[]
    const charges = await this.references.matching(ChargeCode, 'code', valuesOf('chargeCode'))
    const currencies = await this.references.matching(Currency, 'code', valuesOf('currencyCode'))
    const zoneCodes = [...valuesOf('origin'), ...valuesOf('destination')]
    const zones = await this.references.matching(RateZone, 'code', zoneCodes)
    const known = new Map<string, boolean>(sheet.ports.map((port) => [port, true]))
    const isPort = async (code: string): Promise<boolean> => {
      // Hub is not asked for ever more codes of a file that is full of faults.
      const isAsked = reader.faultCount < mostSheetFaults
      const found =
        known.get(code) ?? (unLocode.safeParse(code).success && (!isAsked || !!(await this.ports.find(code))))
      known.set(code, found)
      return found
    }
    for (const row of rows) {
      const { chargeCode, currencyCode, viaUnLocode } = row.values
      const [chargeId] = chargeCode ? charges.idsBy('code', chargeCode) : []
      if (chargeId && charges.value(chargeId, 'isActive') === 'f' && !sheet.usesCharge(chargeId))
        reader.refuse(row, 'chargeCode', 'Pricing:Validation:DeactivatedCharge', { code: chargeCode })
      if (chargeId) sheet.charges.set(row, chargeId)
      else if (chargeCode)
        reader.refuse(row, 'chargeCode', 'Pricing:Validation:UnknownCharge', { code: chargeCode })
      const [currencyId] = currencyCode ? currencies.idsBy('code', currencyCode) : []
      if (currencyCode && !currencyId)
        reader.refuse(row, 'currencyCode', PricingErrors.CurrencyUnknown, { code: currencyCode })
      if (
        currencyCode &&
        currencyId &&
        currencies.value(currencyId, 'isActive') === 'f' &&
        !sheet.usesCurrency(currencyCode)
      )
        reader.refuse(row, 'currencyCode', PricingErrors.CurrencyDeactivated, { code: currencyCode })
      if (viaUnLocode && !(await isPort(viaUnLocode)))
        reader.refuse(row, 'viaUnLocode', PricingErrors.UnknownPort, { unLocode: viaUnLocode })
      for (const end of ['origin', 'destination'] as const) {
        const [type, place] = [row.values[`${end}Type`], row.values[end]]
        if (!place) continue
        if (type === LanePointType.Port && !(await isPort(place)))
          reader.refuse(row, end, PricingErrors.UnknownPort, { unLocode: place })
        if (type === LanePointType.Country && !countryCode.safeParse(place).success)
          reader.refuse(row, end, 'Validation:CountryCode')
        if (type !== LanePointType.Zone) continue
        const zoneId = zones.idsBy('code', place).find((one) => zones.value(one, 'isDeleted') !== 't')
        if (zoneId) sheet.zones.set(place, zoneId)
        else reader.refuse(row, end, 'Pricing:Validation:UnknownZone', { code: place })
      }
    }
  }

  private async write(card: RateCard, { lanes, lines, breaks }: SheetPlan): Promise<void> {
    if (![lanes, lines, breaks].some(({ isEmpty }) => !isEmpty)) return
    // The stamp of the card that was read: of two imports at once the second is refused.
    await this.cards.update(card, { lastModificationTime: this.clock.now, lastEditorId: editor() })
    for (const one of breaks.removed) await this.breaks.remove(one)
    for (const one of lines.removed) await this.lines.remove(one)
    for (const one of lanes.removed) await this.lanes.remove(one)
    if (lanes.changed.length) await this.lanes.updateMany(lanes.changed, told)
    if (lanes.added.length) await this.lanes.insertMany(lanes.added, told)
    if (lines.changed.length) await this.lines.updateMany(lines.changed, told)
    if (lines.added.length) await this.lines.insertMany(lines.added, told)
    if (breaks.changed.length) await this.breaks.updateMany(breaks.changed, told)
    if (breaks.added.length) await this.breaks.insertMany(breaks.added, told)
  }
}

/** The parts of a card. */
interface CardContent {
  readonly lanes: readonly RateLane[]
  readonly lines: readonly RateLine[]
  readonly breaks: readonly RateBreak[]
}

/** What is written so that a card has the content of a sheet. */
interface SheetPlan {
  readonly lanes: Changes<RateLane>
  readonly lines: Changes<RateLine>
  readonly breaks: Changes<RateBreak>
}

/** Rows of an entity that are added, changed and removed. */
class Changes<T extends { readonly id: string }> {
  readonly added: (NewRow<T> & { readonly id: string })[] = []
  readonly changed: (NewRow<T> & { readonly id: string })[] = []
  removed: readonly T[] = []
  private readonly kept = new Set<string>()

  constructor(
    private readonly members: readonly (keyof T & string)[],
    private readonly before: ReadonlyMap<string, T>,
  ) {}

  get counts() {
    return { added: this.added.length, changed: this.changed.length, removed: this.removed.length }
  }

  get isEmpty(): boolean {
    return !this.added.length && !this.changed.length && !this.removed.length
  }

  /** Plans that there is a row with a key and these values. Answers its id. */
  take(key: string, values: object): string {
    const row = this.before.get(key)
    if (!row) {
      const id = sequentialGuid()
      this.added.push({ ...values, id } as never)
      return id
    }
    this.kept.add(row.id)
    const given = values as Record<string, unknown>
    if (this.members.some((member) => !isSameValue(member, given[member], row[member])))
      this.changed.push({ ...given, id: row.id } as never)
    return row.id
  }

  /** Plans that all other rows go. */
  removeOthers(): this {
    this.removed = [...this.before.values()].filter(({ id }) => !this.kept.has(id))
    return this
  }
}

/** A sheet beside the card whose content it becomes. */
class SheetContent {
  /** The ids of charges that rows name, and of zones by their codes. */
  readonly charges = new Map<SheetRowRead, string>()
  readonly zones = new Map<string, string>()

  constructor(
    private readonly card: RateCard,
    private readonly before: CardContent,
    private readonly reader: RateSheetReader,
  ) {}

  /** The ports that the card names. */
  get ports(): string[] {
    return this.before.lanes.flatMap(({ originUnLocode, destinationUnLocode, viaUnLocode }) =>
      [originUnLocode, destinationUnLocode, viaUnLocode].filter((port) => port !== null),
    )
  }

  /** True for a charge, and a currency, that lines of the card have: they stay although they were deactivated. */
  usesCharge(id: string): boolean {
    return this.before.lines.some(({ chargeCodeId }) => chargeCodeId === id)
  }

  usesCurrency(code: string): boolean {
    return this.before.lines.some(({ currencyCode }) => currencyCode === code)
  }

  /** The difference between the card and the sheet. Rows with faulty cells count as far as they were understood. */
  plan(): SheetPlan {
    const { before } = this
    const lanes = new Changes<RateLane>(
      laneMembers,
      new Map(before.lanes.map((lane) => [String(lane.laneNumber), lane])),
    )
    const lines = new Changes<RateLine>(
      lineMembers,
      new Map(before.lines.map((line) => [lineKey(line.rateLaneId, line), line])),
    )
    const breaks = new Changes<RateBreak>(
      breakMembers,
      new Map(before.breaks.map((one) => [breakKey(one.rateLineId, one.fromQuantity), one])),
    )
    for (const [laneNumber, { row, charges }] of this.reader.lanes) {
      const rateLaneId = lanes.take(String(laneNumber), this.laneOf(laneNumber, row))
      for (const charge of charges.values()) {
        const line = this.lineOf(charge, rateLaneId)
        const rateLineId = lines.take(lineKey(rateLaneId, line), line)
        for (const one of charge.breaks)
          breaks.take(breakKey(rateLineId, one.fromQuantity), { ...one, rateLineId })
      }
    }
    return { lanes: lanes.removeOthers(), lines: lines.removeOthers(), breaks: breaks.removeOthers() }
  }

  private laneOf(laneNumber: number, { values }: SheetRowRead): NewRow<RateLane> {
    const { viaUnLocode, carrierCode, serviceLevelCode, transitDays, departuresPerWeek, freeDays } = values
    const { originType, origin, destinationType, destination } = values
    const ofType = (type: LanePointType, wanted: LanePointType, place: string | null | undefined) =>
      type === wanted ? (place ?? null) : null
    const { Port, Zone, Country, Any } = LanePointType
    const [from, to] = [originType ?? Any, destinationType ?? Any]
    return {
      rateCardId: this.card.id,
      ...{ laneNumber, originType: from, destinationType: to },
      originUnLocode: ofType(from, Port, origin),
      destinationUnLocode: ofType(to, Port, destination),
      originZoneId: this.zones.get(ofType(from, Zone, origin) ?? '') ?? null,
      destinationZoneId: this.zones.get(ofType(to, Zone, destination) ?? '') ?? null,
      originCountryCode: ofType(from, Country, origin),
      destinationCountryCode: ofType(to, Country, destination),
      ...{ viaUnLocode: viaUnLocode ?? null, carrierCode: carrierCode ?? null },
      ...{ serviceLevelCode: serviceLevelCode ?? null, transitDays: transitDays ?? null },
      ...{ departuresPerWeek: departuresPerWeek ?? null, freeDays: freeDays ?? null },
      isActive: values.isActive ?? true,
    }
  }

  private lineOf({ row }: SheetCharge, rateLaneId: string) {
    const { basis, containerTypeCode, currencyCode, amount, minAmount, maxAmount } = row.values
    return {
      rateLaneId,
      chargeCodeId: this.charges.get(row) ?? '',
      basis: basis ?? RateBasis.PerShipment,
      containerTypeCode: containerTypeCode ?? null,
      currencyCode: currencyCode ?? this.card.currencyCode,
      ...{ amount: amount ?? null, minAmount: minAmount ?? null, maxAmount: maxAmount ?? null },
      appliesWhen: row.values.appliesWhen ?? ChargeCondition.Always,
      allowHigherBreak: row.values.allowHigherBreak ?? true,
    }
  }
}

const lineKey = (
  laneId: string,
  line: Pick<RateLine, 'chargeCodeId' | 'containerTypeCode' | 'appliesWhen'>,
): string => [laneId, line.chargeCodeId, line.containerTypeCode ?? '', line.appliesWhen].join(' ')
const breakKey = (lineId: string, fromQuantity: string): string =>
  `${lineId} ${exact(fromQuantity).toFixed()}`
