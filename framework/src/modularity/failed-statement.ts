/** PostgreSQL's report of a refused statement, without any value of a row or a parameter. */
export interface FailedStatement {
  /** PostgreSQL's code of five characters, e.g. `23505`. */
  readonly sqlState: string
  readonly message: string
  readonly table?: string
  readonly column?: string
  readonly constraint?: string
  readonly hint?: string
  /** The text of the statement, values that stood in it replaced by `?`; undefined when it is not known. */
  readonly statement?: string
}

interface PostgresError {
  readonly code?: string
  readonly severity?: string
  readonly message?: string
  readonly table?: string
  readonly column?: string
  readonly constraint?: string
  readonly hint?: string
  /** Set by the client that sent it. */
  readonly statement?: string
  /** Sequelize's text of the statement. */
  readonly sql?: string
  readonly parent?: unknown
  readonly cause?: unknown
}

/** Deeper causes tell nobody more. */
const deepest = 8
/** Longer statements are cut in messages. */
const longestStatement = 2000

/** The statement whose failure an error, or what caused it, tells of; undefined when there is none. */
export function failedStatement(error: unknown): FailedStatement | undefined {
  let sql: string | undefined
  let at = error as PostgresError | undefined
  for (let depth = 0; at && typeof at === 'object' && depth < deepest; depth++) {
    sql ??= at.sql
    const { code, severity, message = '', table, column, constraint, hint, statement = sql } = at
    if (severity && code && /^[0-9A-Z]{5}$/.test(code))
      return {
        sqlState: code,
        message: messageWithoutValues(message, code),
        ...(table && { table }),
        ...(column && { column }),
        ...(constraint && { constraint }),
        ...(hint && { hint }),
        ...(statement && { statement: statementWithoutValues(statement).slice(0, longestStatement) }),
      }
    at = (at.parent ?? at.cause) as PostgresError | undefined
  }
  return undefined
}

/**
 * A text in which the message of a failed statement stands, e.g. a stack, without the values that the message
 * quotes.
 */
export function withoutQuotedValues(text: string, error: unknown): string {
  let told = text
  let at = error as PostgresError | undefined
  for (let depth = 0; at && typeof at === 'object' && depth < deepest; depth++) {
    const { code, message } = (at.parent ?? at) as PostgresError
    if (message && code) told = told.replaceAll(message, messageWithoutValues(message, code))
    at = (at.parent ?? at.cause) as PostgresError | undefined
  }
  return told
}

/**
 * Codes 22… tell of data, and quote it: `invalid input syntax for type uuid: "…"`. The others quote names.
 */
function messageWithoutValues(message: string, code: string): string {
  return code.startsWith('22') ? message.replace(/"[\s\S]*"/, '"***"') : message
}

/** Names in quotes and parameters stay; texts, also with escapes or between dollars, and numbers go. */
const valueInText =
  /"(?:[^"]|"")*"|\$\d+|\be'(?:[^'\\]|''|\\[\s\S])*'|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$|\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi

/** The text of a statement with `?` for every value in it. */
export function statementWithoutValues(text: string): string {
  return text.replace(valueInText, (found) => (/^"|^\$\d+$/.test(found) ? found : '?'))
}
