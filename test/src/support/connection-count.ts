import { setTimeout as pause } from 'node:timers/promises'
import { Databases } from '@keel/framework/data'
import pg from 'pg'
import type { App } from './app.js'
import { testOfDirectConnections } from './direct-connections.js'
import { testOfOneProcess } from './one-process.js'
import { directServer, isPooled } from './test-databases.js'

/** A test of how many connections a host opens: a pooler has connections of its own, and another process too. */
export const testOfConnections = isPooled ? testOfDirectConnections : testOfOneProcess

/** Looks again and again how many connections each database of a host has, until it is stopped; answers the most of each. */
export async function countConnections(app: App): Promise<{ stop(): Promise<Record<string, number>> }> {
  const server = new pg.Client(directServer.urlOf('postgres'))
  await server.connect()
  const names = new Map(
    app.host
      .get(Databases)
      .all.map(({ name }) => [new URL(app.host.databaseUrl(name)).pathname.slice(1), name] as const),
  )
  const most: Record<string, number> = {}
  let isOver = false
  const counting = (async () => {
    while (!isOver) {
      const { rows } = await server.query<{ datname: string; n: number }>(
        `select datname, count(*)::int as n from pg_stat_activity
          where datname = any($1) and backend_type = 'client backend' group by datname`,
        [[...names.keys()]],
      )
      for (const { datname, n } of rows) {
        const name = names.get(datname) as string
        most[name] = Math.max(most[name] ?? 0, n)
      }
      await pause(10)
    }
    await server.end()
  })()
  return {
    stop: async () => {
      isOver = true
      await counting
      return most
    },
  }
}
