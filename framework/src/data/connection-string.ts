import type { ClientConfig } from 'pg'
import { StartupError } from '../modularity/startup-error.js'

/** A connection string as `pg` wants it: a postgres:// URL, or Npgsql's `Host=…;Port=…;Database=…;Username=…;Password=…`. */
export function parseConnectionString(text: string, key: string): ClientConfig {
  if (/^postgres(ql)?:\/\//i.test(text)) return { connectionString: text }
  const parts = new Map<string, string>()
  for (const part of text.split(';').filter((piece) => piece.trim())) {
    const [name = '', ...value] = part.split('=')
    parts.set(name.trim().toLowerCase().replace(/\s/g, ''), value.join('=').trim())
  }
  const host = parts.get('host') ?? parts.get('server')
  if (!host)
    throw new StartupError(
      `${key} is neither a postgres:// URL nor a list such as Host=…;Port=…;Database=…;Username=…;Password=…`,
    )
  const sslMode = parts.get('sslmode')?.toLowerCase()
  return {
    host,
    port: Number(parts.get('port') ?? 5432),
    database: parts.get('database') ?? parts.get('db'),
    user: parts.get('username') ?? parts.get('userid') ?? parts.get('user'),
    password: parts.get('password') ?? parts.get('pwd'),
    ...(sslMode &&
      sslMode !== 'disable' &&
      sslMode !== 'prefer' && { ssl: { rejectUnauthorized: sslMode.startsWith('verify') } }),
  }
}
