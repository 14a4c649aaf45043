import type { TextReference } from '../../contracts/index.js'

/** A query with more in it than is read. */
export class QueryLimitError extends Error {
  constructor(
    message: string,
    readonly text: TextReference,
  ) {
    super(message)
  }
}

/** The most name=value pairs a query may have; what comes after them is refused. */
export const mostPairs = 2000
const deepest = 6

type Member = { readonly key: string; value: unknown }
class Level {
  readonly members = new Map<string, Member>()
}

/**
 * A query string as ASP.NET Core's binder understands it: `a.b=`, `a[b]=` and `a[0]=` are nested, names are
 * compared without case, a repeated name makes a list, an empty value counts as absent. Throws a URIError for
 * a broken percent-encoding and a QueryLimitError for too much.
 */
export function parseQuery(text: string): Record<string, unknown> {
  return nestPairs(pairsOf(text))
}

/** Names with values, of a query or a form, as an object; see {@link parseQuery}. */
export function nestPairs(pairs: Iterable<readonly [name: string, value: string]>): Record<string, unknown> {
  const root = new Level()
  for (const [name, value] of pairs) if (name && value) add(root, pathOf(name), value)
  return toObject(root) as Record<string, unknown>
}

function* pairsOf(text: string): Iterable<readonly [string, string]> {
  let pairs = 0
  for (const pair of text.split('&')) {
    if (!pair) continue
    if (++pairs > mostPairs)
      throw new QueryLimitError(`A query may have at most ${mostPairs} parameters.`, {
        key: 'Http:TooManyParameters',
        data: { most: mostPairs },
      })
    const equals = pair.indexOf('=')
    yield [
      decode(equals < 0 ? pair : pair.slice(0, equals)),
      equals < 0 ? '' : decode(pair.slice(equals + 1)),
    ]
  }
}

function decode(text: string): string {
  return text.includes('%') || text.includes('+') ? decodeURIComponent(text.replaceAll('+', ' ')) : text
}

/** `Filters[TransportMode][0]` and `filters.transportMode` → the names on the way. */
function pathOf(name: string): string[] {
  if (!/[.[]/.test(name)) return [name]
  const path = name.split(/\]\[|\[|\]\.?|\./).filter((part, index) => part !== '' || index === 0)
  if (path.length > deepest)
    throw new QueryLimitError(`A parameter may be nested at most ${deepest} deep.`, {
      key: 'Http:NestedTooDeep',
      data: { deepest },
    })
  return path
}

function add(level: Level, [first = '', ...rest]: readonly string[], value: string): void {
  const lower = first.toLowerCase()
  const member = level.members.get(lower)
  if (rest.length === 0) {
    if (!member) level.members.set(lower, { key: first, value })
    else if (Array.isArray(member.value)) member.value.push(value)
    else if (!(member.value instanceof Level)) member.value = [member.value, value]
    return
  }
  const inner = member?.value instanceof Level ? member.value : new Level()
  if (!member) level.members.set(lower, { key: first, value: inner })
  else if (member.value !== inner) return
  add(inner, rest, value)
}

function toObject(level: Level): unknown {
  const members = [...level.members.values()].map(
    ({ key, value }) => [key, value instanceof Level ? toObject(value) : value] as const,
  )
  const isList = members.length > 0 && members.every(([key]) => /^\d{1,4}$/.test(key))
  if (isList) return members.sort((a, b) => Number(a[0]) - Number(b[0])).flatMap(([, value]) => value)
  return Object.fromEntries(members)
}
