import { type Histogram, SpanKind } from '@opentelemetry/api'
import { failed, type Telemetry } from '../../telemetry/telemetry.js'
import type { StatementObserver } from '../wire/statement.js'
import type { Database } from './database.js'

/** Longer statements are cut in spans. */
const longestText = 2000

/**
 * Traces every statement of a database and measures how long it took, its wait for a connection included
 * (OpenTelemetry's semantic conventions for database clients). The text is told, which never holds values;
 * the parameters are not.
 */
export function observeStatements(database: Database, telemetry: Telemetry): void {
  const { meter } = telemetry
  const durations = meter.createHistogram('db.client.operation.duration', {
    unit: 's',
    description: 'Duration of statements.',
    advice: {
      explicitBucketBoundaries: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 10],
    },
  })
  database.observe(observer(database.name, telemetry, durations))
  const count = meter.createObservableGauge('db.client.connection.count', {
    description: 'Connections by state.',
  })
  const waiting = meter.createObservableGauge('db.client.connection.pending_requests', {
    description: 'Statements that wait for a connection.',
  })
  meter.addBatchObservableCallback(
    (result) => {
      const pool = { 'db.client.connection.pool.name': database.name }
      const { idle, used, pending } = database.connectionsNow
      result.observe(count, idle, { ...pool, 'db.client.connection.state': 'idle' })
      result.observe(count, used, { ...pool, 'db.client.connection.state': 'used' })
      result.observe(waiting, pending, pool)
    },
    [count, waiting],
  )
}

function observer(database: string, telemetry: Telemetry, durations: Histogram): StatementObserver {
  const attributesOf = (text: string) => ({
    'db.system.name': 'postgresql',
    'db.namespace': database,
    'db.operation.name': /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? '',
  })
  const begin = (text: string, startTime?: number) => {
    const attributes = attributesOf(text)
    const span = telemetry.begin(`${attributes['db.operation.name']} ${database}`, {
      kind: SpanKind.CLIENT,
      attributes: { ...attributes, 'db.query.text': text.slice(0, longestText) },
      ...(startTime !== undefined && { startTime }),
    })
    return { span, attributes }
  }
  return {
    async around(text, run) {
      const { span, attributes } = begin(text)
      const before = performance.now()
      try {
        return await run()
      } catch (error) {
        failed(span, error)
        throw error
      } finally {
        durations.record((performance.now() - before) / 1000, attributes)
        span.end()
      }
    },
    took(text, ms) {
      const { span, attributes } = begin(text, Date.now() - ms)
      durations.record(ms / 1000, attributes)
      span.end()
    },
  }
}
