import type { TextReference } from '../../contracts/index.js'
import { StatusError } from '../../http/server/status-error.js'
import { type UnsupportedCode, unsupportedParts } from './unsupported.js'

/** Where a fault is: the query option or header, and the offset in its decoded text. */
export interface FaultPlace {
  /** `$filter`, `$expand`, `@p`, a header's name; a segment of the path. */
  readonly target?: string | undefined
  /** UTF-16 offset from 0. */
  readonly at?: number | undefined
  /** The syntax that was expected there. */
  readonly expected?: string | undefined
  /** The code of the part of the standard that is not supported. */
  readonly unsupported?: UnsupportedCode | undefined
}

/** A message in English, with its text in all languages. */
export interface Sentence {
  readonly message: string
  readonly text?: TextReference | undefined
}

/**
 * A message with values. The key of its text are the English words themselves, behind `OData:`; the values stand in it as `{0}`, `{1}`.
 * A value may be a sentence itself.
 * @example ODataError.notFound(say`There is no entity set '${name}'.`)
 */
export function say(words: TemplateStringsArray, ...values: readonly unknown[]): Sentence {
  const key = words.reduce((text, word, index) => `${text}{${index - 1}}${word}`)
  const message = words.reduce((text, word, index) => `${text}${wordsOf(values[index - 1])}${word}`)
  const data = Object.fromEntries(
    values.map((value, index) => [index, isSentence(value) ? value.text : value]),
  )
  return { message, text: { key: `OData:${key}`, data } }
}

/** A message without values as a sentence. */
export function asSentence(message: string | Sentence): Sentence {
  return typeof message === 'string' ? { message, text: { key: `OData:${message}` } } : message
}

function isSentence(value: unknown): value is Sentence {
  return typeof value === 'object' && value !== null && 'message' in value
}

function wordsOf(value: unknown): string {
  return isSentence(value) ? value.message : String(value)
}

/** A refused request of the OData layer. Its answer is OData's error JSON, never ABP's envelope. */
export class ODataError extends StatusError {
  override readonly name: string = 'ODataError'

  constructor(
    /** Of the answer. */
    readonly httpStatus: number,
    sentence: string | Sentence,
    readonly place: FaultPlace = {},
  ) {
    const { message, text } = asSentence(sentence)
    super(message, { code: String(httpStatus), ...(text && { text }) })
  }

  /** 400: the query breaks the grammar, names what is not there, mixes types or exceeds a limit. */
  static invalid(message: string | Sentence, place: FaultPlace = {}): ODataError {
    // AspNetCoreOData begins every such message so, and clients know it.
    return new ODataError(
      400,
      say`The query specified in the URI is not valid. ${asSentence(message)}`,
      place,
    )
  }

  /** 400: the text does not go on as it must. */
  static syntax(found: string, place: FaultPlace & { at: number; expected: string }): ODataError {
    return ODataError.invalid(
      say`Syntax error at position ${place.at}: expected ${place.expected}, found ${found}.`,
      place,
    )
  }

  /** 404: no such set, row, property or segment. */
  static notFound(message: string | Sentence, place: FaultPlace = {}): ODataError {
    return new ODataError(404, message, place)
  }

  /**
   * 501: valid OData that this service does not support. @param found the text of the request, where the code
   * alone does not name it
   */
  static unsupported(code: UnsupportedCode, place: FaultPlace = {}, found?: string): ODataError {
    const { feature } = unsupportedParts[code]
    const sentence =
      found === undefined
        ? say`${feature} is not supported by this service.`
        : say`${feature} is not supported by this service. Found: '${found.slice(0, 100)}'.`
    return new ODataError(501, sentence, { ...place, unsupported: code })
  }
}
