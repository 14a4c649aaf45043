import { ambient } from '../../modularity/ambient.js'
import type { Localization } from '../../modularity/localization.js'

/** A row that is delivered with a name that has a text in each language. */
export interface DeliveredName {
  /** The key of the text. */
  readonly key: string
  /** The name that is stored with the row when it is seeded. */
  readonly name: string
}

/**
 * The delivered rows of an entity, by id. A row is shown with the text of its key for as long as it has the name that it was delivered with: a name
 * that somebody gave it stays as it is, in each language.
 */
export type TranslatedNames = ReadonlyMap<string, DeliveredName>

/** The name of a row in a language; the stored one where the row has another name than it was delivered with, or the name has no text. */
export function translatedName(
  names: TranslatedNames,
  { id, name }: { readonly id: string; readonly name: string },
  localization: Pick<Localization, 'find'>,
  culture = ambient().culture,
): string {
  const delivered = names.get(id)
  return delivered?.name === name ? (localization.find(delivered.key, culture) ?? name) : name
}

/** The delivered rows whose name in the caller's language has a text in it, and whether the name begins with the text; in any case. */
export function namedLike(
  names: TranslatedNames,
  text: string,
  localization: Pick<Localization, 'find'>,
): { readonly id: string; readonly name: string; readonly isPrefix: boolean }[] {
  const { culture } = ambient()
  const wanted = text.toLocaleLowerCase(culture)
  return [...names].flatMap(([id, { key, name }]) => {
    const place = localization.find(key, culture)?.toLocaleLowerCase(culture).indexOf(wanted) ?? -1
    return place < 0 ? [] : [{ id, name, isPrefix: place === 0 }]
  })
}
