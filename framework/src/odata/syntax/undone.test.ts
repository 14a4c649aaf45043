import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { undone, undoneTable, withUndoneTable } from './undone.js'

const documentation = new URL('../../../../docs/odata.md', import.meta.url)

test('docs/odata.md lists what is understood and not done as the code knows it', () => {
  const text = readFileSync(documentation, 'utf8')
  // `node docs/write-odata-undone.mjs` writes it anew.
  expect(text).toBe(withUndoneTable(text))
  expect(text).toContain(undoneTable())
})

test('everything not done says what it is and where the standard describes it', () => {
  for (const [code, { feature, section }] of Object.entries(undone)) {
    expect(code).toMatch(/^[A-Z][A-Za-z]+$/)
    expect(feature).toMatch(/^['$A-Za-z].*[^.]$/)
    expect(section).toMatch(/^(URL Conventions|Protocol|Data Aggregation|JSON Format) \d/)
  }
  expect(new Set(Object.values(undone).map(({ feature }) => feature)).size).toBe(Object.keys(undone).length)
})
