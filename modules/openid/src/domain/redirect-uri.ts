import { hasMark, isRedirectPattern } from './redirect-pattern.js'

/** The address of this machine, under all its names. */
const loopbacks = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Schemes that a browser would run or read itself. */
const forbidden = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'ws:', 'wss:'])

/**
 * True for an address that the auth server sends people back to: absolute and without a fragment; of a web
 * client http or https; of a native one a scheme of its own, http to this machine, or https to another. A
 * pattern stands for the names below a domain. One invalid address would make the whole client useless.
 */
export function isRedirectUri(address: string, applicationType: 'web' | 'native'): boolean {
  if (!URL.canParse(address) || address.includes('#')) return false
  if (hasMark(address)) return isRedirectPattern(address)
  const { protocol, hostname } = new URL(address)
  if (applicationType === 'web') return protocol === 'https:' || protocol === 'http:'
  if (protocol === 'http:') return loopbacks.has(hostname)
  if (protocol === 'https:') return !loopbacks.has(hostname)
  return !forbidden.has(protocol)
}

/** True for an address that a page can link to. */
export function isWebAddress(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)
}
