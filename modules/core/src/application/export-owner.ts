import {
  ActingErrors,
  BusinessError,
  ConcurrencyError,
  KeelError,
  UnavailableError,
} from '@keel/framework/contracts'
import type { ActingUser } from '@keel/framework/security'
import type { ExportSchedule } from '../domain/export-schedule.js'

/** In whose name a schedule runs, and the limits that it was made with. */
export function actingOwner({ userId, apiKeyId, impersonatorId, culture }: ExportSchedule): ActingUser {
  return {
    userId,
    culture,
    ...(apiKeyId && { apiKeyId }),
    ...(impersonatorId && { impersonatorId }),
  }
}

/** True for what the owner may not do, or nobody can: another attempt would end the same. */
export function isRefusal(error: unknown): boolean {
  return (
    error instanceof KeelError && !(error instanceof UnavailableError || error instanceof ConcurrencyError)
  )
}

const actingCodes: ReadonlySet<string> = new Set(Object.values(ActingErrors))

/** True when the owner may not sign in, or the API key of the schedule has ended. */
export function isActingError(error: unknown): boolean {
  return error instanceof BusinessError && actingCodes.has(error.code ?? '')
}
