export { valueOfText } from './cell-texts.js'
export * from './csv-reader.js'
export { type CsvOptions, writeCsv } from './csv-writer.js'
export type { CsvDelimiter } from './formula-guard.js'
export * from './sheet-columns.js'
export * from './spreadsheet-file.js'
export {
  cellFaultKeys,
  isEmpty,
  type RawCell,
  type ReadOptions,
  type ReadRow,
  type SheetLine,
} from './table-reading.js'
export * from './xlsx-reader.js'
export * from './xlsx-writer.js'
export * from './zone-times.js'
