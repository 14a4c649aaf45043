import { ambient } from '@keel/framework'
import { BusinessError, isMailAddress } from '@keel/framework/contracts'
import { demandPermission, isTrustworthyAddress } from '@keel/framework/security'
import { ExportDelivery, ExportErrors, ExportSchedulePermissions } from '../contracts/index.js'
import type { ExportSchedule } from '../domain/export-schedule.js'

type Delivery = Pick<ExportSchedule, 'delivery' | 'emailRecipients' | 'webhookUrl' | 'webhookSecret'>

/** Refuses a time zone that is none, and days that the frequency lacks. */
export function demandTimes({
  timeZone,
  frequency,
  dayOfWeek,
  dayOfMonth,
}: Pick<ExportSchedule, 'timeZone' | 'frequency' | 'dayOfWeek' | 'dayOfMonth'>): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch {
    throw new BusinessError(ExportErrors.InvalidTimeZone, { timeZone })
  }
  if (frequency === 'Weekly' && !dayOfWeek)
    throw new BusinessError(ExportErrors.InvalidDay, { name: 'dayOfWeek' })
  if (frequency === 'Monthly' && !dayOfMonth)
    throw new BusinessError(ExportErrors.InvalidDay, { name: 'dayOfMonth' })
}

/** Refuses a delivery that lacks something, or that the caller may not have. */
export function demandDelivery(schedule: Delivery): void {
  const { delivery, emailRecipients, webhookUrl, webhookSecret } = schedule
  const demand = (name: keyof Delivery, isThere: unknown) => {
    if (!isThere) throw new BusinessError(ExportErrors.DeliveryInvalid, { name })
  }
  if (delivery === ExportDelivery.Email)
    demand('emailRecipients', (emailRecipients ?? []).every(isMailAddress))
  if (delivery === ExportDelivery.Webhook) {
    demand('webhookUrl', webhookUrl && isTrustworthyAddress(webhookUrl) && !new URL(webhookUrl).username)
    demand('webhookSecret', webhookSecret)
  }
  demandDeliveryRights(schedule)
}

/** Refuses callers who may not send to where a schedule sends. */
export function demandDeliveryRights({
  delivery,
  emailRecipients,
}: Pick<Delivery, 'delivery' | 'emailRecipients'>): void {
  const isOutside =
    delivery === ExportDelivery.Webhook ||
    (delivery === ExportDelivery.Email && !(emailRecipients ?? []).every(isOwnAddress))
  if (isOutside) demandPermission(ExportSchedulePermissions.SendOutside)
}

/** The confirmed address of the caller; undefined without one. */
export function ownAddress(): string | undefined {
  const { user } = ambient().principal
  return user?.isEmailConfirmed && isMailAddress(user.email) ? user.email : undefined
}

function isOwnAddress(address: string): boolean {
  return address.toLowerCase() === ownAddress()?.toLowerCase()
}
