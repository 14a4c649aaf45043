export { CellFault, type CellValue, CellValues } from './import-cells.js'
export {
  type HeaderFault,
  type ImportColumn,
  type ImportedEnumeration,
  importColumnOf,
  type KnownColumns,
  type UnderstoodHeader,
  understandHeader,
} from './import-columns.js'
export * from './import-settings.js'
export { ImportSweep } from './import-sweep.js'
export * from './imports.module.js'
