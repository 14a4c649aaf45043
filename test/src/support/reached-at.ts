import { createClient } from '@keel/framework/client'
import type { TestHost } from '@keel/framework/testing'

/** A test host whose callers reach it at another address, through what stands before it. What a test takes from its container stays its own. */
export function reachedAt(host: TestHost, url: string, close: () => Promise<void>): TestHost {
  return {
    ...host,
    url,
    fetch: (path, init) => fetch(url + path, init),
    async as(who) {
      const { token } = await host.as(who)
      return {
        token,
        service: (contract) =>
          createClient(contract, { baseUrl: url, accessToken: () => token, retry: false }),
        fetch: (path, init = {}) =>
          fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } }),
      }
    },
    close,
  }
}
