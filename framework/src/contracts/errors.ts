import { readEnvelope } from './error-envelope.js'

/** A text of the localization files, with what fills its `{placeholders}`. */
export interface TextReference {
  readonly key: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** One fault of an input. `members` are the camelCase paths it concerns, empty when it concerns the whole. */
export interface ValidationFault {
  readonly message: string
  readonly members: readonly string[]
  /** The message without its members as a text of every language; it never leaves the process. */
  readonly text?: TextReference | undefined
}

/**
 * A fault with a message in the caller's language.
 * @example throw new ValidationError([faultOf('endDate', 'Hub:Validation:EndsBeforeStart')])
 */
export function faultOf(member: string, key: string, data: TextReference['data'] = {}): ValidationFault {
  return { message: `${member}: ${key}`, members: [member], text: { key, data } }
}

/** The data of an error beside its message; all of it is sent to the caller. */
export interface ErrorOptions {
  readonly code?: string
  readonly details?: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
  /** The message as a text of every language; it never leaves the process. */
  readonly text?: TextReference
}

/**
 * The base of every error that means something to a caller. The proxies throw the same classes again, so
 * compare `code`, never texts. HTTP statuses are decided in `framework/src/http` alone; `status` is filled in
 * where an error came back over the wire.
 */
export abstract class KeelError extends Error {
  /** The class' name as text, the same in a minified build. */
  abstract override readonly name: string
  readonly code: string | undefined
  readonly details: string | undefined
  readonly data: Readonly<Record<string, unknown>> | undefined
  readonly text: TextReference | undefined
  /** The HTTP status this error arrived with; undefined where it was thrown. */
  status?: number

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.code = options.code
    this.details = options.details
    this.data = options.data
    this.text = options.text
  }
}

/** The input breaks the contract; `validationErrors` lists every fault at once. */
export class ValidationError extends KeelError {
  override readonly name: string = 'ValidationError'

  constructor(
    readonly validationErrors: readonly ValidationFault[],
    options: ErrorOptions = {},
  ) {
    super('Your request is not valid!', { text: { key: 'ValidationErrorMessage' }, ...options })
  }
}

/** We do not know who asks. */
export class UnauthenticatedError extends KeelError {
  override readonly name: string = 'UnauthenticatedError'

  constructor(message?: string, options: ErrorOptions = {}) {
    super(message ?? 'Authentication is required to access this resource.', {
      code: 'Volo.Authorization:010001',
      ...(message === undefined && { text: { key: 'AuthenticationRequired' } }),
      ...options,
    })
  }
}

/** We know who asks, and they may not. */
export class ForbiddenError extends KeelError {
  override readonly name: string = 'ForbiddenError'

  constructor(message?: string, options: ErrorOptions = {}) {
    super(message ?? 'You are not allowed to perform this operation.', {
      code: 'Volo.Authorization:010001',
      ...(message === undefined && { text: { key: 'Forbidden' } }),
      ...options,
    })
  }
}

/**
 * A rule of the domain says no. The text is looked up by the code in the localization of the module that the
 * code names, with `{name}` filled from `data`.
 */
export class BusinessError extends KeelError {
  override readonly name: string = 'BusinessError'

  constructor(
    code: string,
    data: Readonly<Record<string, unknown>> = {},
    options: Omit<ErrorOptions, 'code' | 'data'> & { message?: string } = {},
  ) {
    super(options.message ?? code, { ...options, code, data })
  }
}

/** What stands for members of an error's data in its message: the key of a text, or several for a list. */
export type WordsOfData = Readonly<Record<string, string | readonly string[]>>

/**
 * A rule says no: with codes in the data, for programs, and the words of the caller's language for them in the message.
 * @param words of members of the data
 * @example refusalInWords('Fleet:TripNotPlanned', { code, status: 'Ended' }, { status: 'Enum:TripStatus.2' })
 */
export function refusalInWords(
  code: string,
  data: Readonly<Record<string, unknown>>,
  words: WordsOfData,
): BusinessError {
  const texts = Object.entries(words).map(([name, keys]) => [
    name,
    typeof keys === 'string' ? { key: keys } : keys.map((key) => ({ key })),
  ])
  return new BusinessError(code, data, {
    text: { key: code, data: { ...data, ...Object.fromEntries(texts) } },
  })
}

/** The code of a {@link BusinessError}: the caller would give or take over rights that they do not hold. */
export const beyondOwnRights = 'Keel:BeyondOwnRights'

/** The code of a {@link ConcurrencyError}: an earlier request with the same `Idempotency-Key` is under way. */
export const idempotencyKeyInUse = 'Keel:IdempotencyKeyInUse'

/** The codes of a {@link BusinessError}: nothing runs in the name of this user. */
export const ActingErrors = {
  UserDeleted: 'Keel:ActingUserDeleted',
  UserInactive: 'Keel:ActingUserInactive',
  UserLockedOut: 'Keel:ActingUserLockedOut',
  /** The API key that started the work was deleted or deactivated, or has expired. */
  ApiKeyEnded: 'Keel:ActingApiKeyEnded',
  /** The impersonator who started the work may not act as the user any more. */
  ImpersonationEnded: 'Keel:ActingImpersonationEnded',
} as const

/** A rule says no, in words that are meant for the person at the screen as they are. */
export class UserFriendlyError extends KeelError {
  override readonly name: string = 'UserFriendlyError'
}

/** No such thing, or none that this caller may see. */
export class EntityNotFoundError extends KeelError {
  override readonly name: string = 'EntityNotFoundError'

  constructor(entity: string, id: unknown, options: ErrorOptions = {}) {
    super(`There is no entity ${entity} with id = ${String(id)}!`, {
      data: { entity, id },
      text: { key: 'EntityNotFoundErrorMessage', data: { entity, id } },
      ...options,
    })
  }
}

/** True a moment ago: somebody else changed the thing meanwhile. */
export class ConcurrencyError extends KeelError {
  override readonly name: string = 'ConcurrencyError'

  constructor(message?: string, options: ErrorOptions = {}) {
    super(
      message ??
        'The data you have submitted has already been changed by another user. Discard your changes and try again.',
      { ...(message === undefined && { text: { key: 'AbpDbConcurrencyErrorMessage' } }), ...options },
    )
  }
}

/** The caller asks more often than they may. `retryAfterSeconds` says when they may again. */
export class TooManyRequestsError extends KeelError {
  override readonly name: string = 'TooManyRequestsError'

  constructor(
    readonly retryAfterSeconds: number,
    message?: string,
    options: ErrorOptions = {},
  ) {
    super(message ?? 'You send more requests than you may. Wait a moment.', {
      ...(message === undefined && { text: { key: 'TooManyRequests' } }),
      ...options,
    })
  }
}

/** A dependency is down. `retryAfterSeconds` says when to try again. */
export class UnavailableError extends KeelError {
  override readonly name: string = 'UnavailableError'

  constructor(
    message: string,
    readonly retryAfterSeconds = 5,
    options: ErrorOptions = {},
  ) {
    super(message, options)
  }
}

/**
 * A limit that protects the host is reached, and nothing is wrong with it: a line is full, or the caller has as much under way as one caller may
 * have, or reads an answer too slowly. Logged as a warning. Other hosts get it as {@link UnavailableError}.
 */
export class LimitReachedError extends UnavailableError {
  override readonly name: string = 'LimitReachedError'
}

/** An answer of a remote service that none of the classes above stands for. */
export class RemoteServiceError extends KeelError {
  override readonly name: string = 'RemoteServiceError'
}

/**
 * The error that an envelope stands for: the class the other side threw, with its code, data and faults.
 * @param retryAfterSeconds of the answer's `Retry-After`, when it has one
 */
export function errorFromEnvelope(status: number, body: unknown, retryAfterSeconds?: number): KeelError {
  const error = readEnvelope(body)
  const message = error.message ?? `The remote service answered ${status}.`
  const options = {
    code: error.code ?? undefined,
    details: error.details ?? undefined,
    data: error.data ?? undefined,
  }
  const made = make()
  made.status = status
  made.message = message
  return made

  function make(): KeelError {
    if (status === 400 && error.validationErrors) return new ValidationError(error.validationErrors, options)
    if (status === 401) return new UnauthenticatedError(message, options)
    if (status === 403 && options.code && !options.code.startsWith('Volo.Authorization:'))
      return new BusinessError(options.code, options.data, options)
    if (status === 403) return new ForbiddenError(message, options)
    if (status === 404)
      return new EntityNotFoundError(String(options.data?.entity ?? 'Entity'), options.data?.id, options)
    if (status === 409) return new ConcurrencyError(message, options)
    if (status === 429) return new TooManyRequestsError(retryAfterSeconds ?? 60, message, options)
    if (status === 503) return new UnavailableError(message, retryAfterSeconds, options)
    return new RemoteServiceError(message, options)
  }
}
