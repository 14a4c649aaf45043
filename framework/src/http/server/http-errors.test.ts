import { expect, test } from 'vitest'
import {
  BusinessError,
  ConcurrencyError,
  EntityNotFoundError,
  errorFromEnvelope,
  ForbiddenError,
  faultOf,
  UnauthenticatedError,
  UnavailableError,
  UserFriendlyError,
  ValidationError,
} from '../../contracts/index.js'
import { Localization } from '../../modularity/localization.js'
import {
  envelopeOf,
  MethodNotAllowedError,
  PayloadTooLargeError,
  RouteNotFoundError,
  statusOf,
  UnsupportedMediaTypeError,
} from './http-errors.js'

const localization = new Localization([])
const tell = (error: unknown, verbose = false) =>
  envelopeOf(error, { culture: 'en', localization, verbose }).error

class ForbiddenHere extends ForbiddenError {}

test.each([
  [new ValidationError([]), 400],
  [new UnauthenticatedError(), 401],
  [new ForbiddenError(), 403],
  [new ForbiddenHere(), 403],
  [new BusinessError('Hub:Rule'), 403],
  [new UserFriendlyError('No.'), 403],
  [new EntityNotFoundError('Port', 1), 404],
  [new RouteNotFoundError('GET', '/x'), 404],
  [new MethodNotAllowedError('PUT', ['GET']), 405],
  [new ConcurrencyError(), 409],
  [new PayloadTooLargeError('Too large.'), 413],
  [new UnsupportedMediaTypeError('Not JSON.'), 415],
  [new UnavailableError('Away.'), 503],
  [new Error('anything else'), 500],
  ['no error at all', 500],
  [undefined, 500],
])('%s answers %d', (error, status) => {
  expect(statusOf(error)).toBe(status)
})

test('a validation error lists every fault, told as a narrative too', () => {
  const faults = [
    { message: 'name: Required', members: ['name'] },
    { message: 'size: Too big', members: ['size'] },
  ]
  expect(tell(new ValidationError(faults))).toEqual({
    code: null,
    message: 'Your request is not valid!',
    details: 'The following errors were detected during validation.\n - name: Required\n - size: Too big',
    data: null,
    validationErrors: faults,
  })
})

test('a business error is told in the text of its code, filled from its data', () => {
  const error = new BusinessError('App:Sorting:UnknownField', { field: 'x', fields: 'a, b' })
  expect(tell(error)).toEqual({
    code: 'App:Sorting:UnknownField',
    message: 'There is no field "x" to sort by. Sortable fields: a, b.',
    details: null,
    data: { field: 'x', fields: 'a, b' },
    validationErrors: null,
  })
})

test('a business error without a text is told by its code', () => {
  expect(tell(new BusinessError('Hub:Nameless'))).toMatchObject({
    code: 'Hub:Nameless',
    message: 'Hub:Nameless',
    data: {},
  })
})

test('an entity that is not there is named with its id', () => {
  expect(tell(new EntityNotFoundError('Port', 'x'))).toMatchObject({
    message: 'There is no entity Port with id = x!',
    data: { entity: 'Port', id: 'x' },
  })
})

test('an error that means nothing to a caller is told without its message', () => {
  expect(tell(new TypeError('x is undefined'))).toEqual({
    code: null,
    message: 'An internal error occurred during your request!',
    details: null,
    data: null,
    validationErrors: null,
  })
})

test('when details are wanted, type, message, stack and causes are told', () => {
  const { details } = tell(new TypeError('x is undefined', { cause: new RangeError('too far') }), true)
  expect(details).toMatch(
    /^TypeError: x is undefined\nSTACK TRACE:\n\s+at [\s\S]+\nCaused by RangeError: too far\nSTACK TRACE:/,
  )
})

test('of a failed statement PostgreSQL’s words and its text are told, and no value', () => {
  const refused = Object.assign(new Error('invalid input: "Ada Lovelace"'), {
    severity: 'ERROR',
    code: '22P02',
    detail: 'Ada',
    table: 'AbpUsers',
    statement: `select 'Ada' from "AbpUsers"`,
  })
  const wrapped = Object.assign(new Error('invalid input: "Ada Lovelace"'), {
    parent: refused,
    sql: `select 'Ada'`,
  })
  for (const error of [refused, wrapped, new Error('failed', { cause: wrapped })]) {
    const { details } = tell(error, true)
    expect(details).toContain(
      'the database refused a statement (22P02): invalid input: "***"\nTABLE: AbpUsers\nSTATEMENT: select ? from "AbpUsers"\n',
    )
    expect(details).not.toContain('Ada')
  }
})

test('credentials in a message are masked', () => {
  const { details } = tell(
    new Error('connect to postgres://keel:hunter2@db/x with Bearer abc.def failed'),
    true,
  )
  expect(details).toContain('connect to postgres://*** with Bearer *** failed')
})

test.each([
  'Host=db.internal;Port=5432;Database=keel;Username=keel;Password=hunter2',
  'no pg_hba entry for "postgresql://keel:hunter2@db.internal:5432/keel?sslmode=require"',
])('a connection string is not told: %s', (text) => {
  const { details } = tell(new Error('outer', { cause: new Error(text) }), true)
  expect(details).not.toMatch(/hunter2|db\.internal|Username/)
})

test('when details are wanted, a validation error starts with its narrative', () => {
  const { details } = tell(new ValidationError([{ message: 'name: Required', members: ['name'] }]), true)
  expect(details).toMatch(
    /^The following errors were detected during validation\.\n - name: Required\nValidationError: .+\nSTACK TRACE:\n\s+at /,
  )
})

test('when details are wanted, data is told without its secrets', () => {
  const { details } = tell(new BusinessError('Hub:X', { field: 'a', apiKey: 'hunter2' }), true)
  expect(details).toMatch(/^BusinessError: Hub:X\nDATA: {"field":"a","apiKey":"\*\*\*"}\nSTACK TRACE:/)
})

test('when details are wanted, the inner errors of an aggregate are told, and an endless chain of causes ends', () => {
  const endless = new Error('endless')
  endless.cause = endless
  const { details } = tell(new AggregateError([new Error('first'), new Error('second'), endless]), true)
  expect(details).toMatch(/Caused by Error: first\n[\s\S]+Caused by Error: second\n/)
  expect(details?.match(/Caused by Error: endless/g)?.length).toBe(8)
})

test.each([
  [new ValidationError([]), 'Ihre Anfrage ist ungültig!'],
  [new UnauthenticatedError(), 'Für diesen Zugriff müssen Sie angemeldet sein.'],
  [new ForbiddenError(), 'Sie dürfen diesen Vorgang nicht ausführen.'],
  [new EntityNotFoundError('Port', 7), 'Es gibt kein Objekt Port mit der Id = 7!'],
  [new RouteNotFoundError('GET', '/x'), 'Unter GET /x antwortet nichts.'],
  [new MethodNotAllowedError('PUT', ['GET', 'HEAD']), 'PUT ist hier nicht erlaubt; erlaubt: GET, HEAD.'],
  [new ConcurrencyError(), /^Die Daten wurden inzwischen von jemand anderem geändert\./],
  [new Error('x'), 'Bei Ihrer Anfrage ist ein interner Fehler aufgetreten!'],
  [new UserFriendlyError('Just so.'), 'Just so.'],
  [new ConcurrencyError('Just so.'), 'Just so.'],
])('%s is told in the language of the caller', (error, message) => {
  const told = envelopeOf(error, { culture: 'de-CH', localization, verbose: false }).error.message
  expect(told).toMatch(message)
})

test('an error that came over the wire is told in the words it came with', () => {
  const remote = errorFromEnvelope(404, {
    error: { message: 'Gibt es nicht.', data: { entity: 'Port', id: 1 } },
  })
  expect(tell(remote).message).toBe('Gibt es nicht.')
})

test('a fault that names its text is told by it, behind its members, and the text itself stays here', () => {
  const { validationErrors } = envelopeOf(new ValidationError([faultOf('name', 'Validation:Required')]), {
    culture: 'fr',
    localization,
    verbose: false,
  }).error
  expect(validationErrors).toEqual([{ message: 'name: une valeur est requise', members: ['name'] }])
})
