import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Configuration } from '../../modularity/configuration.js'

/** Headers a page of another origin may read (abp-angular-calls section 1). */
const exposed =
  '_AbpErrorFormat, Abp-Tenant-Resolve-Error, X-Correlation-Id, X-Keel-Seen, X-Keel-Warning, X-Keel-Contract, Retry-After, Content-Disposition, ETag, OData-Version, Preference-Applied'

/** Decides which origins may call, and answers their preflights. */
export interface Cors {
  /**
   * Sets the headers for the request's origin. True when the request was a preflight and has been answered.
   */
  handle(request: IncomingMessage, response: ServerResponse): boolean
}

/**
 * CORS by configuration (interface document, "CORS"): `App:CorsOrigins`, comma-separated, and the list
 * `App:AllowedCorsOrigins`; trailing slashes do not count, `https://*.example.com` allows every subdomain,
 * `*` allows any origin (without credentials).
 */
export function createCors(configuration: Configuration): Cors {
  const origins = allowedOrigins(configuration)
  const any = origins.includes('*')
  const exact = new Set(origins.filter((origin) => !origin.includes('*')))
  const patterns = origins.filter((origin) => origin !== '*' && origin.includes('*')).map(toPattern)
  const isAllowed = (origin: string): boolean =>
    any || exact.has(origin.toLowerCase()) || patterns.some((pattern) => pattern.test(origin))

  return {
    handle(request, response) {
      const { origin } = request.headers
      if (origin === undefined) return false
      response.setHeader('vary', 'Origin')
      if (!isAllowed(origin)) return false
      response.setHeader('access-control-allow-origin', any ? '*' : origin)
      if (!any) response.setHeader('access-control-allow-credentials', 'true')
      if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) {
        response.setHeader('access-control-expose-headers', exposed)
        return false
      }
      response.writeHead(204, {
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
        'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '',
        'access-control-max-age': '600',
        vary: 'Origin, Access-Control-Request-Headers',
      })
      response.end()
      return true
    },
  }
}

/**
 * The origins that may call, without trailing slashes and in lower case; `*` and stars in names as they are
 * written.
 */
export function allowedOrigins(configuration: Configuration): string[] {
  const list = configuration.tree('App:AllowedCorsOrigins')
  const text = configuration.get('App:CorsOrigins') ?? ''
  return [...text.split(','), ...(Array.isArray(list) ? list.map(String) : [])]
    .map((origin) => origin.trim().replace(/\/+$/, '').toLowerCase())
    .filter(Boolean)
}

/** `https://*.example.com` → any name of one or more labels in place of the star. */
function toPattern(origin: string): RegExp {
  const parts = origin.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[a-z0-9-]+(?:\\.[a-z0-9-]+)*')}$`, 'i')
}
