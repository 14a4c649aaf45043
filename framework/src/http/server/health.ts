import type { RequestHandler } from 'express'
import { cureOfSilence } from '../../data/change-feed/change-feed.js'
import type { Database } from '../../data/connections/database.js'
import { Databases } from '../../data/connections/databases.js'
import { whyUnusable } from '../../data/connections/unusable-database.js'
import { schemaFaultOf } from '../../data/schema/schema-faults.js'
import { schemaCure } from '../../data/schema/schema-state.js'
import type { Application } from '../../modularity/application.js'
import type { HealthCheck } from '../../modularity/health-check.js'
import { sendJson } from './send-json.js'

interface Entry {
  readonly status: 'Healthy' | 'Degraded' | 'Unhealthy'
  readonly duration: string
  readonly description?: string
}
type Entries = Readonly<Record<string, Entry>>

const draining: Entries = {
  host: { status: 'Unhealthy', duration: '00:00:00.0000000', description: 'The host is shutting down.' },
}

/** Answers that the process runs; asks nobody. */
export const live: RequestHandler = (_request, response) => sendJson(response, 200, '{"status":"Healthy"}')

/**
 * Answers whether the host can do its work: a row of each of its databases, and whether changes of other
 * processes are heard. 200 for Healthy and Degraded, 503 for Unhealthy. The form is that of ASP.NET Core's
 * health checks UI. Anybody may ask as often as they like, so those who ask while it is being found out are
 * answered together.
 */
export function health(application: Application, isDraining: () => boolean): RequestHandler {
  let underWay: Promise<Entries> | undefined
  return async (_request, response) => {
    const before = performance.now()
    underWay ??= findEntries(application).finally(() => {
      underWay = undefined
    })
    const entries = { ...(await underWay), ...(isDraining() && draining) }
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

async function findEntries(application: Application): Promise<Entries> {
  const entries: Record<string, Entry> = {}
  const databases = application.find(Databases)?.all ?? []
  await Promise.all([
    ...databases.map(async (database) => Object.assign(entries, await databaseEntries(database))),
    ...application.healthChecks.map(async (check) => {
      entries[check.name] = await stateOf(check)
    }),
  ])
  return entries
}

async function databaseEntries(database: Database): Promise<Entries> {
  const { name, feed } = database
  const answer = await probe(database)
  // The state of now, not that of the last look.
  await feed.refresh().catch(() => undefined)
  if (feed.isListening) return { [`${name} database`]: answer }
  const description =
    feed.epoch === undefined
      ? 'Changes of other processes are not known; nothing that was kept is used.'
      : `Notifications do not arrive: changes of other processes are found by looking, and caches without tables keep nothing. ${cureOfSilence(name)}`
  return {
    [`${name} database`]: answer,
    [`${name} change feed`]: { status: 'Degraded', duration: duration(0), description },
  }
}

/**
 * How a database is doing. Without Default nobody can be told what they may do: Unhealthy. Without another
 * one the rest is served; all copies of a host miss the same database, and a load balancer that took them out
 * would end that, too.
 */
async function probe(database: Database): Promise<Entry> {
  const before = performance.now()
  const entry = (status: Entry['status'], description?: string): Entry => ({
    status,
    duration: duration(performance.now() - before),
    ...(description && { description }),
  })
  const fault = database.name === 'Default' ? 'Unhealthy' : 'Degraded'
  try {
    const ms = await database.probe()
    const lacks = await schemaFaultOf(database)
    if (lacks) {
      const told = `The schema is not up to date: ${lacks.told}. ${schemaCure(database.name)}`
      return entry(lacks.isUsable ? 'Degraded' : fault, told)
    }
    return { status: 'Healthy', duration: duration(ms) }
  } catch (error) {
    return entry(fault, `The database does not answer: ${whyUnusable(error)}.`)
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
