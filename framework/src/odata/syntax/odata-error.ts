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

/** How the message of every refused query begins; clients know it from AspNetCoreOData. */
const prefix = 'The query specified in the URI is not valid. '

/** A refused request of the OData layer. Its answer is OData's error JSON, never ABP's envelope. */
export class ODataError extends StatusError {
  override readonly name: string = 'ODataError'

  constructor(
    /** Of the answer. */
    readonly httpStatus: number,
    message: string,
    readonly place: FaultPlace = {},
  ) {
    super(message, { code: String(httpStatus) })
  }

  /** 400: the query breaks the grammar, names what is not there, mixes types or exceeds a limit. */
  static invalid(message: string, place: FaultPlace = {}): ODataError {
    return new ODataError(400, prefix + message, place)
  }

  /** 400: the text does not go on as it must. */
  static syntax(found: string, place: FaultPlace & { at: number; expected: string }): ODataError {
    return ODataError.invalid(
      `Syntax error at position ${place.at}: expected ${place.expected}, found ${found}.`,
      place,
    )
  }

  /** 404: no such set, row, property or segment. */
  static notFound(message: string, place: FaultPlace = {}): ODataError {
    return new ODataError(404, message, place)
  }

  /**
   * 501: valid OData that this service does not support. @param found the text of the request, where the code
   * alone does not name it
   */
  static unsupported(code: UnsupportedCode, place: FaultPlace = {}, found?: string): ODataError {
    const shown = found === undefined ? '' : ` Found: '${found.slice(0, 100)}'.`
    return new ODataError(
      501,
      `${unsupportedParts[code].feature} is not supported by this service.${shown}`,
      {
        ...place,
        unsupported: code,
      },
    )
  }
}
