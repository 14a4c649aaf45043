import { StartupError } from './startup-error.js'

/** An argument of a command can't be used. The message names the argument and says what is expected; the process ends with 2. */
export class InputError extends StartupError {}
