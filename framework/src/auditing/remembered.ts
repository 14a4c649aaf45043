/**
 * Bounds the cache, because callers may send any names; those of contracts and columns come early and are
 * short.
 */
const mostNames = 2000
const longestName = 64

/** The same look at names, taken once for each of those that come again and again. */
export function remembered<T>(look: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>()
  return (name) => {
    const found = known.get(name)
    if (found !== undefined) return found
    const answer = look(name)
    if (name.length <= longestName && known.size < mostNames) known.set(name, answer)
    return answer
  }
}
