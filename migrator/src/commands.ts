import type { CommandOptions, MigratorCommand } from './command.js'

/** How a command is called. */
export interface CommandEntry {
  /** The words behind its name, e.g. `NAME`; as many as these are needed. */
  readonly words: string
  readonly help: string
  readonly options?: CommandOptions
  readonly load: () => Promise<{ command: MigratorCommand }>
}

const allowDestructive = { 'allow-destructive': { type: 'boolean', default: false } } as const

/** Everything the migrator does. `run` is what it does when no command is named. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  run: {
    words: '',
    help: 'bring the Default database up to date and seed it',
    options: { ...allowDestructive, 'enable-api': { type: 'boolean', default: false } },
    load: () => import('./commands/run.js'),
  },
  add: {
    words: 'NAME',
    help: 'write a migration for what changed in the model; --rename Table.Old=New (or Old=New) keeps the values',
    options: { rename: { type: 'string', multiple: true } },
    load: () => import('./commands/add.js'),
  },
  remove: {
    words: '',
    help: 'take back the last migration that was written, if it was not released',
    load: () => import('./commands/remove.js'),
  },
  plan: {
    words: '',
    help: 'show what a run would do: SQL with locks and dangers, and the rows it would seed; --rehearse seeds for it even if others wait',
    options: { rehearse: { type: 'boolean', default: false } },
    load: () => import('./commands/plan.js'),
  },
  down: {
    words: 'NAME',
    help: 'take back every migration after NAME',
    options: allowDestructive,
    load: () => import('./commands/down.js'),
  },
  script: {
    words: '',
    help: 'print SQL that brings a database up to date by hand, as often as it is run',
    load: () => import('./commands/script.js'),
  },
  drift: {
    words: '',
    help: 'compare the database with the model, and print the SQL that would reconcile them',
    load: () => import('./commands/drift.js'),
  },
}

/** Options that every command has. */
export const sharedOptions = {
  json: { type: 'boolean', default: false },
  'disable-redis': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const satisfies CommandOptions
