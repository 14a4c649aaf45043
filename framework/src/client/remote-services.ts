/** Configuration as a proxy needs it: an object as in `appsettings.json`, or a look-up by `A:B:C` keys. */
export type RemoteServiceSettings = object | ((key: string) => string | undefined)

/**
 * The address of a remote service: `RemoteServices:<name>:BaseUrl`, else `RemoteServices:Default:BaseUrl`
 * (interface document, "Versioning" 5). Throws when neither is set.
 */
export function baseUrlOf(name: string, settings: RemoteServiceSettings): string {
  const read = typeof settings === 'function' ? settings : (key: string) => lookUp(settings, key.split(':'))
  const keys = [...new Set([name, 'Default'])].map((service) => `RemoteServices:${service}:BaseUrl`)
  const url = keys.map((key) => read(key)).find(Boolean)
  if (!url)
    throw new Error(
      `No address for the remote service ${name}: set ${keys.join(' or ')}, or give a proxy its baseUrl`,
    )
  return url
}

function lookUp(settings: object, [first = '', ...rest]: readonly string[]): string | undefined {
  const key = Object.keys(settings).find((candidate) => candidate.toLowerCase() === first.toLowerCase())
  const value: unknown = key === undefined ? undefined : (settings as Record<string, unknown>)[key]
  if (rest.length === 0) return typeof value === 'string' ? value : undefined
  return typeof value === 'object' && value !== null ? lookUp(value, rest) : undefined
}
