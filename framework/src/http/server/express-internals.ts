import http from 'node:http'
import express, {
  type Application as ExpressApp,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'

// The code that touches members of Express which its documentation does not name. The test beside this file
// fails when an upgrade moves one.

/**
 * Of the first line and all headers together: room for the longest URL that is answered, and to refuse longer
 * ones in our own words.
 */
const maxHeaderSize = 64 * 1024

/**
 * A server whose requests and responses are those of an Express application. Express gives every one of them
 * another prototype, which drops both out of V8's fast paths; made with the right prototype from the start
 * they stay there: about twice the requests a second. Derived classes, because for these V8 counts the
 * members of all constructors above and makes room for them at once.
 */
export function createFastServer(app: ExpressApp, answer: RequestHandler): http.Server {
  const prototypes = prototypesOf(app)
  class FastRequest extends http.IncomingMessage {}
  class FastResponse extends http.ServerResponse {}
  Object.setPrototypeOf(FastRequest.prototype, prototypes.request)
  Object.setPrototypeOf(FastResponse.prototype, prototypes.response)
  return http.createServer(
    {
      IncomingMessage: FastRequest,
      ServerResponse: FastResponse as unknown as typeof http.ServerResponse,
      maxHeaderSize,
    },
    (given, made) => {
      const [request, response] = [given as Request, made as unknown as Response]
      if (!request.url.startsWith('/')) request.url = withoutOrigin(request.url)
      // The part of Express' own work on every request that our handlers need.
      request.res = response
      request.originalUrl = request.url
      answer(request, response, () => app(request, response))
    },
  )
}

/**
 * The address of a request without a server in front of it, as clients write it on the way to a proxy (RFC 9112, section 3.2.2). Nothing is to believe
 * that it is ours.
 */
function withoutOrigin(url: string): string {
  if (!URL.canParse(url)) return url
  const { pathname, search } = new URL(url)
  return pathname + search
}

/**
 * An IPv4 address is returned in its own form also where the server listens on IPv6, which knows it as
 * `::ffff:192.0.2.1`.
 */
export function tellPlainAddresses(app: ExpressApp): void {
  const address = Object.getOwnPropertyDescriptor(express.request, 'ip')?.get
  Object.defineProperty(prototypesOf(app).request, 'ip', {
    configurable: true,
    get(this: Request): string | undefined {
      return (address?.call(this) as string | undefined)?.replace(/^::ffff:(?=\d+\.)/, '')
    },
  })
}

/** The prototypes of requests and responses of an Express application. */
function prototypesOf(app: ExpressApp): { readonly request: object; readonly response: object } {
  return app as unknown as { request: object; response: object }
}
