import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { MeterProvider, type MetricReader, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { observeProcess } from './process-metrics.js'
import { Telemetry } from './telemetry.js'
import type { TelemetryOptions } from './telemetry-options.js'

/** Starts OpenTelemetry's SDK. Exporters and sampler read the further `OTEL_*` variables of the environment themselves. */
export function startSdk({
  serviceName,
  version,
  environment,
  traces,
  metrics,
  metricsEveryMs,
}: TelemetryOptions): Telemetry {
  const resource = defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': serviceName,
        ...(version && { 'service.version': version }),
        'deployment.environment.name': environment,
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }))
  const tracers = new BasicTracerProvider({
    resource,
    spanProcessors: traces ? [new BatchSpanProcessor(new OTLPTraceExporter())] : [],
  })
  const prometheus = metrics.includes('prometheus')
    ? new PrometheusExporter({ preventServerStart: true })
    : undefined
  const readers: MetricReader[] = prometheus ? [prometheus] : []
  if (metrics.includes('otlp'))
    readers.push(
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter(),
        exportIntervalMillis: metricsEveryMs,
        exportTimeoutMillis: Math.min(metricsEveryMs, 30_000),
      }),
    )
  const meters = new MeterProvider({ resource, readers })
  const meter = meters.getMeter('keel', version)
  if (readers.length) observeProcess(meter)
  return new Telemetry(
    tracers.getTracer('keel', version),
    meter,
    prometheus && (() => scrape(prometheus)),
    async () => {
      await Promise.allSettled([tracers.shutdown(), meters.shutdown()])
    },
  )
}

const serializer = new PrometheusSerializer()

async function scrape(exporter: PrometheusExporter) {
  const { resourceMetrics } = await exporter.collect()
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    text: serializer.serialize(resourceMetrics),
  }
}
