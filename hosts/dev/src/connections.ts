/** The three databases of the platform. */
export const connectionNames = ['Default', 'Hub', 'Pricing'] as const
export type ConnectionName = (typeof connectionNames)[number]
export type Connections = Partial<Record<ConnectionName, string>>

/** The name each has on the embedded server. */
export const databaseNames: Record<ConnectionName, string> = {
  Default: 'keel_default',
  Hub: 'keel_hub',
  Pricing: 'keel_pricing',
}

/**
 * Connection strings from environment (`ConnectionStrings__Hub`) and command line
 * (`--ConnectionStrings:Hub=…`, which wins).
 */
export function configuredConnections(env: NodeJS.ProcessEnv, args: readonly string[]): Connections {
  const found: Connections = {}
  const take = (key: string, value: string | undefined) => {
    const name = connectionNames.find(
      (name) => key.toLowerCase() === `connectionstrings:${name.toLowerCase()}`,
    )
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
export function missingConnections(configured: Connections): ConnectionName[] {
  return configured.Default ? [] : connectionNames.filter((name) => !configured[name])
}

/** The environment variables that pass them to a host. */
export function connectionVariables(connections: Connections): Record<string, string> {
  return Object.fromEntries(
    Object.entries(connections).map(([name, url]) => [`ConnectionStrings__${name}`, url]),
  )
}
