import { Provider } from 'oidc-provider'

/** A grant as it was read. */
export interface StoredGrant {
  /** JSON. */
  readonly payload: string
  /** True while its session lasts; undefined when that was not asked for. */
  readonly isLive?: boolean
}

/** The rows that a request read along with others, and its pending writes. It ends with the request. */
interface RequestMemory {
  /** Of grants by id. */
  readonly grants: Map<string, StoredGrant>
  /** The row of the refresh token that is being changed into a new one. */
  usedRefreshToken?: string | undefined
}

const memories = new WeakMap<object, RequestMemory>()

/** The memory of the request at hand; undefined outside of one. */
export function requestMemory(): RequestMemory | undefined {
  const context = Provider.ctx
  if (!context) return undefined
  const known = memories.get(context)
  if (known) return known
  const made = { grants: new Map<string, StoredGrant>() }
  memories.set(context, made)
  return made
}

/** True when the current request asks for tokens with a refresh token. */
export function isRefresh(): boolean {
  const { route, params } = Provider.ctx?.oidc ?? {}
  return route === 'token' && params?.grant_type === 'refresh_token'
}
