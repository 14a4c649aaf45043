import { timingSafeEqual } from 'node:crypto'
import type { RequestHandler } from 'express'
import { UnauthenticatedError, z } from '../contracts/index.js'
import type { Application } from '../modularity/application.js'
import { configurationSection } from '../modularity/configuration.js'
import { Telemetry } from '../telemetry/telemetry.js'

/** Who may come for metrics. */
export const TelemetrySettings = configurationSection('Telemetry', {
  /** What `/metrics` wants as a bearer token; everybody may come when not set. */
  metricsToken: z.string().min(16).optional(),
})

/** Answers `/metrics` in Prometheus' text format; undefined where `OTEL_METRICS_EXPORTER` does not name prometheus. */
export function metricsEndpoint({ container, configuration }: Application): RequestHandler | undefined {
  const scrape = container.isBound(Telemetry) ? container.get(Telemetry).scrape : undefined
  if (!scrape) return undefined
  const { metricsToken } = configuration.read(TelemetrySettings)
  return (request, response, next) => {
    if (
      metricsToken !== undefined &&
      !isSame(request.headers.authorization ?? '', `Bearer ${metricsToken}`)
    ) {
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
