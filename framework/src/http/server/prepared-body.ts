import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { sendJson } from './send-json.js'

const jsonType = 'application/json; charset=utf-8'

/**
 * A body that is made when it is asked for first, and kept: for documents that do not change while the host
 * runs.
 */
export class PreparedBody {
  private made: { readonly bytes: Buffer; readonly tag: string } | undefined

  /** @param make gives the bytes, or an object that is written as JSON */
  constructor(
    private readonly make: () => object | Buffer,
    private readonly type = jsonType,
  ) {}

  /** Answers with the body; 304 when the caller has it already. */
  send(request: Request, response: Response): void {
    this.made ??= prepare(this.make())
    const { bytes, tag } = this.made
    response.vary('Accept-Encoding')
    response.setHeader('cache-control', 'no-cache')
    response.setHeader('etag', tag)
    if (isKnown(tag, request.headers['if-none-match'])) {
      response.statusCode = 304
      response.end()
      return
    }
    sendJson(response, 200, bytes, this.type)
  }
}

/** The tag is weak: it stands for the compressed forms too. */
function prepare(made: object | Buffer) {
  const bytes = Buffer.isBuffer(made) ? made : Buffer.from(JSON.stringify(made))
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 27)
  return { bytes, tag: `W/"${digest}"` }
}

/** Express' own check would miss browsers' fetch: it sends `Cache-Control: no-cache` with every tag. */
function isKnown(tag: string, known = ''): boolean {
  const bare = (one: string): string => one.trim().replace(/^W\//, '')
  return known.split(',').some((one) => one.trim() === '*' || bare(one) === bare(tag))
}
