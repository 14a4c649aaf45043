import {
  accountMembers,
  applicationMembers,
  createProxy,
  identityMembers,
  type ProxyMembers,
  type ProxyOf,
  permissionMembers,
} from '@keel/platform-proxy'
import type { RunTimeConfiguration } from './config.js'
import type { Session } from './session.js'

interface Connection {
  readonly config: RunTimeConfiguration
  readonly session: Session
  readonly language: () => string
  readonly onForbidden: () => void
}

let connection: Connection | undefined

/**
 * Says how the servers are reached, before the first call. Calls send the token of the moment and the language of the page, and renew the token
 * once when the server refuses it.
 * @param with `language` gives the culture that answers are wanted in; `onForbidden` is called when the server refuses a call for want of a
 * permission: the menu may be out of date
 */
export function connect(given: Connection): void {
  connection = given
}

function connected(): Connection {
  if (!connection) throw new Error('connect() comes before the first call.')
  return connection
}

/**
 * The clients of a part of a proxy, with operations that the hooks take. A page that alone needs a part opens it in its own file, so that it is
 * loaded with the page.
 * @example const { apiKeys } = openProxy(apiKeyMembers)
 */
export function openProxy<const M extends ProxyMembers>(members: M): ProxyOf<M> {
  const remote = Object.values(members).find(({ service }) => service)?.service?.contract.service
  if (!remote) throw new Error('These members have no service.')
  return createProxy(remote, members, {
    baseUrl: () => connected().config.apiUrl,
    accessToken: () => connected().session.accessToken(),
    headers: () => ({ 'accept-language': connected().language() }),
    fetch: call,
  })
}

const call: typeof fetch = async (input, init) => {
  const { session, onForbidden } = connected()
  const answer = await fetch(input, init)
  if (answer.status === 403) onForbidden()
  if (answer.status !== 401) return answer
  const token = await session.renew()
  if (!token) return answer
  const headers = { ...(init?.headers as Record<string, string>), authorization: `Bearer ${token}` }
  const again = await fetch(input, { ...init, headers })
  if (again.status === 401) session.end()
  return again
}

/** What several pages use. */
export const platform = {
  application: openProxy(applicationMembers),
  identity: openProxy(identityMembers),
  account: openProxy(accountMembers),
  permissions: openProxy(permissionMembers),
}
