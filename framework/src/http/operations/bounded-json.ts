import type { TextReference } from '../../contracts/index.js'

/**
 * How much structure the JSON of a caller may have. Time and memory grow with it much more than with the
 * bytes.
 */
export interface JsonBounds {
  /** Of objects, lists, members and items together, at all levels. */
  readonly mostValues: number
}

/**
 * How deep lists and objects may stand inside each other, as in ASP.NET Core. What reads a body may recurse
 * so deep.
 */
export const deepestJson = 32

/** JSON with more structure in it than is read. */
export class JsonLimitError extends Error {
  constructor(
    message: string,
    readonly text: TextReference,
  ) {
    super(message)
  }
}

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = Buffer.from('"\\,[]{}')

/**
 * Reads JSON in UTF-8 after its structure was counted. Throws a JsonLimitError when there is too much of it,
 * before anything is made of it, and a SyntaxError when it is malformed.
 */
export function parseBoundedJson(bytes: Buffer, bounds: JsonBounds): unknown {
  checkStructure(bytes, bounds)
  const text = bytes.toString('utf8')
  return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text)
}

function checkStructure(bytes: Buffer, { mostValues }: JsonBounds): void {
  let values = 0
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = endOfText(bytes, at + 1)
    else if (byte === openObject || byte === openList) {
      values++
      if (++depth > deepestJson) throw tooDeep()
    } else if (byte === closeObject || byte === closeList) depth--
    else if (byte === comma) values++
    if (values > mostValues) throw tooMuch(mostValues)
  }
}

/** The position of the quotation mark that ends a text, or of the end of the bytes. */
function endOfText(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

function tooDeep(): JsonLimitError {
  return new JsonLimitError(`JSON may be nested at most ${deepestJson} deep.`, {
    key: 'Http:JsonTooDeep',
    data: { deepest: deepestJson },
  })
}

function tooMuch(most: number): JsonLimitError {
  return new JsonLimitError(`JSON may have at most ${most} members and items.`, {
    key: 'Http:JsonTooWide',
    data: { most },
  })
}
