import type { DatabaseServer } from '@keel/framework/data'

/** From connection name to the migrated database that test hosts copy. */
export const templates = {
  Default: 'keel_template_default',
  Hub: 'keel_template_hub',
  Pricing: 'keel_template_pricing',
} as const

/** The environment variable that carries the server's address from the global set-up to the tests. */
export const serverVariable = 'KEEL_TEST_SERVER'

/** The server that the global set-up started. */
export const testServer: DatabaseServer = {
  urlOf(database) {
    const address = process.env[serverVariable]
    if (!address)
      throw new Error('The tests of this package run through `npm test`, which starts their database server')
    return `${address.replace(/\/$/, '')}/${database}`
  },
}
