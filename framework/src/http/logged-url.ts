/**
 * An address as it may be written down: without the API key that its query carries or tries to carry, however the parameter's name is
 * encoded. A key in a query counts in Development alone, but somebody may send one anywhere.
 */
export function loggedUrl(url: string): string {
  const mark = url.indexOf('?')
  if (mark < 0) return url
  const parts = url
    .slice(mark + 1)
    .split('&')
    .map((part) => {
      const name = part.split('=', 1)[0] as string
      return name.length < part.length && /api[-_]?key/i.test(decoded(name)) ? `${name}=***` : part
    })
  return `${url.slice(0, mark)}?${parts.join('&')}`
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
