import type { Configuration } from '../modularity/configuration.js'
import { StartupError } from '../modularity/startup-error.js'

/** The signals that a host exports, and its service name. */
export interface TelemetryOptions {
  readonly serviceName: string
  /** Of the release, where it says one. */
  readonly version: string | undefined
  readonly environment: string
  /** Send traces by OTLP. */
  readonly traces: boolean
  /** How often metrics are sent. */
  readonly metricsEveryMs: number
  readonly metrics: readonly ('otlp' | 'prometheus')[]
}

/**
 * The telemetry that the environment configures by OpenTelemetry's own variables. Undefined unless
 * `OTEL_EXPORTER_OTLP_ENDPOINT` (or the one of traces or metrics), `OTEL_TRACES_EXPORTER` or
 * `OTEL_METRICS_EXPORTER` is set, and with `OTEL_SDK_DISABLED=true`.
 */
export function telemetryOptions(
  configuration: Configuration,
  application: string,
): TelemetryOptions | undefined {
  const get = (name: string): string => configuration.get(`OTEL_${name}`)?.trim() ?? ''
  if (get('SDK_DISABLED').toLowerCase() === 'true') return undefined
  const isSent = (signal: string): boolean =>
    Boolean(get('EXPORTER_OTLP_ENDPOINT') || get(`EXPORTER_OTLP_${signal}_ENDPOINT`))
  const traces = exporters(
    'OTEL_TRACES_EXPORTER',
    get('TRACES_EXPORTER') || (isSent('TRACES') ? 'otlp' : 'none'),
    ['otlp'],
  )
  const metrics = exporters(
    'OTEL_METRICS_EXPORTER',
    get('METRICS_EXPORTER') || (isSent('METRICS') ? 'otlp' : 'none'),
    ['otlp', 'prometheus'],
  )
  if (traces.length + metrics.length === 0) return undefined
  const protocol = get('EXPORTER_OTLP_PROTOCOL')
  if (protocol && protocol !== 'http/json')
    throw new StartupError(
      `OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}, but telemetry is sent as http/json only: set it to that, or leave it out.`,
    )
  return {
    serviceName: get('SERVICE_NAME') || application,
    version: configuration.get('App:Version'),
    environment: configuration.environment,
    traces: traces.length > 0,
    metricsEveryMs: milliseconds('OTEL_METRIC_EXPORT_INTERVAL', get('METRIC_EXPORT_INTERVAL') || '60000'),
    metrics,
  }
}

/** The variable that asks for telemetry, for messages; the first one of several. */
export function askingForTelemetry(configuration: Configuration): string {
  const names = [
    'OTEL_TRACES_EXPORTER',
    'OTEL_METRICS_EXPORTER',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  ]
  const asks = (name: string): boolean => !['', 'none'].includes(configuration.get(name)?.trim() ?? '')
  return names.find(asks) ?? 'OTEL_EXPORTER_OTLP_ENDPOINT'
}

function milliseconds(name: string, value: string): number {
  const ms = Number(value)
  if (!Number.isInteger(ms) || ms < 100)
    throw new StartupError(`${name} is ${value}: set it to a number of milliseconds, 100 at least.`)
  return ms
}

function exporters<const N extends string>(name: string, value: string, known: readonly N[]): N[] {
  const wanted = value
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one && one !== 'none')
  const unknown = wanted.find((one) => !(known as readonly string[]).includes(one))
  if (unknown) throw new StartupError(`${name} names ${unknown}: there are ${[...known, 'none'].join(', ')}.`)
  return wanted as N[]
}
