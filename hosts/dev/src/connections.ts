/** Connection strings by the name of the connection. */
export type Connections = Readonly<Record<string, string>>

/**
 * Connection strings of these names from environment (`ConnectionStrings__Hub`) and command line
 * (`--ConnectionStrings:Hub=…`, which wins).
 */
export function configuredConnections(
  names: readonly string[],
  env: NodeJS.ProcessEnv,
  args: readonly string[],
): Connections {
  const found: Record<string, string> = {}
  const take = (key: string, value: string | undefined) => {
    const name = names.find((name) => key.toLowerCase() === `connectionstrings:${name.toLowerCase()}`)
    if (name && value) found[name] = value
  }
  for (const [key, value] of Object.entries(env)) take(key.replaceAll('__', ':'), value)
  for (const arg of args) {
    const [, key = '', value] = /^--([^=]+)=(.*)$/s.exec(arg) ?? []
    take(key, value)
  }
  return found
}

/** The databases nobody configured; none when Default is, for the others fall back to it. */
export function missingConnections(names: readonly string[], configured: Connections): string[] {
  return configured.Default ? [] : names.filter((name) => !configured[name])
}

/** The environment variables that pass them to a host. */
export function connectionVariables(connections: Connections): Record<string, string> {
  return Object.fromEntries(
    Object.entries(connections).map(([name, url]) => [`ConnectionStrings__${name}`, url]),
  )
}
