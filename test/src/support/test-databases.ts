import type { DatabaseServer } from '@keel/framework/data'

/** The environment variables that carry from the global set-up to the tests where the server is, and which run this is. */
export const serverVariable = 'KEEL_TEST_SERVER'
export const runVariable = 'KEEL_TEST_RUN'
/** Where the pooler in front of it is, when there is one. */
export const poolerVariable = 'KEEL_TEST_POOLER'
/** Begins the name of every database of every test run; the id of the run's process follows the connection's name. */
export const databasePrefix = 'keel_test'

/** From connection name to the migrated database that test hosts copy; each run has its own, so that runs do not disturb each other. */
export const templates = {
  get Default() {
    return templateOf('default')
  },
  get Hub() {
    return templateOf('hub')
  },
  get Pricing() {
    return templateOf('pricing')
  },
}

function templateOf(name: string): string {
  return `${databasePrefix}_${name}_${required(runVariable)}`
}

/** The server that the global set-up started: databases are made there, and it tells what connections see of each other. */
export const directServer: DatabaseServer = { urlOf: (database) => addressOf(serverVariable, database) }

/** The same for hosts, which reach their databases through the pooler where there is one (`KEEL_TEST_PGBOUNCER=1`). */
export const testServer: DatabaseServer = {
  urlOf: (database) =>
    addressOf(isPooled && database !== 'postgres' ? poolerVariable : serverVariable, database),
}

/** Whether the hosts of this run are behind a PgBouncer in transaction mode. */
export const isPooled = process.env.KEEL_TEST_PGBOUNCER === '1'
/** The health of a host that lacks nothing: behind a pooler it hears of changes late. */
export const wellStatus = isPooled ? 'Degraded' : 'Healthy'

function addressOf(variable: string, database: string): string {
  return `${required(variable).replace(/\/$/, '')}/${database}`
}

function required(name: string): string {
  const value = process.env[name]
  if (!value)
    throw new Error('The tests of this package run through `npm test`, which starts their database server')
  return value
}
