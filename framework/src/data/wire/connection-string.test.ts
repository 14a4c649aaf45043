import { expect, test } from 'vitest'
import { parseConnectionString } from './connection-string.js'

const parse = (text: string) => parseConnectionString(text, 'ConnectionStrings:Hub')

test.each(['postgres://keel:x@db:5433/hub', 'postgresql://db/hub', 'POSTGRES://db/hub'])(
  'the URL %s goes to pg as it is',
  (url) => {
    expect(parse(url)).toEqual({ connectionString: url })
  },
)

test('an Npgsql string is understood member by member', () => {
  expect(parse('Host=db;Port=5433;Database=hub;Username=keel;Password=x')).toEqual({
    host: 'db',
    port: 5433,
    database: 'hub',
    user: 'keel',
    password: 'x',
  })
})

test('names are read in any case and with blanks, the port may be left out', () => {
  expect(parse(' SERVER = db ; database=hub; User Id = keel ; PWD=x; ')).toEqual({
    host: 'db',
    port: 5432,
    database: 'hub',
    user: 'keel',
    password: 'x',
  })
})

test.each([
  ['Password=a=b=c', 'a=b=c'],
  ["Password='a;b'", 'a;b'],
  ['Password="a;b"', 'a;b'],
  ["Password='it''s'", "it's"],
  ['Password="say ""x"""', 'say "x"'],
  ['Password=two words', 'two words'],
  ["Password=it's", "it's"],
  ['Password=', ''],
])('the password of %s is %s', (part, password) => {
  expect(parse(`Host=db;${part};Database=hub`)).toMatchObject({ password, database: 'hub' })
})

test.each([
  ['Disable', undefined],
  ['Prefer', undefined],
  ['Require', { rejectUnauthorized: false }],
  ['VerifyFull', { rejectUnauthorized: true }],
  ['VerifyCA', { rejectUnauthorized: true }],
])('SSL Mode=%s', (mode, ssl) => {
  expect(parse(`Host=db;SSL Mode=${mode}`).ssl).toEqual(ssl)
})

test.each(['Database=hub;Password=hunter2', 'nonsense', ''])(
  '%s is refused by the name of its setting, without its text',
  (text) => {
    expect(() => parse(text)).toThrow(
      'ConnectionStrings:Hub is neither a postgres:// URL nor a list such as Host=…;Port=…;Database=…;Username=…;Password=…',
    )
  },
)

test.each(['postgres://keel:hunter2@db:port/hub', 'postgres://keel:hun/ter2@db/hub'])(
  'a URL that is broken is refused without its text',
  (url) => {
    expect(() => parse(url)).toThrow(
      'ConnectionStrings:Hub is not a valid postgres:// URL. Write special characters of user and password percent-encoded.',
    )
  },
)

test('a port that is no number is refused', () => {
  expect(() => parse('Host=db;Port=many')).toThrow('ConnectionStrings:Hub: Port=many is not a port')
})
