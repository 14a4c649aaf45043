export * from './change-feed/change-feed.js'
export {
  type CopiedColumn,
  type CopiedRows,
  CopyBuffer,
  copyRows,
  type RowValue,
} from './connections/copy-rows.js'
export * from './connections/database.js'
export * from './connections/database-server.js'
export * from './connections/database-settings.js'
export * from './connections/databases.js'
export * from './connections/entity-event-sink.js'
export * from './connections/locks.js'
export type { HeldConnection, OpenTransaction } from './connections/open-transaction.js'
export * from './connections/rehearsal.js'
export * from './connections/unit-of-work.js'
export { refuseUnusable } from './connections/unusable-database.js'
export * from './connections/work-loop.js'
export * from './data.module.js'
export * from './entities/data-filters.js'
export * from './entities/entity.js'
export * from './entities/entity-bases.js'
export * from './entities/entity-set.js'
export * from './entities/facet-field.js'
export * from './entities/guid.js'
export { ownFieldsEntity } from './entities/own-columns.js'
export * from './entities/personal-data.js'
export * from './entities/raised-events.js'
export * from './entities/row-rule.js'
export * from './entities/row-rules.js'
export { instantSql } from './entities/time-sql.js'
export * from './lists/facets.js'
export * from './lists/json-view.js'
export {
  type ListColumn,
  ListSheet,
  type OwnSheetColumn,
  ownCellKinds,
  ownSheetColumns,
  type SheetOptions,
  type SheetTexts,
} from './lists/list-sheet.js'
export * from './lists/page-reader.js'
export * from './lists/reference-sets.js'
export * from './lists/sorting.js'
export * from './lists/text-order.js'
export { type DeliveredName, type TranslatedNames, translatedName } from './lists/translated-names.js'
export * from './query/facet-counts.js'
export { now, sessionOfCaller, visibleRows } from './query/late-values.js'
export * from './query/scalars.js'
export { withKeptPlan } from './query/statement-shapes.js'
export { literal } from './query/storage.js'
export * from './schema/live-schema.js'
export * from './schema/migration-sql.js'
export * from './schema/model-diff.js'
export * from './schema/model-renames.js'
export * from './schema/model-snapshot.js'
export { applyOwnFieldIndexes, type OwnIndexChanges } from './schema/own-field-indexes.js'
export * from './schema/schema-drift.js'
export * from './schema/schema-scripts.js'
export { migrationHistory } from './schema/schema-state.js'
export * from './schema/scripted-schema.js'
export * from './schema/seeding.js'
export { columnList, foreignKeyDefinition, indexDefinition } from './schema/sql-definitions.js'
export * from './stores/checked-references.js'
export * from './stores/crud-service.js'
export * from './stores/imports.js'
export {
  type InsertManyOptions,
  type ManyRowsOptions,
  type ManyWritten,
  missingRows,
  type RowSource,
  type UpsertManyOptions,
} from './stores/many-rows.js'
export * from './stores/models.js'
export * from './stores/new-row.js'
export * from './stores/purge-deleted.js'
export * from './stores/rows-refused.js'
export * from './stores/store.js'
export * from './stores/stores.js'
export * from './stores/write-errors.js'
export type { ByteRow, Bytes } from './wire/byte-rows.js'
export * from './wire/connection-string.js'
export * from './wire/session.js'
export * from './wire/sql.js'
export * from './wire/statement.js'
export * from './wire/unavailable.js'
