// Writes the list of what OData queries may ask for and do not get into docs/odata.md, from the compiled framework.
import { readFileSync, writeFileSync } from 'node:fs'
import { withUndoneTable } from '../framework/dist/odata/syntax/undone.js'

const file = new URL('odata.md', import.meta.url)
writeFileSync(file, withUndoneTable(readFileSync(file, 'utf8')))
