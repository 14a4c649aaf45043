import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Request, Response } from 'express'
import { sendJson } from './controllers.js'

/** JSON that is made when it is asked for first, and kept: for documents that do not change while the host runs. */
export class PreparedJson {
  private made: { readonly text: string; readonly zipped: Buffer; readonly tag: string } | undefined

  constructor(private readonly make: () => object) {}

  /** Answers with the document, compressed when the caller can read that; 304 when the caller has it already. */
  send(request: Request, response: Response): void {
    this.made ??= prepare(JSON.stringify(this.make()))
    const { text, zipped, tag } = this.made
    response.vary('Accept-Encoding')
    response.setHeader('cache-control', 'no-cache')
    response.setHeader('etag', tag)
    if (isKnown(tag, request.headers['if-none-match'])) {
      response.statusCode = 304
      response.end()
      return
    }
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) {
      sendJson(response, 200, text)
      return
    }
    response.setHeader('content-encoding', 'gzip')
    response.setHeader('content-type', 'application/json; charset=utf-8')
    response.setHeader('content-length', zipped.length)
    response.end(request.method === 'HEAD' ? undefined : zipped)
  }
}

/** The tag is weak: it stands for the compressed form too. */
function prepare(text: string) {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 27)
  return { text, zipped: gzipSync(text), tag: `W/"${digest}"` }
}

/** Express' own check would miss browsers' fetch: it sends `Cache-Control: no-cache` with every tag. */
function isKnown(tag: string, known = ''): boolean {
  const bare = (one: string): string => one.trim().replace(/^W\//, '')
  return known.split(',').some((one) => one.trim() === '*' || bare(one) === bare(tag))
}
