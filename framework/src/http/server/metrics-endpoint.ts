import { timingSafeEqual } from 'node:crypto'
import { BlockList, isIPv6 } from 'node:net'
import type { Request, RequestHandler } from 'express'
import { UnauthenticatedError, z } from '../../contracts/index.js'
import type { Application } from '../../modularity/application.js'
import { configurationSection } from '../../modularity/configuration.js'
import { Telemetry } from '../../telemetry/telemetry.js'

/** Access to metrics. */
export const TelemetrySettings = configurationSection('Telemetry', {
  /** The bearer token that `/metrics` asks for. Without one only requests from this machine are answered. */
  metricsToken: z.string().min(16).optional(),
  /**
   * Answers metrics to every request, for networks that only monitoring can reach. No token is asked
   * for then.
   */
  isMetricsPublic: z.boolean().default(false),
})

/**
 * Answers `/metrics` in Prometheus' text format; undefined where `OTEL_METRICS_EXPORTER` does not name
 * prometheus.
 */
export function metricsEndpoint(application: Application): RequestHandler | undefined {
  const scrape = application.find(Telemetry)?.scrape
  if (!scrape) return undefined
  const { metricsToken, isMetricsPublic } = application.configuration.read(TelemetrySettings)
  const mayCome = ({ headers, socket }: Request): boolean =>
    metricsToken === undefined
      ? isFromThisMachine(headers, socket.remoteAddress)
      : isSame(headers.authorization ?? '', `Bearer ${metricsToken}`)
  return (request, response, next) => {
    if (!isMetricsPublic && !mayCome(request)) {
      next(new UnauthenticatedError())
      return
    }
    scrape().then(({ contentType, text }) => {
      response.setHeader('cache-control', 'no-store')
      response.setHeader('content-type', contentType)
      response.end(text)
    }, next)
  }
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const thisMachine = new BlockList()
thisMachine.addSubnet('127.0.0.0', 8, 'ipv4')
thisMachine.addAddress('::1', 'ipv6')

/** The headers that proxies add to the requests that they pass on. */
const forwardingHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

/**
 * True when a connection comes from a loopback address and not through a proxy there, which strangers use as
 * well.
 */
function isFromThisMachine(headers: Request['headers'], address = ''): boolean {
  if (forwardingHeaders.some((name) => headers[name] !== undefined)) return false
  return thisMachine.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
