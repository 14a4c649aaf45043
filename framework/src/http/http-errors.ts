import {
  BusinessError,
  ConcurrencyError,
  EntityNotFoundError,
  type ErrorEnvelope,
  ForbiddenError,
  KeelError,
  TooManyRequestsError,
  UnauthenticatedError,
  UnavailableError,
  UserFriendlyError,
  ValidationError,
} from '../contracts/index.js'
import type { Localization } from '../modularity/localization.js'
import { maskSecrets } from '../modularity/logging.js'
import type { Class } from '../modularity/module.js'

/** The path exists, but not for this verb. */
export class MethodNotAllowedError extends KeelError {
  constructor(
    method: string,
    readonly allowed: readonly string[],
  ) {
    super(`${method} is not allowed here; allowed: ${allowed.join(', ')}.`)
  }
}

/** Nothing answers at this path. */
export class RouteNotFoundError extends KeelError {
  constructor(method: string, path: string) {
    super(`Nothing answers at ${method} ${path}.`)
  }
}

/** The body is of a kind that the operation does not read. */
export class UnsupportedMediaTypeError extends KeelError {}

/** The body is larger than allowed. */
export class PayloadTooLargeError extends KeelError {}

/** The HTTP status of every kind of error (style guide, section 8; abp-http-contract section 4.2). First match. */
const statuses: readonly (readonly [Class<Error>, number])[] = [
  [ValidationError, 400],
  [UnauthenticatedError, 401],
  [ForbiddenError, 403],
  [BusinessError, 403],
  [UserFriendlyError, 403],
  [EntityNotFoundError, 404],
  [RouteNotFoundError, 404],
  [MethodNotAllowedError, 405],
  [ConcurrencyError, 409],
  [PayloadTooLargeError, 413],
  [UnsupportedMediaTypeError, 415],
  [TooManyRequestsError, 429],
  [UnavailableError, 503],
]

/** The status of an error; 500 for what means nothing to a caller. */
export function statusOf(error: unknown): number {
  return statuses.find(([type]) => error instanceof type)?.[1] ?? 500
}

/** How an error is told to a caller. */
export interface ErrorTelling {
  readonly culture: string
  readonly localization: Localization
  /** Tell stack and causes of what is not meant for callers too (interface document, "Errors"; `App:SendExceptionDetails`). */
  readonly verbose: boolean
}

/** An error in ABP's envelope. Statements, connection strings and credentials never appear in it. */
export function envelopeOf(error: unknown, { culture, localization, verbose }: ErrorTelling): ErrorEnvelope {
  if (!(error instanceof KeelError)) {
    const message =
      localization.find('InternalServerError', culture) ?? 'An internal error occurred during your request!'
    return {
      error: {
        code: null,
        message,
        details: verbose ? describe(error) : null,
        data: null,
        validationErrors: null,
      },
    }
  }
  const validationErrors = error instanceof ValidationError ? error.validationErrors : null
  const localized = error.code ? localization.find(error.code, culture, error.data) : undefined
  const details =
    error.details ??
    (validationErrors
      ? narrative(validationErrors.map(({ message }) => message))
      : verbose
        ? describe(error)
        : null)
  const message = error instanceof BusinessError ? (localized ?? error.message) : error.message
  return { error: { code: error.code ?? null, message, details, data: error.data ?? null, validationErrors } }

  function narrative(messages: readonly string[]): string {
    const head =
      localization.find('Validation:Narrative', culture) ??
      'The following errors were detected during validation.'
    return [head, ...messages.map((message) => ` - ${message}`)].join('\n')
  }
}

/** Type, message, stack and causes. Of a failed statement only PostgreSQL's code: its text may hold anybody's data. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'Unknown error'
  const sqlState = sqlStateOf(error)
  const stack = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
  const head = sqlState
    ? `${error.name}: the database refused a statement (${sqlState})`
    : `${error.name}: ${error.message}`
  const cause = error.cause ? `\nCaused by ${describe(error.cause)}` : ''
  return maskSecrets(`${head}\nSTACK TRACE:\n${stack}${cause}`)
}

function sqlStateOf(error: Error): string | undefined {
  const { code, severity, parent, sql } = error as {
    code?: string
    severity?: string
    parent?: { code?: string }
    sql?: string
  }
  if (severity && code) return code
  return sql !== undefined || parent ? (parent?.code ?? 'unknown') : undefined
}
