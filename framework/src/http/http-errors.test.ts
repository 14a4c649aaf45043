import { expect, test } from 'vitest'
import {
  BusinessError,
  ConcurrencyError,
  EntityNotFoundError,
  ForbiddenError,
  UnauthenticatedError,
  UnavailableError,
  UserFriendlyError,
  ValidationError,
} from '../contracts/index.js'
import { Localization } from '../modularity/localization.js'
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

test('of a failed statement only PostgreSQL’s code is told', () => {
  const refused = Object.assign(new Error('invalid input: "Ada Lovelace"'), {
    severity: 'ERROR',
    code: '22P02',
    detail: 'Ada',
  })
  const wrapped = Object.assign(new Error('invalid input: "Ada Lovelace"'), {
    parent: refused,
    sql: 'select Ada',
  })
  for (const error of [refused, wrapped, new Error('failed', { cause: wrapped })]) {
    const { details } = tell(error, true)
    expect(details).toContain('the database refused a statement (22P02)')
    expect(details).not.toContain('Ada')
  }
})

test('credentials in a message are masked', () => {
  const { details } = tell(
    new Error('connect to postgres://keel:hunter2@db/x with Bearer abc.def failed'),
    true,
  )
  expect(details).toContain('postgres://keel:***@db/x with Bearer *** failed')
})
