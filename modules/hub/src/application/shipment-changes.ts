import { randomUUID } from 'node:crypto'
import {
  Severity,
  type ShipmentScheduleChangedEto,
  ShipmentStatus,
  type ShipmentUpdatedEto,
  type UpdateShipmentDto,
} from '../contracts/index.js'
import type { Shipment } from '../domain/shipment.js'
import type { ShipmentException } from '../domain/shipment-exception.js'
import { occurrenceOf } from './occurrence.js'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Members of a shipment that estimated times of milestones follow. */
const milestoneDates = new Set([
  ...['cargoReadyDate', 'estimatedPickup', 'estimatedDeparture', 'estimatedArrival', 'estimatedDelivery'],
])

/** The values of events about a change of a shipment. */
export interface ShipmentChangeEvents {
  readonly updated: NonNullable<ConstructorParameters<typeof ShipmentUpdatedEto>[0]>
  /** Of an estimated arrival that moved by a day or more. */
  readonly rescheduled: ConstructorParameters<typeof ShipmentScheduleChangedEto>[0]
}

/** The members that a change gives other values than before. */
export function changedMembersOf(before: Shipment, changes: Partial<UpdateShipmentDto>): string[] {
  return Object.entries(changes)
    .filter(([name, value]) => value !== undefined && !isSame(value, before[name as keyof Shipment]))
    .map(([name]) => name)
}

/** The events of a change of these members. */
export function changeEventsOf(
  before: Shipment,
  { estimatedArrival: newEta }: Pick<UpdateShipmentDto, 'estimatedArrival'>,
  changedFields: string[],
  now: Date,
): ShipmentChangeEvents {
  const occurrence = occurrenceOf(before, now)
  const { estimatedArrival: oldEta } = before
  const isMoved = oldEta && newEta && Math.abs(newEta.getTime() - oldEta.getTime()) >= dayMs
  return {
    updated: { ...occurrence, changedFields },
    rescheduled: isMoved ? { ...occurrence, eventId: randomUUID(), oldEta, newEta } : undefined,
  }
}

/** True when estimated times of milestones follow one of these members. */
export function movesMilestones(members: readonly string[]): boolean {
  return members.some((member) => milestoneDates.has(member))
}

/** The delay of a shipment whose arrival is now expected a day later or more, critical from three days on. Drafts are still being planned. */
export function delayOf(
  before: Shipment,
  estimatedArrival: Date | null | undefined,
): Pick<ShipmentException, 'severity' | 'delayHours'> | undefined {
  if (before.status === ShipmentStatus.Draft || !before.estimatedArrival || !estimatedArrival)
    return undefined
  const hours = Math.floor((estimatedArrival.getTime() - before.estimatedArrival.getTime()) / hourMs)
  if (hours < 24) return undefined
  return {
    severity: hours < 72 ? Severity.Warning : Severity.Critical,
    delayHours: Math.min(hours, 8760),
  }
}

/** True for equal values; points in time are compared by their milliseconds. */
function isSame(one: unknown, other: unknown): boolean {
  return one instanceof Date && other instanceof Date ? one.getTime() === other.getTime() : one === other
}
