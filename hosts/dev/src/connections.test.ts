import { expect, test } from 'vitest'
import { configuredConnections, connectionVariables, missingConnections } from './connections.js'

const names = ['Default', 'Hub', 'Pricing']

test('connections come from the environment in any case, and from the command line, which wins', () => {
  const env = {
    connectionstrings__hub: 'hub',
    ConnectionStrings__Pricing: 'pricing',
    ConnectionStrings__Other: 'x',
  }
  const args = ['--ConnectionStrings:Pricing=postgres://a?b=c', '--Log:Level=debug', '--shipments', '5']
  expect(configuredConnections(names, env, args)).toEqual({ Hub: 'hub', Pricing: 'postgres://a?b=c' })
})

test.each([
  [{}, ['Default', 'Hub', 'Pricing']],
  [{ Hub: 'x' }, ['Default', 'Pricing']],
  [{ Default: 'x' }, []],
])('of %o the embedded server provides %o', (configured, missing) => {
  expect(missingConnections(names, configured)).toEqual(missing)
})

test('a host gets them as environment variables', () => {
  expect(connectionVariables({ Hub: 'a' })).toEqual({ ConnectionStrings__Hub: 'a' })
})
