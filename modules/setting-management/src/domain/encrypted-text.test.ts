import { expect, test } from 'vitest'
import { decrypt, encrypt, keyOf } from './encrypted-text.js'

const key = keyOf('a pass phrase of this test')
const other = keyOf('another pass phrase')
const place = 'Abp.Mailing.Smtp.Password|G|'

test.each(['secret', '', 'Schlüssel – 钥匙', 'x'.repeat(1400)])('%j is read as it was written', (text) => {
  expect(decrypt(encrypt(text, key, place), [other, key], place)).toBe(text)
})

test('nothing of a text is seen, and no two writings are alike', () => {
  const [first, second] = [encrypt('secret', key, place), encrypt('secret', key, place)]
  expect(first).toMatch(/^gcm1\.[0-9a-f]{8}\.[\w-]{46}$/)
  expect(first).not.toContain('secret')
  expect(first).not.toBe(second)
})

test('a key is the same whenever it is made of the same phrase', () => {
  expect(keyOf('a pass phrase of this test')).toEqual(key)
})

test('1,400 characters fit into the column', () => {
  expect(encrypt('x'.repeat(1400), key, place).length).toBeLessThanOrEqual(2048)
})

const written = encrypt('secret', key, place)
// Not the last character: some of its bits mean nothing.
const changed = `${written.slice(0, -5)}${written.at(-5) === 'A' ? 'B' : 'A'}${written.slice(-4)}`

test.each([
  ['with another key', written, [other], place],
  ['in another place', written, [key], 'Abp.Mailing.Smtp.Password|U|1'],
  ['after it was changed', changed, [key], place],
  ['when it was never encrypted', 'secret', [key], place],
  ['when it is cut', 'gcm1.'.concat(key.id, '.AAAA'), [key], place],
])('nothing is read %s', (_when, text, keys, where) => {
  expect(decrypt(text, keys, where)).toBeUndefined()
})
