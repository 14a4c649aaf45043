const reset = '\u001b[0m'
const colourOf: Record<string, string> = {
  trace: '\u001b[90m',
  debug: '\u001b[90m',
  info: '\u001b[32m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
  fatal: '\u001b[41m',
}
const nameOfNumber: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}
const notShown = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'application', 'err', 'v'])

/** A JSON log line of a host as `HH:mm:ss level message key=value`, stack below; any other line as it is. */
export function formatLogLine(line: string, colours: boolean): string {
  const entry = parseLogLine(line)
  if (!entry) return line
  const paint = (text: string, colour: string) => (colours ? `${colour}${text}${reset}` : text)
  const level = levelOf(entry)
  const values = Object.entries(entry).filter(([key]) => !notShown.has(key))
  const shown = values.map(([key, value]) => paint(`${key}=${plain(value)}`, '\u001b[90m'))
  const parts = [clock(entry.time), paint(level.padEnd(5), colourOf[level] ?? ''), entry.msg, ...shown]
  return parts.filter((part) => part !== '').join(' ') + errorOf(entry)
}

/** True for lines that report a warning or worse. */
export function isWarning(line: string): boolean {
  const entry = parseLogLine(line)
  return entry !== undefined && ['warn', 'error', 'fatal'].includes(levelOf(entry))
}

type LogEntry = Record<string, unknown>

function parseLogLine(line: string): LogEntry | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const entry = JSON.parse(line) as LogEntry
    return 'level' in entry && 'time' in entry ? entry : undefined
  } catch {
    return undefined
  }
}

function levelOf({ level }: LogEntry): string {
  return typeof level === 'number' ? (nameOfNumber[level] ?? String(level)) : String(level)
}

function clock(time: unknown): string {
  const date = new Date(time as string | number)
  return Number.isNaN(date.getTime()) ? '' : date.toTimeString().slice(0, 8)
}

function plain(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return /[\s"=]/.test(value) || value === '' ? JSON.stringify(value) : value
}

function errorOf({ err, msg }: LogEntry): string {
  if (typeof err !== 'object' || err === null) return err === undefined ? '' : ` err=${plain(err)}`
  const { message, stack, database } = err as { message?: string; stack?: string; database?: object }
  const text = stack ?? message ?? JSON.stringify(err)
  return (text === msg ? '' : `\n${text}`) + statementOf(database)
}

/** The database's messages about a failed statement, a line each. */
function statementOf(database: object | undefined): string {
  const lines = Object.entries(database ?? {}).map(([name, value]) => `\n  ${name}: ${value}`)
  return lines.length ? `\nThe database refused a statement.${lines.join('')}` : ''
}
