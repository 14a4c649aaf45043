import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { Request, Response } from 'express'
import type { Ambient } from '../../modularity/ambient.js'
import type { Application } from '../../modularity/application.js'
import { contextOf } from '../../modularity/trace-header.js'
import { type Telemetry, traceOf } from '../../telemetry/telemetry.js'
import { loggedUrl } from './logged-url.js'
import { routeOf } from './radix-router.js'

interface Traced {
  readonly request: Request
  readonly response: Response
  readonly ambient: Ambient
}

/**
 * Puts every request in a span, below the one that its `traceparent` names (W3C Trace Context), and measures
 * its duration (OpenTelemetry's semantic conventions for HTTP servers).
 */
export function requestTelemetry(
  application: Application,
  telemetry: Telemetry,
): (traced: Traced) => undefined {
  const { meter } = telemetry
  const active = meter.createUpDownCounter('http.server.active_requests', {
    description: 'Requests being answered.',
  })
  const durations = meter.createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'Duration of requests.',
    advice: {
      explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    },
  })
  const scheme = application.configuration.get('App:SelfUrl')?.startsWith('https:') ? 'https' : 'http'

  return ({ request, response, ambient }) => {
    const { method } = request
    const shared = { 'http.request.method': method, 'url.scheme': scheme }
    const span = telemetry.begin(method, {
      kind: SpanKind.SERVER,
      parent: contextOf(request.headers),
      attributes: {
        ...shared,
        'url.path': loggedUrl(request.originalUrl).split('?', 1)[0] ?? '',
        'keel.correlation_id': ambient.correlationId,
      },
    })
    ambient.trace = traceOf(span)
    const before = performance.now()
    active.add(1, shared)
    response.once('close', () => {
      const { statusCode } = response
      const route = routeOf(request)
      const outcome = {
        ...shared,
        'http.response.status_code': statusCode,
        ...(route && { 'http.route': route }),
      }
      active.add(-1, shared)
      durations.record((performance.now() - before) / 1000, outcome)
      span.setAttributes(outcome)
      if (route) span.updateName(`${method} ${route}`)
      const { userId, clientId, apiKeyId } = ambient.principal
      if (userId) span.setAttribute('enduser.id', userId)
      if (clientId) span.setAttribute('keel.client_id', clientId)
      if (apiKeyId) span.setAttribute('keel.api_key_id', apiKeyId)
      if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    })
    return undefined
  }
}
