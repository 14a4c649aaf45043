import { type Logger as PinoLogger, pino } from 'pino'
import { type Ambient, ambient } from './ambient.js'
import { apiKeyMark, apiKeyPrefixLength } from './api-key-mark.js'
import type { Configuration } from './configuration.js'
import { failedStatement, withoutQuotedValues } from './failed-statement.js'
import { StartupError } from './startup-error.js'

/** Writes structured log lines; also a token in the container. */
export abstract class Logger {
  abstract debug(values: object, message: string): void
  abstract info(values: object, message: string): void
  abstract warn(values: object, message: string): void
  abstract error(values: object, message: string): void
  abstract fatal(values: object, message: string): void
}

/**
 * The logger of a host: one JSON line per event on stdout, `Log:Level` (info when not set). Secrets never
 * appear: values of members with a telling name, credentials in URLs, bearer tokens and API keys are masked
 * in the finished line, wherever they came from.
 */
export function createLogger(application: string, configuration: Configuration): Logger & PinoLogger {
  return pino({
    level: levelOf(configuration),
    base: { application },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: loggedError },
    mixin: () => loggedContext(ambient()),
    hooks: { streamWrite: maskSecrets },
  }) as unknown as Logger & PinoLogger
}

const levels = [...Object.keys(pino.levels.values), 'silent']

function levelOf(configuration: Configuration): string {
  const level = configuration.get('Log:Level')?.toLowerCase() ?? 'info'
  if (levels.includes(level)) return level
  throw new StartupError(
    `Log:Level is '${level}' (from ${configuration.sourceOf('Log:Level')}): set it to one of ${levels.join(', ')}.`,
  )
}

/** The members of a log line that name the work during which it was logged. */
export function loggedContext({ correlationId, trace, principal }: Ambient): object {
  const { userId, clientId, apiKeyId } = principal
  return {
    ...(correlationId && { correlationId }),
    ...(trace && { traceId: trace.traceId }),
    ...(userId && { userId }),
    ...(clientId && { clientId }),
    ...(apiKeyId && { apiKeyId }),
  }
}

/** The members with connections, rows and values that pg, PostgreSQL and Sequelize add to an error. */
const rowData = [
  'client',
  'parameters',
  'detail',
  'where',
  'parent',
  'original',
  'errors',
  'aggregateErrors',
  'fields',
  'value',
  'sql',
  'statement',
]

/**
 * An error as it is logged: type, message, stack and codes. Of a failed statement `database` tells what
 * PostgreSQL said of it and its text, but no values, which may be anybody's.
 */
export function loggedError(error: Error): object {
  const database = failedStatement(error)
  const entries = Object.entries(pino.stdSerializers.err(error))
    .filter(([name]) => !rowData.includes(name))
    .map(([name, value]) => [
      name,
      database && typeof value === 'string' ? withoutQuotedValues(value, error) : value,
    ])
  return { ...Object.fromEntries(entries), ...(database && { database }) }
}

const secretName =
  'password|passwd|pwd|secret|token|authorization|cookie|api[-_]?key|connectionstring|hash|code_verifier|assertion|securitystamp|privatekey|webkey'
const secretMember = new RegExp(
  String.raw`("[^"\\]{0,64}?(?:${secretName})[^"\\]{0,64}?"\s*:\s*)("(?:[^"\\]|\\.)*"|\d+|\[(?:"(?:[^"\\]|\\.)*"|[^[\]"])*\])`,
  'gi',
)
const secretNamePattern = new RegExp(secretName, 'i')
/** The same in JSON that is a text of the line, e.g. a body in a message. */
const secretInEscapedJson = new RegExp(
  String.raw`(\\"[^"\\]{0,64}?(?:${secretName})[^"\\]{0,64}?\\"\s*:\s*)(?:\\"(?:[^"\\]|\\\\\\"|\\\\)*\\"|\d+)`,
  'gi',
)
// The lengths are bounded so that no line, whoever wrote it, takes more than a moment.
const credentialsInUrl = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@"]{1,128}:)(?:[^\s"\\]|\\.){1,512}@/gi
const passwordInConnectionString = /(\b[\w-]{0,40}(?:password|pwd)\s{0,5}=\s{0,5})(?:[^;&"\\]|\\.){1,512}/gi
const bearer = /(\bbearer\s+)[\w.~+/-]+=*/gi
/** Taken as a whole, so that none is looked through again from each place where a token could begin. */
const dottedText = /[\w.-]{10,}/g
const secretInQuery =
  /(\b[\w-]{0,40}(?:api[-_]?key|token|secret|assertion|code_verifier)[\w-]{0,10}=|[?&]code=)[^&;"\s\\]+/gi

/** True when the name of a member suggests a secret. */
export function isSecretName(name: string): boolean {
  return secretNamePattern.test(name)
}

/** API keys wherever they stand; who looks for one finds it by its first letters. */
const apiKey = new RegExp(
  `(${apiKeyMark}[0-9A-Za-z]{${apiKeyPrefixLength - apiKeyMark.length}})[0-9A-Za-z]{8,}`,
  'g',
)

/** A log line with everything that could be a secret masked. */
export function maskSecrets(line: string): string {
  return line
    .replace(secretMember, '$1"***"')
    .replace(secretInEscapedJson, '$1\\"***\\"')
    .replace(credentialsInUrl, '$1***@')
    .replace(passwordInConnectionString, '$1***')
    .replace(bearer, '$1***')
    .replace(dottedText, withoutTokens)
    .replace(secretInQuery, '$1***')
    .replace(apiKey, '$1***')
}

const beginningOfToken = /\beyJ[\w-]{5}/

/**
 * A text without blanks, its JSON web tokens masked: three parts with points between them, of which the last
 * may be empty.
 */
function withoutTokens(text: string): string {
  if (!text.includes('eyJ')) return text
  const parts = text.split('.')
  const kept: string[] = []
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as string
    const begin = parts[index + 1] && parts[index + 2] !== undefined ? part.search(beginningOfToken) : -1
    kept.push(begin < 0 ? part : `${part.slice(0, begin)}***`)
    if (begin >= 0) index += 2
  }
  return kept.join('.')
}
