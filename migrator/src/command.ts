import type { ParseArgsConfig } from 'node:util'
import type { Configuration, Constructor, KeelModule } from '@keel/framework'
import type { MigrationSet } from './migration.js'
import type { SchemaModules } from './schema/schema-modules.js'
import type { Steps } from './steps.js'

/** A migrator: the modules whose schema and seeds it brings, and the migrations it was built with. */
export interface MigratorProgram {
  /** The root module and the migrations; loaded when a command needs them, because they are most of the program. */
  load(): Promise<LoadedProgram>
  /** `import.meta.url` of the main file, in `dist/` of the package that holds `appsettings.json` and `src/migrations/`. */
  readonly caller: string
}

/** The parts that a {@link MigratorProgram} loads. */
export interface LoadedProgram {
  readonly host: Constructor<KeelModule>
  readonly set: MigrationSet
  /** The modules that a run brings up to their schema scripts behind the migrations, and seeds; none when not given. */
  readonly schemas?: SchemaModules
}

/** The options of a command, as `parseArgs` of Node takes them. */
export type CommandOptions = NonNullable<ParseArgsConfig['options']>

/** One thing that the migrator does. Listed in `commands.ts`. */
export interface MigratorCommand {
  /** Ends well, or throws a `Refusal`: its exit code is the process's. */
  run(call: CommandCall): Promise<void>
}

/** The input of a command. */
export interface CommandCall {
  readonly program: MigratorProgram
  /** All layers of the configuration, with what the switches add. Throws when a file is wrong. */
  readonly configuration: Configuration
  /** The values of the command's own options. */
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>
  /** The words behind its name. */
  readonly positionals: readonly string[]
  /** True when stdout is for programs: one JSON line per step. */
  readonly json: boolean
  /** Tells what happens. */
  readonly steps: Steps
  /** Writes an answer to stdout as it is. */
  print(text: string): void
}
