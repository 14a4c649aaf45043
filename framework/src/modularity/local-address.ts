const localNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/** True when an address is that of the machine itself, as in Development. */
export function isLocalAddress(address: string): boolean {
  return localNames.has(new URL(address).hostname)
}

/**
 * The value of `Strict-Transport-Security` for a public address; undefined without TLS, for the machine
 * itself, where it would bind whatever else runs there, and when the age is 0.
 */
export function strictTransport(publicAddress: string, maxAgeSeconds: number): string | undefined {
  const applies = publicAddress.startsWith('https:') && !isLocalAddress(publicAddress) && maxAgeSeconds > 0
  return applies ? `max-age=${maxAgeSeconds}` : undefined
}
