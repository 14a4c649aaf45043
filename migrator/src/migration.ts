import type { ModelSnapshot } from '@keel/framework/data'

/** One step of the Default database's schema: the SQL that takes it and the SQL that takes it back. Never edited once released. */
export interface Migration {
  /** As in `__EFMigrationsHistory` and in the file's name, e.g. `20261121-initial`. */
  readonly name: string
  readonly up: string
  readonly down: string
}

/** All migrations, oldest first, and the model that they lead to. */
export interface MigrationSet {
  readonly migrations: readonly Migration[]
  readonly snapshot: ModelSnapshot
}
