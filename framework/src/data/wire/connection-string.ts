import type { ClientConfig } from 'pg'
import { StartupError } from '../../modularity/startup-error.js'

/** A connection string as `pg` wants it: a postgres:// URL, or Npgsql's `Host=…;Port=…;Database=…;Username=…;Password=…`. */
export function parseConnectionString(text: string, key: string): ClientConfig {
  if (/^postgres(ql)?:\/\//i.test(text)) {
    if (URL.canParse(text)) return { connectionString: text }
    throw new StartupError(
      `${key} is not a valid postgres:// URL. Write special characters of user and password percent-encoded.`,
    )
  }
  const parts = new Map<string, string>()
  for (const [, name = '', quoted, plain = ''] of text.matchAll(part))
    parts.set(name.toLowerCase().replace(/\s/g, ''), quoted === undefined ? plain.trim() : unquoted(quoted))
  const host = parts.get('host') ?? parts.get('server')
  if (!host)
    throw new StartupError(
      `${key} is neither a postgres:// URL nor a list such as Host=…;Port=…;Database=…;Username=…;Password=…`,
    )
  const port = Number(parts.get('port') ?? 5432)
  if (!Number.isInteger(port)) throw new StartupError(`${key}: Port=${parts.get('port')} is not a port`)
  const sslMode = parts.get('sslmode')?.toLowerCase()
  return {
    host,
    port,
    database: parts.get('database') ?? parts.get('db'),
    user: parts.get('username') ?? parts.get('userid') ?? parts.get('user'),
    password: parts.get('password') ?? parts.get('pwd'),
    ...(sslMode &&
      sslMode !== 'disable' &&
      sslMode !== 'prefer' && { ssl: { rejectUnauthorized: sslMode.startsWith('verify') } }),
  }
}

/** `Name=value`, the value in quotes (doubled inside) when it holds a semicolon. */
const part = /([^;=]+)=\s*(?:('(?:[^']|'')*'|"(?:[^"]|"")*")\s*(?=;|$)|([^;]*))/g

function unquoted(text: string): string {
  const mark = text.charAt(0)
  return text.slice(1, -1).replaceAll(mark + mark, mark)
}
