import { ambient, Clock, Injectable } from '@keel/framework'
import { faultOf, ValidationError } from '@keel/framework/contracts'
import { sequentialGuid } from '@keel/framework/data'
import { RateCardPermissions, RateCardStatus } from '../contracts/index.js'
import type { RateCard, RateLane, RateLine } from '../domain/rate-card.js'
import { RateBreakStore, RateCardStore, RateLaneStore, RateLineStore } from '../persistence/stores.js'
import { rateCardNotEditable } from './refusals.js'

/** Lanes, lines and breaks are read with their card, and written by those who may change it. */
export class RateCardPartPermissions {
  static readonly View = RateCardPermissions.View
  static readonly Create = RateCardPermissions.Edit
  static readonly Edit = RateCardPermissions.Edit
  static readonly Delete = RateCardPermissions.Edit
}

const told = { audit: 'count', events: 'batch' } as const

/** The lanes, lines and breaks of rate cards: they change with their card. */
@Injectable()
export class RateCardParts {
  constructor(
    private readonly cards: RateCardStore,
    private readonly lanes: RateLaneStore,
    private readonly lines: RateLineStore,
    private readonly breaks: RateBreakStore,
    private readonly clock: Clock,
  ) {}

  /** Refuses a card that is no draft, and a reference to none that the caller sees. Notes that the caller changed it. */
  async changeCard(rateCardId: string, member = 'rateCardId'): Promise<void> {
    const card = await this.cards.find(rateCardId)
    if (!card) throw noSuch(member)
    demandDraft(card)
    await this.cards.update(card, { lastModificationTime: this.clock.now, lastEditorId: editor() })
  }

  async changeLane(rateLaneId: string): Promise<RateLane> {
    const lane = await this.lanes.find(rateLaneId)
    if (!lane) throw noSuch('rateLaneId')
    await this.changeCard(lane.rateCardId)
    return lane
  }

  async changeLine(rateLineId: string): Promise<RateLine> {
    const line = await this.lines.find(rateLineId)
    if (!line) throw noSuch('rateLineId')
    await this.changeLane(line.rateLaneId)
    return line
  }

  /** Deletes a line with its breaks. */
  async removeLine(line: RateLine): Promise<void> {
    for (const one of await this.breaks.ofLine(line.id)) await this.breaks.remove(one)
    await this.lines.remove(line)
  }

  /** Deletes a lane with its lines. */
  async removeLane(lane: RateLane): Promise<void> {
    for (const line of await this.lines.ofLane(lane.id)) await this.removeLine(line)
    await this.lanes.remove(lane)
  }

  async removeOfCard(cardId: string): Promise<void> {
    for (const lane of await this.lanes.ofCard(cardId)) await this.removeLane(lane)
  }

  /** Copies the lanes, lines and breaks of one card to another one. */
  async copy(fromId: string, toId: string): Promise<void> {
    const ids = new Map<string, string>()
    const copied = <T extends { id: string }>(row: T, names: readonly (keyof T)[]) => {
      const id = sequentialGuid()
      ids.set(row.id, id)
      return { ...Object.fromEntries(names.map((name) => [name, row[name]])), id }
    }
    const lanes = await this.lanes.ofCard(fromId)
    const lines = await this.lines.ofCard(fromId)
    const breaks = await this.breaks.ofCard(fromId)
    const newLanes = lanes.map((lane) => ({ ...copied(lane, laneMembers), rateCardId: toId }))
    const newLines = lines.map((line) => ({
      ...copied(line, lineMembers),
      rateLaneId: ids.get(line.rateLaneId) ?? '',
    }))
    const newBreaks = breaks.map((one) => ({
      ...copied(one, breakMembers),
      rateLineId: ids.get(one.rateLineId) ?? '',
    }))
    if (newLanes.length) await this.lanes.insertMany(newLanes, told)
    if (newLines.length) await this.lines.insertMany(newLines, told)
    if (newBreaks.length) await this.breaks.insertMany(newBreaks, told)
  }
}

/** The members of a lane that are copied and compared. */
export const laneMembers = [
  'laneNumber',
  'originType',
  'destinationType',
  'originUnLocode',
  'destinationUnLocode',
  'originZoneId',
  'destinationZoneId',
  'originCountryCode',
  'destinationCountryCode',
  'viaUnLocode',
  'carrierCode',
  'serviceLevelCode',
  'transitDays',
  'departuresPerWeek',
  'freeDays',
  'isActive',
] as const satisfies readonly (keyof RateLane)[]
/** Those of a line. */
export const lineMembers = [
  'chargeCodeId',
  'basis',
  'containerTypeCode',
  'currencyCode',
  'amount',
  'minAmount',
  'maxAmount',
  'appliesWhen',
  'allowHigherBreak',
] as const satisfies readonly (keyof RateLine)[]
/** Those of a break. */
export const breakMembers = ['fromQuantity', 'amount', 'isFlat'] as const

/** Refuses to change a card that is no draft. */
export function demandDraft(card: RateCard): void {
  if (card.status !== RateCardStatus.Draft) throw rateCardNotEditable(card)
}

/** The user at hand, as the last editor of a card. */
export const editor = (): string | null => ambient().principal.userId ?? null

const noSuch = (member: string) => new ValidationError([faultOf(member, 'Validation:NoSuchEntity')])
