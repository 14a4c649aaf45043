import type { Body } from '../../http/server/compression.js'

/** A request of the OData layer, of its own or a part of a batch. */
export interface ODataRequest {
  /** Upper case. */
  readonly method: string
  /** Raw, behind the root: `/Shipments(1)/Number`. */
  readonly path: string
  /** Raw, without `?`. */
  readonly query: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The service's public root, which links begin with; with a slash at the end. */
  readonly root: string
  /** The root as the caller wrote it: understood in addresses that come in, never told. */
  readonly reachedAt: string
  /** Reads the body, once. Throws a typed error when it has more bytes than that. */
  readonly body: (maxBytes: number) => Promise<Buffer>
  /** A streamed answer is possible. */
  readonly canStream?: boolean
}

/** An answer of the OData layer. */
export interface ODataAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Body
  /** Instead of the body of a streamed answer. A reader takes all pieces or ends the generator. */
  readonly pieces?: AsyncGenerator<string, void, undefined>
}
