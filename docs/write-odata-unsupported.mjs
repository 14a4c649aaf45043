// Writes the list of what OData queries may ask for and do not get into docs/odata.md, from the compiled framework.
import { readFileSync, writeFileSync } from 'node:fs'
import { withUnsupportedTable } from '../framework/dist/odata/syntax/unsupported.js'

const file = new URL('odata.md', import.meta.url)
writeFileSync(file, withUnsupportedTable(readFileSync(file, 'utf8')))
