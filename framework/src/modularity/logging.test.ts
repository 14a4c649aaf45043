import { expect, test } from 'vitest'
import { loggedError, maskSecrets } from './logging.js'

test.each([
  ['a password', '{"password":"hunter2"}', '{"password":"***"}'],
  [
    'a member whose name ends in a secret',
    '{"client_secret":"abc","userName":"ada"}',
    '{"client_secret":"***","userName":"ada"}',
  ],
  ['a number', '{"apiToken":12345}', '{"apiToken":"***"}'],
  ['an escaped quote inside', String.raw`{"password":"a\"b","x":1}`, '{"password":"***","x":1}'],
  ['an authorization header', '{"Authorization":"Bearer abc.def"}', '{"Authorization":"***"}'],
  [
    'an API key header',
    '{"x-api-key":"abc","api_key":"d","ApiKey":"e"}',
    '{"x-api-key":"***","api_key":"***","ApiKey":"***"}',
  ],
  ['a password hash', '{"PasswordHash":"AQAAAA=="}', '{"PasswordHash":"***"}'],
  ['a list', '{"cookies":["a=1","b=2"],"x":1}', '{"cookies":"***","x":1}'],
  [
    'JSON inside a text',
    String.raw`{"body":"{\"password\":\"hunter2\",\"x\":1}"}`,
    String.raw`{"body":"{\"password\":\"***\",\"x\":1}"}`,
  ],
  [
    'a postgres URL',
    'connect postgres://keel:hunter2@db:5432/x failed',
    'connect postgres://keel:***@db:5432/x failed',
  ],
  ['a password with an at sign in a URL', 'postgres://keel:p@ss@db/x', 'postgres://keel:***@db/x'],
  ['an Npgsql connection string', 'Host=db;Password=hunter2;Port=1', 'Host=db;Password=***;Port=1'],
  [
    'a password with blanks',
    '{"msg":"Host=db; Pwd = top secret ;Port=1"}',
    '{"msg":"Host=db; Pwd = ***;Port=1"}',
  ],
  [
    'a password with a quote in a JSON line',
    String.raw`{"msg":"Password=a\"b;Port=1"}`,
    '{"msg":"Password=***;Port=1"}',
  ],
  ['a bearer token in a text', 'sent Bearer abc-_.~+/= to', 'sent Bearer *** to'],
  ['a JWT in a text', 'token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln-_ refused', 'token *** refused'],
  [
    'a JWT behind a name, and one without a signature',
    'a.b.id-eyJhbGciOiJSUzI1NiJ9.eyJzdWIi.c2ln.x eyJhbGciOiJub25lIn0.eyJzdWIi.',
    'a.b.id-***.x ***',
  ],
  [
    'query parameters',
    '/x?apiKey=a&access_token=b&page=2&refresh_token=c&id_token_hint=d',
    '/x?apiKey=***&access_token=***&page=2&refresh_token=***&id_token_hint=***',
  ],
  ['an authorization code', '/cb?code=abc&state=1', '/cb?code=***&state=1'],
  [
    'a form',
    'grant_type=password&username=ada&password=hunter2&client_secret=s',
    'grant_type=password&username=ada&password=***&client_secret=***',
  ],
])('%s is masked', (_what, line, masked) => {
  expect(maskSecrets(line)).toBe(masked)
})

test.each([
  '{"level":"info","msg":"listening","url":"http://localhost:4000"}',
  '{"code":"23505","message":"duplicate key","port":5432}',
  '{"url":"/api/hub/shipment?filter=a%40b&skipCount=10"}',
  'postgres://localhost:5432/keel_hub',
])('%s stays as it is', (line) => {
  expect(maskSecrets(line)).toBe(line)
})

test('a masked line is still JSON', () => {
  const values = {
    err: { message: 'Password="a\\b";x', input: 'postgres://u:p"w@h/db' },
    token: 'a"b\\',
    ok: true,
  }
  expect(JSON.parse(maskSecrets(JSON.stringify(values)))).toMatchObject({ token: '***', ok: true })
})

test('a long line is masked in a moment', () => {
  const line = JSON.stringify({
    text: '"password '.repeat(5000),
    a: 'x'.repeat(200_000),
    b: ':/@'.repeat(30_000),
  })
  const before = performance.now()
  maskSecrets(line)
  expect(performance.now() - before).toBeLessThan(3000)
})

test.each(['-eyJaaaaa', '-eyJaaaaa.', 'eyJaaaaa.b-', 'eyJaaaaa.b.', '.eyJaaaaa-'])(
  'many beginnings of tokens (%s) are looked through in a moment',
  (beginning) => {
    const line = beginning.repeat(50_000)
    const before = performance.now()
    maskSecrets(line)
    expect(performance.now() - before).toBeLessThan(3000)
  },
)

test('an error of the database is logged with its codes, without the values of its rows', () => {
  const refused = Object.assign(new Error('null value in column "Name"'), {
    severity: 'ERROR',
    code: '23502',
    table: 'AbpUsers',
    column: 'Name',
    detail: 'Failing row contains (ada, AQAAAA==).',
    parameters: ['AQAAAA=='],
  })
  const error = Object.assign(new Error('refused', { cause: refused }), {
    parent: refused,
    original: refused,
    sql: `insert into "AbpUsers" ("Id", "PasswordHash") values ($1, 'AQAAAA==')`,
    parameters: ['AQAAAA=='],
  })
  expect(loggedError(error)).toEqual({
    type: 'Error',
    message: 'refused: null value in column "Name"',
    stack: expect.stringContaining('caused by: Error: null value'),
    database: {
      sqlState: '23502',
      message: 'null value in column "Name"',
      table: 'AbpUsers',
      column: 'Name',
      statement: 'insert into "AbpUsers" ("Id", "PasswordHash") values ($1, ?)',
    },
  })
  expect(loggedError(refused)).toMatchObject({ code: '23502', table: 'AbpUsers' })
  expect(JSON.stringify([loggedError(error), loggedError(refused)])).not.toContain('AQAAAA')
})
