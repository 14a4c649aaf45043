import { expect, test } from 'vitest'
import { hashOfNobody, hashPassword, verifyPassword, verifyPasswordAtFullCost } from './password-hash.js'

// From the tests of ASP.NET Core Identity (PasswordHasherTest.cs), all of the password "my password" unless
// said otherwise.
test.each([
  [
    'version 2, HMAC-SHA1, 1,000 iterations',
    'my password',
    'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==',
    'right-but-rehash',
  ],
  [
    'version 3, HMAC-SHA1, 250 iterations',
    'my password',
    'AQAAAAAAAAD6AAAAEAhftMyfTJylOlZT+eEotFXd1elee8ih5WsjXaR3PA9M',
    'right-but-rehash',
  ],
  [
    'version 3, HMAC-SHA256, 250,000 iterations',
    'my password',
    'AQAAAAEAA9CQAAAAIESkQuj2Du8Y+kbc5lcN/W/3NiAZFEm11P27nrSN5/tId+bR1SwV8CO1Jd72r4C08OLvplNlCDc3oQZ8efcW+jQ=',
    'right-but-rehash',
  ],
  [
    'version 3, HMAC-SHA512, 10,000 iterations',
    'my password',
    'AQAAAAIAACcQAAAAEAABAgMEBQYHCAkKCwwNDg9B0Oxwty+PGIDSp95gcCfzeDvA4sGapUIUov8usXfD6A==',
    'right-but-rehash',
  ],
  [
    'version 3 with another password',
    'your password',
    'AQAAAAAAAAD6AAAAEAhftMyfTJylOlZT+eEotFXd1elee8ih5WsjXaR3PA9M',
    'wrong',
  ],
  ['an empty hash', 'my password', '', 'wrong'],
  ['a hash of an unknown version', 'my password', '/wABAgME', 'wrong'],
  ['a hash that is cut', 'my password', 'AQAAAAAAAAD6AAAAEAhftMyfTJylOlZT', 'wrong'],
])('%s', async (_case, password, hash, verdict) => {
  expect(await verifyPassword(password, hash)).toBe(verdict)
})

test('a new hash has ASP.NET Core Identity’s header, is never the same twice and is right', async () => {
  const [one, other] = await Promise.all([hashPassword('1q2w3E*'), hashPassword('1q2w3E*')])
  expect(one).toMatch(/^AQAAAAIAAzRQAAAAE[\w+/]{65}==$/)
  expect(one).not.toBe(other)
  expect(await verifyPassword('1q2w3E*', one)).toBe('right')
  expect(await verifyPassword('1q2w3e*', one)).toBe('wrong')
})

test('the hash of nobody has the form of others, is never the same twice and is right for no password', async () => {
  const [one, other] = [hashOfNobody(), hashOfNobody()]
  expect(one).toMatch(/^AQAAAAIAAzRQAAAAE[\w+/]{65}==$/)
  expect(one).not.toBe(other)
  expect(await verifyPassword('', one)).toBe('wrong')
})

test('at full cost an older hash, and a text that is none, take as long as a new one', async () => {
  const current = await hashPassword('my password')
  const older = 'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg=='
  const msOf = async (hash: string): Promise<number> => {
    const before = performance.now()
    await verifyPasswordAtFullCost('my password', hash)
    return performance.now() - before
  }
  const fastest = async (hash: string): Promise<number> =>
    Math.min(...[await msOf(hash), await msOf(hash), await msOf(hash), await msOf(hash)])
  const full = await fastest(current)
  // Without it the older one takes a two-hundredth.
  for (const hash of [older, 'none', hashOfNobody()])
    expect((await fastest(hash)) / full).toBeGreaterThan(0.1)
  expect(await verifyPasswordAtFullCost('my password', older)).toBe('right-but-rehash')
  expect(await verifyPasswordAtFullCost('your password', older)).toBe('wrong')
})
