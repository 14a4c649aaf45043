import { LRUCache } from 'lru-cache'
import { splitOutsideQuotes } from './content-negotiation.js'

/** The honoured preferences of a header `Prefer`, with their names for `Preference-Applied`. */
export interface Preferences {
  /** The most rows of a page; 0 and what is no number is ignored. */
  readonly maxPageSize?: { readonly name: string; readonly value: number }
  /** Annotations: whether `@core.facets` is among them. */
  readonly facets?: { readonly name: string; readonly value: string }
  /** Members without a value are left out. */
  readonly omitNulls?: boolean
  /** Of a batch: undefined unless said. */
  readonly continueOnError?: boolean
}

const none: Preferences = {}
const longestHeader = 4000

/** Clients say the same again and again. */
const understood = new LRUCache<string, Preferences>({ max: 200 })

/** Reads the header `Prefer`; what is not understood is ignored, as RFC 7240 wants it. */
export function parsePreferences(header: string | undefined): Preferences {
  if (!header || header.length > longestHeader) return none
  let preferences = understood.get(header)
  if (!preferences) {
    preferences = preferencesIn(header)
    understood.set(header, preferences)
  }
  return preferences
}

function preferencesIn(header: string): Preferences {
  const preferences: { -readonly [K in keyof Preferences]: Preferences[K] } = {}
  for (const part of splitOutsideQuotes(header, ',')) {
    const [preference = ''] = splitOutsideQuotes(part, ';')
    const equals = preference.indexOf('=')
    const name = preference
      .slice(0, equals < 0 ? undefined : equals)
      .trim()
      .toLowerCase()
    const value =
      equals < 0
        ? ''
        : preference
            .slice(equals + 1)
            .trim()
            .replace(/^"(.*)"$/s, '$1')
    const bare = name.replace(/^odata\./, '')
    // The name without a prefix wins, else the first one.
    if (bare === 'maxpagesize' && /^[1-9]\d{0,8}$/.test(value) && (name === bare || !preferences.maxPageSize))
      preferences.maxPageSize = { name, value: Number(value) }
    if (bare === 'include-annotations' && !preferences.facets && includesFacets(value))
      preferences.facets = { name, value }
    if (bare === 'omit-values' && value.toLowerCase() === 'nulls') preferences.omitNulls = true
    if (bare === 'continue-on-error') preferences.continueOnError = value.toLowerCase() !== 'false'
  }
  return preferences
}

/** Says whether a list asks for `core.facets`; its most specific entry decides (`*`, `core.*`). */
export function includesFacets(list: string): boolean {
  let best = -1
  let included = false
  for (const entry of list.split(',')) {
    const [term = ''] = entry.trim().toLowerCase().split('#')
    const isExcluded = term.startsWith('-')
    const weight = ['*', 'core.*', 'core.facets'].indexOf(isExcluded ? term.slice(1) : term)
    if (weight < best || weight < 0) continue
    best = weight
    included = !isExcluded
  }
  return included
}
