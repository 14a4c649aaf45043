/**
 * An address as it may be written down: without the API key that its query carries or tries to carry, however
 * the parameter's name is encoded. A key in a query counts in Development alone, but somebody may send one
 * anywhere.
 */
export function loggedUrl(url: string): string {
  const mark = url.indexOf('?')
  if (mark < 0) return url
  const parts = url
    .slice(mark + 1)
    .split('&')
    .map((part) => (holdsApiKey(part) ? `${nameOf(part)}=***` : part))
  return `${url.slice(0, mark)}?${parts.join('&')}`
}

/** A query without the API key in it, for links that are made of it. */
export function withoutApiKey(query: string): string {
  if (!/key|%/i.test(query)) return query
  return query
    .split('&')
    .filter((part) => !holdsApiKey(part))
    .join('&')
}

function holdsApiKey(part: string): boolean {
  const name = nameOf(part)
  return name.length < part.length && /api[-_]?key/i.test(decoded(name))
}

const nameOf = (part: string): string => part.split('=', 1)[0] as string

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
