/** A request's text with the GUIDs in it lifted out: requests that differ in these alone are understood the same way. */
export interface LiftedText {
  readonly shape: string
  /** Each once, in the order of their first places. */
  readonly guids: readonly string[]
}

// As our own services write them, where a literal or a segment may stand: anything else is a part of the shape.
const guid =
  /(?<=[(/,=+]|%20)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?=[)/,;&?+]|%20|$)/g
const anyGuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const hiddenGuid = new RegExp(anyGuid.source, 'i')
/** What stands between quotes is a text, not a GUID; and letters, digits and hyphens need no encoding: who encodes them may hide a GUID. */
const unusual = /['"]|%2[27d]|%3\d|%[46][1-9a-f]|%[57][\da]/i

/** Lifts the GUIDs out of a path and a query. */
export function liftGuids(path: string, query: string): LiftedText {
  const text = `${path}?${query}`
  if (text.indexOf('-') < 0 || unusual.test(text)) return { shape: text, guids: [] }
  const guids: string[] = []
  const shape = text.replace(guid, (found) => {
    let index = guids.indexOf(found)
    if (index < 0) index = guids.push(found) - 1
    // No URL has this character.
    return `\0${index}`
  })
  // One in another place, perhaps the same in another case, could not be told from those lifted out.
  return hiddenGuid.test(shape) ? { shape: text, guids: [] } : { shape, guids }
}

/** Writes other GUIDs for those of a request, into whatever was made of it. */
export class GuidExchange {
  private readonly others: ReadonlyMap<string, string>

  constructor(guids: readonly string[], others: readonly string[]) {
    this.others = new Map(guids.map((one, index) => [one, others[index] ?? one]))
  }

  text(text: string): string {
    if (text.length === 36) return this.others.get(text) ?? text
    return text.length < 36 ? text : text.replace(anyGuid, (found) => this.others.get(found) ?? found)
  }

  value(value: unknown): unknown {
    return typeof value === 'string' ? this.text(value) : value
  }
}

/** GUIDs to try instead of those of a request: what is true with all of them does not depend on which they are. */
export function otherGuids({ guids }: LiftedText): readonly (readonly string[])[] {
  return ['f0', '1e', '00'].map((start) =>
    guids.map((_, index) => `${start}${String(index).padStart(6, '0')}-9a11-4e07-8001-0a5e77e1d0${start}`),
  )
}
