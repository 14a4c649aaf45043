import type { ModelSnapshot } from '@keel/framework/data'
import type { Migration } from '../migration.js'
import { auditLoggingMigration } from './20261121-audit-logging.js'
import { initialMigration } from './20261121-initial.js'
import model from './snapshot.json' with { type: 'json' }

// Written by `migrator add`, like snapshot.json: the migrations in their order, and the model after the last of them.
export const migrations: readonly Migration[] = [initialMigration, auditLoggingMigration]
export const snapshot = model as ModelSnapshot
