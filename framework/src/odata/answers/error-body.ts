import type { ErrorEnvelope } from '../../contracts/index.js'
import { ODataError } from '../syntax/odata-error.js'
import { unsupportedParts } from '../syntax/unsupported.js'

/** A segment of a path may be long. */
const longestTarget = 200

/**
 * An error in OData's JSON: code, message, target, and for a fault of the query its position and the syntax
 * that was expected there. Never a stack, a statement or the name of a table.
 */
export function errorBody(
  error: unknown,
  told: { readonly status: number; readonly envelope: ErrorEnvelope; readonly correlationId: string },
): string {
  const { status, envelope, correlationId } = told
  const { code, message } = envelope.error
  const place = error instanceof ODataError ? error.place : {}
  const details = [
    place.at !== undefined && { code: 'Position', message: String(place.at) },
    place.expected !== undefined && { code: 'Expected', message: place.expected },
    place.unsupported !== undefined && {
      code: place.unsupported,
      message: `The standard describes it in ${unsupportedParts[place.unsupported].section}.`,
    },
    ...(envelope.error.validationErrors ?? []).map((fault) => ({
      code: 'Validation',
      message: fault.message,
      ...(fault.members.length && { target: fault.members.join(', ') }),
    })),
  ].filter((detail) => detail !== false)
  return JSON.stringify({
    error: {
      code: (status === 500 ? correlationId : code) || String(status),
      message,
      ...(place.target !== undefined && { target: place.target.slice(0, longestTarget) }),
      details,
    },
  })
}
