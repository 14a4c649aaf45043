import { seenHeader } from '../contracts/seen-header.js'

/** Hosts whose last token is remembered. */
const mostHosts = 100
const tokens = new Map<string, string>()
const none = {}

/** The header by which a host knows of the last write that it, or another copy of it, acknowledged to this process. */
export function seenBefore(address: string): Readonly<Record<string, string>> {
  const token = tokens.size ? tokens.get(originOf(address)) : undefined
  return token === undefined ? none : { [seenHeader]: token }
}

/** Remembers the token that came with an answer. */
export function noteSeen(address: string, headers: Headers): void {
  const token = headers.get(seenHeader)
  if (token === null) return
  const origin = originOf(address)
  tokens.delete(origin)
  tokens.set(origin, token)
  const [oldest] = tokens.keys()
  if (tokens.size > mostHosts && oldest !== undefined) tokens.delete(oldest)
}

/** A page calls its own host by paths alone. */
const originOf = (address: string): string => /^\w+:\/\/[^/]+/.exec(address)?.[0] ?? ''
