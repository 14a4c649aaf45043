import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { unsupportedParts, unsupportedTable, withUnsupportedTable } from './unsupported.js'

const documentation = new URL('../../../../docs/odata.md', import.meta.url)

test('docs/odata.md lists the unsupported parts of the standard as the code knows them', () => {
  const text = readFileSync(documentation, 'utf8')
  // `node docs/write-odata-unsupported.mjs` writes it anew.
  expect(text).toBe(withUnsupportedTable(text))
  expect(text).toContain(unsupportedTable())
})

test('every unsupported part has a name and a section of the standard', () => {
  for (const [code, { feature, section }] of Object.entries(unsupportedParts)) {
    expect(code).toMatch(/^[A-Z][A-Za-z]+$/)
    expect(feature).toMatch(/^['$A-Za-z].*[^.]$/)
    expect(section).toMatch(/^(URL Conventions|Protocol|Data Aggregation|JSON Format) \d/)
  }
  expect(new Set(Object.values(unsupportedParts).map(({ feature }) => feature)).size).toBe(
    Object.keys(unsupportedParts).length,
  )
})
