import {
  BusinessError,
  ConcurrencyError,
  EntityNotFoundError,
  type ErrorEnvelope,
  ForbiddenError,
  KeelError,
  LimitReachedError,
  type TextReference,
  TooManyRequestsError,
  UnauthenticatedError,
  UnavailableError,
  UserFriendlyError,
  ValidationError,
  type ValidationFault,
} from '../../contracts/index.js'
import type { Class } from '../../modularity/class.js'
import { failedStatement } from '../../modularity/failed-statement.js'
import type { Localization } from '../../modularity/localization.js'
import { type Logger, maskSecrets } from '../../modularity/logging.js'
import { StatusError } from './status-error.js'

/** The path exists, but not for this verb. */
export class MethodNotAllowedError extends KeelError {
  override readonly name: string = 'MethodNotAllowedError'

  constructor(
    method: string,
    readonly allowed: readonly string[],
  ) {
    super(`${method} is not allowed here; allowed: ${allowed.join(', ')}.`, {
      text: { key: 'Http:MethodNotAllowed', data: { method, allowed: allowed.join(', ') } },
    })
  }
}

/** Nothing answers at this path. */
export class RouteNotFoundError extends KeelError {
  override readonly name: string = 'RouteNotFoundError'

  constructor(method: string, path: string) {
    super(`Nothing answers at ${method} ${path}.`, {
      text: { key: 'Http:RouteNotFound', data: { method, path } },
    })
  }
}

/** The body is of a kind that the operation does not read. */
export class UnsupportedMediaTypeError extends KeelError {
  override readonly name: string = 'UnsupportedMediaTypeError'

  /** @param given the `Content-Type` it came with */
  static expecting(expected: string, given: string | undefined): UnsupportedMediaTypeError {
    return new UnsupportedMediaTypeError(
      `The body must be ${expected}, not ${given ?? 'without a content type'}.`,
      {
        text: given
          ? { key: 'Http:UnsupportedMediaType', data: { expected, type: given } }
          : { key: 'Http:NoMediaType', data: { expected } },
      },
    )
  }

  /** @param encoding the `Content-Encoding` it came with */
  static ofEncoding(encoding: string): UnsupportedMediaTypeError {
    return new UnsupportedMediaTypeError(`unsupported content encoding "${encoding}"`, {
      text: { key: 'Http:ContentEncoding', data: { encoding } },
    })
  }
}

/** The body is larger than allowed. */
export class PayloadTooLargeError extends KeelError {
  override readonly name: string = 'PayloadTooLargeError'

  /** The body as a whole. */
  static ofBody(maxBytes: number): PayloadTooLargeError {
    return new PayloadTooLargeError(`The body is larger than ${maxBytes} bytes.`, {
      text: { key: 'Http:PayloadTooLarge', data: { maxBytes } },
    })
  }

  /** One file in it. */
  static ofFile(maxBytes: number): PayloadTooLargeError {
    return new PayloadTooLargeError(`The file is larger than ${maxBytes} bytes.`, {
      text: { key: 'Http:FileTooLarge', data: { maxBytes } },
    })
  }
}

/** Of a file a part is asked for that it does not have. */
export class RangeNotSatisfiableError extends KeelError {
  override readonly name: string = 'RangeNotSatisfiableError'

  /** @param size of the whole file, in bytes */
  constructor(readonly size: number) {
    super(`The file has ${size} bytes, none of which are in the range that is asked for.`, {
      text: { key: 'Http:RangeNotSatisfiable', data: { size } },
    })
  }
}

/**
 * The HTTP status of every kind of error (style guide, section 8; abp-http-contract section 4.2). First
 * match.
 */
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
  [RangeNotSatisfiableError, 416],
  [TooManyRequestsError, 429],
  [UnavailableError, 503],
]

/** The status of an error; 500 for what means nothing to a caller. */
export function statusOf(error: unknown): number {
  if (error instanceof StatusError) return error.httpStatus
  return statuses.find(([type]) => error instanceof type)?.[1] ?? 500
}

/**
 * Logs a request that was answered with 5xx: as an error with its stack, but as a warning without one when a limit turned it away.
 * @param request what names the request
 */
export function logFailedRequest(logger: Logger, error: unknown, request: object): void {
  if (error instanceof LimitReachedError)
    logger.warn({ ...request, reason: error.message }, 'request turned away')
  else logger.error({ err: error, ...request }, 'request failed')
}

/** The answer to a caller for an error. */
export interface ErrorTelling {
  readonly culture: string
  readonly localization: Localization
  /**
   * Tell stack, causes and data in the details (interface document, "Errors"; `App:SendExceptionDetails`).
   */
  readonly verbose: boolean
}

/**
 * An error in ABP's envelope, in the caller's language. Statements, connection strings and credentials never
 * appear in it.
 */
export function envelopeOf(error: unknown, { culture, localization, verbose }: ErrorTelling): ErrorEnvelope {
  const known = error instanceof KeelError ? error : undefined
  const validationErrors = error instanceof ValidationError ? error.validationErrors.map(tellFault) : null
  // The error of another host of ours is kept as that host reported it.
  const isToldAlready = known?.status !== undefined && known.details !== undefined
  const details = [
    known?.details ?? (validationErrors ? narrative() : undefined),
    verbose && !isToldAlready ? describe(error) : undefined,
  ].filter((part) => part !== undefined)
  return {
    error: {
      code: known?.code ?? null,
      message: known ? tellMessage(known) : say({ key: 'InternalServerErrorMessage' }, 'Internal error'),
      details: details.length ? details.join('\n') : null,
      data: known?.data ?? null,
      validationErrors,
    },
  }

  /** Names of entities have texts: `Entity:Shipment`. */
  function say({ key, data = {} }: TextReference, otherwise: string): string {
    const { entity } = data
    const name = typeof entity === 'string' && localization.find(`Entity:${entity}`, culture)
    return localization.find(key, culture, name ? { ...data, entity: name } : data) ?? otherwise
  }

  /** An error of another host is in the caller's language already. */
  function tellMessage({ text, code, data, message, status }: KeelError): string {
    if (text && status === undefined) return say(text, message)
    return code && error instanceof BusinessError
      ? say({ key: code, ...(data && { data }) }, message)
      : message
  }

  function tellFault({ message, members, text }: ValidationFault): ValidationFault {
    if (!text) return { message, members }
    const told = say(text, message)
    return { message: members.length && told !== message ? `${members.join(', ')}: ${told}` : told, members }
  }

  function narrative(): string {
    const title = say({ key: 'ValidationNarrativeErrorMessageTitle' }, '')
    return [title, ...(validationErrors ?? []).map(({ message }) => ` - ${message}`)].join('\n')
  }
}

/** Deeper causes tell nobody more. */
const deepestCause = 8

/**
 * Type, message, data, stack and causes. Of a failed statement what PostgreSQL said of it and its text,
 * without anybody's data.
 */
function describe(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return 'Unknown error'
  const isRefusal = sqlStateOf(error) !== undefined
  const stack = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
  const head = isRefusal ? `${error.name}: ${tellRefusal(error)}` : `${error.name}: ${error.message}`
  const data = error instanceof KeelError && error.data ? `\nDATA: ${JSON.stringify(error.data)}` : ''
  const inner = error instanceof AggregateError ? error.errors : []
  const causes = [error.cause, ...inner]
    .filter((cause) => cause && depth < deepestCause)
    .map((cause) => `\nCaused by ${describe(cause, depth + 1)}`)
  return maskSecrets(`${withoutConnections(head + data)}\nSTACK TRACE:\n${stack}`) + causes.join('')
}

function tellRefusal(error: Error): string {
  const failed = failedStatement(error)
  const head = `the database refused a statement (${failed?.sqlState ?? sqlStateOf(error)})`
  if (!failed) return head
  const { message, table, column, constraint, statement } = failed
  const parts = { TABLE: table, COLUMN: column, CONSTRAINT: constraint, STATEMENT: statement }
  const told = Object.entries(parts).flatMap(([name, value]) => (value ? `\n${name}: ${value}` : []))
  return `${head}: ${message}${told.join('')}`
}

/** Where a database is and who opens it is nobody else's business, even without the password. */
function withoutConnections(text: string): string {
  return text
    .replace(/\bpostgres(?:ql)?:\/\/[^\s"']+/gi, 'postgres://***')
    .replace(/\b(?:host|server|data source)\s*=[^;\n]{1,256};[^\n"']*/gi, '***')
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
