import {
  type Context,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { ambient } from './ambient.js'

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

const form = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/
/** Longer lists of vendors may be dropped (W3C Trace Context, section 3.3.1.5). */
const longestState = 512

/**
 * The trace of the headers of W3C Trace Context (sections 3.2 and 3.3); undefined when they are not valid.
 */
export function readTraceHeaders({ traceparent, tracestate }: Headers): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] =
    (typeof traceparent === 'string' && form.exec(traceparent)) || []
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(typeof tracestate === 'string' &&
      tracestate.length <= longestState && { traceState: createTraceState(tracestate) }),
  }
  return isSpanContextValid(context) ? context : undefined
}

/** The trace that headers, or what was kept of them, belong to; undefined when they say nothing valid. */
export const traceIdOf = (headers: Headers): string | undefined => readTraceHeaders(headers)?.traceId

/** The context below which a request that came with these headers stands. */
export function contextOf(headers: Headers): Context {
  const remote = readTraceHeaders(headers)
  return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT
}

/**
 * The headers for a call to another service, or for a message or a job that somebody takes up later: of the
 * span at hand, where none is kept of the request's own; none outside of any trace.
 */
export function traceHeaders(): Record<string, string> {
  const { trace: kept, request } = ambient()
  const span = kept
    ? trace.getSpanContext(kept.context as Context)
    : request && readTraceHeaders(request.headers)
  if (!span || !isSpanContextValid(span)) return {}
  const flags = span.traceFlags.toString(16).padStart(2, '0')
  const state = span.traceState?.serialize()
  return { traceparent: `00-${span.traceId}-${span.spanId}-${flags}`, ...(state && { tracestate: state }) }
}
