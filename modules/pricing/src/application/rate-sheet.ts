import type { Localization } from '@keel/framework'
import { Dto, type FileContent, pascalCase, type z } from '@keel/framework/contracts'
import { type ImportColumn, importColumnOf } from '@keel/framework/imports'
import { type SheetColumns, type SheetRow, spreadsheetFile } from '@keel/framework/spreadsheets'
import { shortCode } from '../contracts/fields.js'
import { LanePointType, RateBreakItem, RateLaneInput, RateLineInput } from '../contracts/index.js'
import type { RateBreak, RateCard, RateLane, RateLine } from '../domain/rate-card.js'

const [lane, line, item] = [RateLaneInput.shape, RateLineInput.shape, RateBreakItem.shape]

/** The columns of a rate sheet that describe a lane. */
export const laneShape = {
  originType: lane.originType.nullish(),
  origin: shortCode.nullish(),
  destinationType: lane.destinationType.nullish(),
  destination: shortCode.nullish(),
  viaUnLocode: lane.viaUnLocode,
  carrierCode: lane.carrierCode,
  serviceLevelCode: lane.serviceLevelCode,
  transitDays: lane.transitDays,
  departuresPerWeek: lane.departuresPerWeek,
  freeDays: lane.freeDays,
  isActive: lane.isActive,
}

/** Those that describe a charge on the lane. */
export const lineShape = {
  chargeCode: shortCode.nullish(),
  basis: line.basis.nullish(),
  containerTypeCode: line.containerTypeCode,
  currencyCode: line.currencyCode.nullish(),
  amount: line.amount,
  minAmount: line.minAmount,
  maxAmount: line.maxAmount,
  appliesWhen: line.appliesWhen,
  allowHigherBreak: line.allowHigherBreak,
}

/** Those that describe a quantity break of the charge. */
export const breakShape = {
  fromQuantity: item.fromQuantity.nullish(),
  breakAmount: item.amount.nullish(),
  isFlat: item.isFlat,
}

/** A row of a rate sheet: of a lane, a charge on it, and a break of that. */
export class RateSheetRow extends Dto({
  laneNumber: lane.laneNumber,
  ...laneShape,
  ...lineShape,
  ...breakShape,
}) {}

/** The name of a column. */
export type RateSheetColumn = keyof typeof RateSheetRow.shape

/** The columns of a rate sheet, from left to right. */
export const rateSheetColumns: readonly ImportColumn[] = Object.entries(RateSheetRow.shape).map(
  ([name, schema]) => importColumnOf(name, schema as z.ZodType),
)

/** The header of a column in a language. */
export function sheetHeaderOf(texts: Localization, culture: string, name: string): string {
  const key = pascalCase(name)
  return texts.label('Pricing', 'RateSheet', key, culture) ?? key
}

/** What a rate sheet shows of a card. */
export interface RateSheetContent {
  readonly card: RateCard
  readonly lanes: readonly RateLane[]
  readonly lines: readonly RateLine[]
  readonly breaks: readonly RateBreak[]
  /** The codes of zones and charges by their ids. */
  codeOf(id: string): string
}

/** A card as a workbook in a language: a row for each break, else for each line, else for each lane. */
export function rateSheetFile(content: RateSheetContent, texts: Localization, culture: string): FileContent {
  const columns = Object.fromEntries(
    rateSheetColumns.map(({ name, kind, enumeration }) => {
      const header = sheetHeaderOf(texts, culture, name)
      return [name, { header, kind: enumeration ? ('text' as const) : kind }]
    }),
  )
  const { reference } = content.card
  return spreadsheetFile(
    'xlsx',
    reference.replace(/[^\w.-]+/g, '-'),
    columns,
    rowsOf(content, (name, value) => shownEnumeration(texts, culture, name, value)),
    { sheetName: reference },
  )
}

function shownEnumeration(texts: Localization, culture: string, name: string, value: number): string {
  const enumeration = rateSheetColumns.find((column) => column.name === name)?.enumeration
  return (
    texts.find(`Enum:${enumeration?.name}.${value}`, culture) ?? enumeration?.byValue.get(value) ?? `${value}`
  )
}

function* rowsOf(
  { lanes, lines, breaks, codeOf }: RateSheetContent,
  shown: (name: RateSheetColumn, value: number) => string,
): Generator<SheetRow<SheetColumns>> {
  const linesOf = groupedBy(lines, ({ rateLaneId }) => rateLaneId)
  const breaksOf = groupedBy(breaks, ({ rateLineId }) => rateLineId)
  for (const lane of lanes.toSorted((a, b) => a.laneNumber - b.laneNumber)) {
    const { viaUnLocode, carrierCode, serviceLevelCode, transitDays, departuresPerWeek, freeDays } = lane
    const ofLane = {
      laneNumber: lane.laneNumber,
      originType: shown('originType', lane.originType),
      origin: placeOf(lane, 'origin', codeOf),
      destinationType: shown('destinationType', lane.destinationType),
      destination: placeOf(lane, 'destination', codeOf),
      ...{ viaUnLocode, carrierCode, serviceLevelCode, transitDays, departuresPerWeek, freeDays },
      isActive: lane.isActive,
    }
    const own = linesOf.get(lane.id) ?? []
    if (!own.length) yield ofLane
    const sorted = own
      .map((line) => ({ line, code: codeOf(line.chargeCodeId) }))
      .sort((a, b) => compare(keyOf(a), keyOf(b)))
    for (const { line, code } of sorted) {
      const { containerTypeCode, currencyCode, amount, minAmount, maxAmount, allowHigherBreak } = line
      const ofLine = {
        ...ofLane,
        chargeCode: code,
        basis: shown('basis', line.basis),
        ...{ containerTypeCode, currencyCode, amount, minAmount, maxAmount, allowHigherBreak },
        appliesWhen: shown('appliesWhen', line.appliesWhen),
      }
      const steps = (breaksOf.get(line.id) ?? []).toSorted(
        (a, b) => Number(a.fromQuantity) - Number(b.fromQuantity),
      )
      if (!steps.length) yield ofLine
      for (const { fromQuantity, amount: breakAmount, isFlat } of steps)
        yield { ...ofLine, fromQuantity, breakAmount, isFlat }
    }
  }
}

function groupedBy<T>(rows: readonly T[], keyOf: (row: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}

const keyOf = ({ line, code }: { line: RateLine; code: string }) =>
  `${code} ${line.containerTypeCode ?? ''} ${line.appliesWhen}`
const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other))

/** The place of an end of a lane, as its type names it; null for anywhere. */
function placeOf(
  lane: RateLane,
  end: 'origin' | 'destination',
  codeOf: (id: string) => string,
): string | null {
  const zoneId = lane[`${end}ZoneId`]
  switch (lane[`${end}Type`]) {
    case LanePointType.Port:
      return lane[`${end}UnLocode`]
    case LanePointType.Zone:
      return zoneId && codeOf(zoneId)
    case LanePointType.Country:
      return lane[`${end}CountryCode`]
    default:
      return null
  }
}
