import {
  type Attributes,
  type Context,
  type Meter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { type Ambient, ambient, withAmbient } from '../modularity/ambient.js'

/** The metrics of a host in Prometheus' text format. */
export interface MetricsText {
  readonly contentType: string
  readonly text: string
}

/**
 * Traces and metrics of a host, by OpenTelemetry. Only bound in the container when the environment asks for it (`OTEL_*`): who measures looks
 * whether the container has it, once at the start, and measures nothing when it is not there.
 */
export class Telemetry {
  constructor(
    readonly tracer: Tracer,
    readonly meter: Meter,
    /** Undefined where nobody may come for metrics. */
    readonly scrape?: () => Promise<MetricsText>,
    private readonly end?: () => Promise<void>,
  ) {}

  /** Begins a span below another one, or below what is at hand. Who begins it ends it. */
  begin(
    name: string,
    options: { kind?: SpanKind; attributes?: Attributes; startTime?: number; parent?: Context } = {},
  ): Span {
    const { parent = contextAtHand(), ...rest } = options
    return this.tracer.startSpan(name, rest, parent)
  }

  /**
   * Runs work that nobody asked for over HTTP (a job, an event) in a span of its own, below `parent` where somebody caused it: what it does in
   * turn stands below it.
   */
  async within<T>(
    name: string,
    options: { kind?: SpanKind; attributes?: Attributes; parent?: Context },
    work: () => Promise<T>,
  ): Promise<T> {
    const span = this.begin(name, { kind: SpanKind.CONSUMER, ...options })
    try {
      return await withAmbient({ ...ambient(), trace: traceOf(span) }, work)
    } catch (error) {
      failed(span, error)
      throw error
    } finally {
      span.end()
    }
  }

  /** Sends what is still here. */
  async stop(): Promise<void> {
    await this.end?.()
  }
}

function contextAtHand(): Context {
  return (ambient().trace?.context as Context | undefined) ?? ROOT_CONTEXT
}

/** A span as what is begun in its course finds it. */
export function traceOf(span: Span): NonNullable<Ambient['trace']> {
  return { traceId: span.spanContext().traceId, context: trace.setSpan(ROOT_CONTEXT, span) }
}

/** Marks a span as failed: by the kind of error, not by its message, which may tell anything. */
export function failed(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
}
