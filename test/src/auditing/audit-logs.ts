import { type AuditLogDto, AuditLogsAppService } from '@keel/audit-logging/contracts'
import { vi } from 'vitest'
import type { AppCaller } from '../support/app.js'

/** The correlation ids of a test's requests: each finds its own log by it. */
export function newCorrelationId(): string {
  return `test-${crypto.randomUUID()}`
}

/** A request under a correlation id. */
export function tracked(correlationId: string, init: RequestInit = {}): RequestInit {
  return {
    ...init,
    headers: { 'x-correlation-id': correlationId, 'content-type': 'application/json', ...init.headers },
  }
}

/** The whole log of the request with a correlation id, as soon as it is written. */
export async function logOf(reader: AppCaller, correlationId: string): Promise<AuditLogDto> {
  const [log] = await logsOf(reader, correlationId, 1)
  return reader.service(AuditLogsAppService).get(log?.id ?? '')
}

/** The logs of the requests with a correlation id, as soon as there are so many. */
export async function logsOf(
  reader: AppCaller,
  correlationId: string,
  count: number,
): Promise<readonly AuditLogDto[]> {
  const logs = reader.service(AuditLogsAppService)
  return vi.waitFor(
    async () => {
      const { items } = await logs.getList({ correlationId })
      if (items.length !== count) throw new Error(`${items.length} audit logs instead of ${count}`)
      return items
    },
    { timeout: 10_000, interval: 50 },
  )
}
