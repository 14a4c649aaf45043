import { InputError, StartupError } from '@keel/framework'

/** How the process ends when it does not end with 0. Release tooling leans on these numbers: none of them ever changes its meaning. */
export const exitCodes = {
  /** Something that nobody foresaw. */
  failed: 1,
  /** The command line asks for something that there is not. */
  commandLine: 2,
  /** A setting is missing or wrong. */
  configuration: 3,
  /** The model differs from the migrations. */
  pendingModelChanges: 4,
  /** Validation: migrations are not applied. */
  notApplied: 5,
  /** Validation: there are no migrations. */
  noMigrations: 6,
  /** Rows or columns would be lost, and nobody allowed it. */
  destructive: 7,
  /** The database does not answer, or does not let us in. */
  databaseUnreachable: 8,
  /** Another migrator was at work for too long. */
  lockNotFree: 9,
  /** A statement got no lock, or took too long. */
  timedOut: 10,
  /** PostgreSQL refused a migration. */
  migrationFailed: 11,
  /** A seeder failed. */
  seedingFailed: 12,
  /** `down` to a migration that it can't go to. */
  noWayDown: 13,
  /** The connection that held the lock ended before the work did. */
  lockLost: 14,
  /** The database is not what its migrations lead to. */
  drift: 20,
  /** The database comes from ABP, and something in it does not fit. */
  adoptionRefused: 21,
  /** `add`: no migration could be written. */
  scaffoldRefused: 22,
} as const

/** Why the migrator did not do what it was asked for, in words for the person who can change it, with an exit code for release tooling. */
export class Refusal extends StartupError {
  constructor(
    readonly reason: keyof typeof exitCodes,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** The exit code for a failure. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Refusal) return exitCodes[error.reason]
  if (error instanceof InputError) return exitCodes.commandLine
  return error instanceof StartupError ? exitCodes.configuration : exitCodes.failed
}

/** True when the message of a failure says it all, and a stack would only be in the way. */
export const isExplained = (error: unknown): boolean => error instanceof StartupError
