import pg from 'pg'
import { farInstant } from '../entities/text-columns.js'

const timestamp = 1114
const timestampWithZone = 1184
const date = 1082
const readTimestamp = pg.types.getTypeParser(timestampWithZone, 'text') as (text: string) => Date
/**
 * How `pg` parses rows for code: by its own parsers, but timestamps without zone are UTC, infinite ones the
 * first or the last, and dates stay text.
 */
export const rowTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') => {
    if (oid === timestamp) return (text: string) => farInstant(text) ?? new Date(`${text.replace(' ', 'T')}Z`)
    if (oid === timestampWithZone) return (text: string) => farInstant(text) ?? readTimestamp(text)
    if (oid === date) return (text: string) => text
    return pg.types.getTypeParser(oid, format)
  }) as typeof pg.types.getTypeParser,
}
