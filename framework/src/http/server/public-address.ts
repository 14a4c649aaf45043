import type { IncomingMessage } from 'node:http'
import { UnauthenticatedError, z } from '../../contracts/index.js'
import { ambient } from '../../modularity/ambient.js'
import { configurationSection } from '../../modularity/configuration.js'
import { isLocalAddress } from '../../modularity/local-address.js'

/** Where a host is reached, and what strangers see of it there. */
export const PublicAddress = configurationSection('App', {
  /** Its own public address: absolute links begin with it. */
  selfUrl: z.url().default('http://localhost:4000'),
  /** How long browsers insist on TLS once they came to an https address; 0 tells them nothing. */
  hstsMaxAgeSeconds: z.int().min(0).default(31_536_000),
  /** Shows the docs UI and the OpenAPI document to callers who are not signed in. */
  isDocsPublic: z.boolean().default(true),
  /** Shows ABP's API definition, and the contracts that clients compare with theirs, to callers who are not signed in. */
  isApiDefinitionPublic: z.boolean().default(true),
})

/** Refuses a stranger what only is for those who signed in. */
export function demandSignedIn(): void {
  if (ambient().principal.kind === 'anonymous') throw new UnauthenticatedError()
}

const localHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i

/**
 * The start of absolute links of a host, without a slash at the end: `App:SelfUrl`. `Host` and
 * `X-Forwarded-Host` are not used, because callers can forge them. If `App:SelfUrl` is the local machine, the
 * host name that the caller uses for this machine is kept.
 */
export function linkBase(selfUrl: string, { headers }: Pick<IncomingMessage, 'headers'>): string {
  const own = selfUrl.replace(/\/+$/, '')
  const host = headers.host ?? ''
  if (!isLocalAddress(own) || !localHost.test(host)) return own
  const { protocol, pathname } = new URL(own)
  return `${protocol}//${host.toLowerCase()}${pathname.replace(/\/+$/, '')}`
}
