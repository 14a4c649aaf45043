/**
 * Ends the process with 0 when `keel-dev run --check` only asks whether a command line is right. Called between reading the command line and
 * doing what it says: the databases are started after that answer.
 */
export function endIfOnlyChecked(): void {
  if (process.env['KEEL_CHECK_CALL'] === 'true') process.exit(0)
}
