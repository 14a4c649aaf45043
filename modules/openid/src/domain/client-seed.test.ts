import { expect, test } from 'vitest'
import { OpenIdErrors } from '../contracts/index.js'
import { ClientSeed, checkSecret, permissionsOf } from './client-seed.js'

test('a definition that only has an id is a public client with the default grant types and scopes', () => {
  expect(permissionsOf(ClientSeed.parse({ clientId: 'Core_App' }))).toEqual([
    'ept:authorization',
    'ept:end_session',
    'ept:token',
    'ept:revocation',
    'ept:introspection',
    'gt:authorization_code',
    'gt:password',
    'gt:client_credentials',
    'gt:refresh_token',
    'gt:LinkLogin',
    'gt:Impersonation',
    'rst:code',
    'scp:address',
    'scp:email',
    'scp:phone',
    'scp:profile',
    'scp:roles',
    'scp:Core',
  ])
})

test('code and implicit together allow the hybrid response types', () => {
  const seed = ClientSeed.parse({
    clientId: 'web',
    grantTypes: ['authorization_code', 'implicit'],
    scopes: ['Core'],
  })
  expect(permissionsOf(seed).filter((permission) => permission.startsWith('rst:'))).toEqual([
    'rst:code',
    'rst:id_token',
    'rst:id_token token',
    'rst:code id_token',
    'rst:code id_token token',
    'rst:code token',
  ])
})

test.each([
  ['public', undefined, undefined],
  ['confidential', 'secret', undefined],
  ['public', 'secret', OpenIdErrors.PublicClientWithSecret],
  ['confidential', undefined, OpenIdErrors.ConfidentialClientWithoutSecret],
] as const)('a %s client with the secret %s is refused with %s', (type, clientSecret, code) => {
  const seed = ClientSeed.parse({ clientId: 'c', type, clientSecret })
  if (code)
    expect(() => checkSecret(seed)).toThrow(expect.objectContaining({ code, data: { clientId: 'c' } }))
  else expect(() => checkSecret(seed)).not.toThrow()
})
