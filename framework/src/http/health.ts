import type { RequestHandler } from 'express'
import { Databases } from '../data/connections.js'
import type { Application } from '../modularity/application.js'
import type { HealthCheck } from '../modularity/health-check.js'
import { sendJson } from './controllers.js'

interface Entry {
  readonly status: 'Healthy' | 'Degraded' | 'Unhealthy'
  readonly duration: string
  readonly description?: string
}

/** Answers that the process runs; asks nobody. */
export const live: RequestHandler = (_request, response) => sendJson(response, 200, '{"status":"Healthy"}')

/**
 * Answers whether the host can do its work: a row of each of its databases, and whether changes of other processes are heard. 200 for
 * Healthy and Degraded, 503 for Unhealthy. The form is that of ASP.NET Core's health checks UI.
 */
export function health(application: Application, isDraining: () => boolean): RequestHandler {
  return async (_request, response) => {
    const before = performance.now()
    const entries: Record<string, Entry> = {}
    if (isDraining())
      entries.host = { status: 'Unhealthy', duration: duration(0), description: 'The host is shutting down.' }
    if (application.container.isBound(Databases)) {
      await Promise.all(
        application.get(Databases).all.map(async (database) => {
          entries[`${database.name} database`] = await probe(() => database.probe())
          // The state of now, not that of the last look.
          await database.feed.refresh().catch(() => undefined)
          if (!database.feed.isListening) {
            entries[`${database.name} change feed`] = {
              status: 'Degraded',
              duration: duration(0),
              description:
                database.feed.epoch === undefined
                  ? 'Changes of other processes are not known; nothing that was kept is used.'
                  : 'Notifications do not arrive; changes of other processes are found by looking.',
            }
          }
        }),
      )
    }
    await Promise.all(
      application.healthChecks.map(async (check) => {
        entries[check.name] = await stateOf(check)
      }),
    )
    const states = Object.values(entries).map(({ status }) => status)
    const status = states.includes('Unhealthy')
      ? 'Unhealthy'
      : states.includes('Degraded')
        ? 'Degraded'
        : 'Healthy'
    response.setHeader('cache-control', 'no-store')
    sendJson(
      response,
      status === 'Unhealthy' ? 503 : 200,
      JSON.stringify({ status, totalDuration: duration(performance.now() - before), entries }),
    )
  }
}

async function probe(ask: () => Promise<number>): Promise<Entry> {
  const before = performance.now()
  try {
    return { status: 'Healthy', duration: duration(await ask()) }
  } catch {
    return {
      status: 'Unhealthy',
      duration: duration(performance.now() - before),
      description: 'The database does not answer.',
    }
  }
}

async function stateOf(check: HealthCheck): Promise<Entry> {
  const before = performance.now()
  const state = await check
    .check()
    .catch(() => ({ status: 'Unhealthy' as const, description: `${check.name} does not answer.` }))
  return { ...state, duration: duration(performance.now() - before) }
}

/** A .NET time span, e.g. `00:00:00.0012345`. */
function duration(ms: number): string {
  const seconds = ms / 1000
  const clock = new Date(Math.floor(seconds) * 1000).toISOString().slice(11, 19)
  return `${clock}.${String(Math.round((seconds % 1) * 1e7)).padStart(7, '0')}`
}
