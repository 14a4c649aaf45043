import { type Logger as PinoLogger, pino } from 'pino'
import type { Configuration } from './configuration.js'

/** Writes structured log lines; also a token in the container. */
export abstract class Logger {
  abstract debug(values: object, message: string): void
  abstract info(values: object, message: string): void
  abstract warn(values: object, message: string): void
  abstract error(values: object, message: string): void
  abstract fatal(values: object, message: string): void
}

/**
 * The logger of a host: one JSON line per event on stdout, `Log:Level` (info when not set). Secrets never appear: values of members with a
 * telling name, credentials in URLs, bearer tokens and API keys are masked in the finished line, wherever they came from.
 */
export function createLogger(application: string, configuration: Configuration): Logger & PinoLogger {
  return pino({
    level: configuration.get('Log:Level')?.toLowerCase() ?? 'info',
    base: { application },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    hooks: { streamWrite: maskSecrets },
  }) as unknown as Logger & PinoLogger
}

const secretMember =
  /("(?:[^"\\]*?(?:password|passwd|secret|token|authorization|cookie|api[-_]?key|apikey|connectionstring|hash|code_verifier|assertion)[^"\\]*?)"\s*:\s*)("(?:[^"\\]|\\.)*"|\d+)/gi
const credentialsInUrl = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@"]+:)[^\s@"]+@/gi
const passwordInConnectionString = /(\b(?:password|pwd)\s*=\s*)[^;"\s]+/gi
const bearer = /(\bbearer\s+)[\w.~+/-]+=*/gi
const secretInQuery = /([?&](?:api_?key|access_token|token|code|client_secret|password)=)[^&"\s]+/gi

/** A log line with everything that could be a secret masked. */
export function maskSecrets(line: string): string {
  return line
    .replace(secretMember, '$1"***"')
    .replace(credentialsInUrl, '$1***@')
    .replace(passwordInConnectionString, '$1***')
    .replace(bearer, '$1***')
    .replace(secretInQuery, '$1***')
}
