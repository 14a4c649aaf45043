import { expect, test } from 'vitest'
import { normalizedName } from './normalized-name.js'

test.each([
  ['admin', 'ADMIN'],
  ['Anna.Müller@keel.local', 'ANNA.MÜLLER@KEEL.LOCAL'],
  ['i', 'I'],
  ['straße', 'STRAßE'],
  ['u\u0308', 'Ü'],
  ['adm\u0131n', 'ADM\u0131N'],
  ['cu\u017ftomer', 'CU\u017fTOMER'],
  ['\u{10428}', '\u{10400}'],
])('%s is looked up as %s', (name, normalized) => {
  expect(normalizedName(name)).toBe(normalized)
})
