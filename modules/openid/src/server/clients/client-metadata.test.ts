import { expect, test } from 'vitest'
import { type ClientRow, clientMetadata } from './client-metadata.js'

const known = { names: new Set(['roles', 'Core', 'Extra']), ofApi: new Set(['Core']) }

const row: ClientRow = {
  clientId: 'Core_App',
  clientSecret: null,
  clientType: 'public',
  applicationType: 'web',
  displayName: 'Keel',
  permissions: null,
  redirectUris: '["http://localhost:4200"]',
  postLogoutRedirectUris: '["http://localhost:4200"]',
  requirements: null,
  clientUri: 'https://portal.example',
  logoUri: null,
  consentType: 'implicit',
  settings: '{"tkn_lft:act":"00:30:00"}',
}

test('a row of an ABP database becomes a public client without the grants it can not have', () => {
  const permissions = [
    'ept:end_session',
    'gt:authorization_code',
    'rst:code',
    'gt:password',
    'gt:client_credentials',
    'gt:refresh_token',
    'gt:LinkLogin',
    'scp:roles',
    'scp:Core',
  ]
  expect(clientMetadata({ ...row, permissions: JSON.stringify(permissions) }, known)).toEqual({
    client_id: 'Core_App',
    client_name: 'Keel',
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token', 'password', 'LinkLogin'],
    response_types: ['code'],
    redirect_uris: ['http://localhost:4200'],
    post_logout_redirect_uris: ['http://localhost:4200'],
    scope: 'openid offline_access roles Core',
    keel_api_scopes: ['Core'],
    keel_force_pkce: false,
    keel_consent: 'implicit',
    keel_home: 'https://portal.example',
    keel_lifetimes: expect.objectContaining({ accessTokenLifetime: 1800, refreshTokenLifetime: null }),
  })
})

test('without refresh tokens a client has no offline access', () => {
  expect(clientMetadata({ ...row, permissions: '["gt:authorization_code","scp:Core"]' }, known).scope).toBe(
    'openid Core',
  )
})

test.each([
  [
    'code and implicit without response types',
    ['gt:authorization_code', 'gt:implicit'],
    ['code', 'id_token', 'id_token token', 'code id_token', 'code id_token token', 'code token'],
  ],
  [
    'response types in another order of words',
    ['gt:authorization_code', 'gt:implicit', 'rst:token id_token'],
    ['id_token token'],
  ],
  [
    'a response type that its grant types do not allow',
    ['gt:authorization_code', 'rst:code', 'rst:id_token'],
    ['code'],
  ],
])('%s', (_case, permissions, expected) => {
  expect(clientMetadata({ ...row, permissions: JSON.stringify(permissions) }, known).response_types).toEqual(
    expected,
  )
})

test('a confidential client shows its secret’s hash and may act in its own name, without any redirect address', () => {
  const client = clientMetadata(
    {
      ...row,
      clientType: 'confidential',
      clientSecret: 'AQAAAA',
      permissions: '["gt:client_credentials"]',
      redirectUris: null,
    },
    known,
  )
  expect(client).toMatchObject({
    token_endpoint_auth_method: 'client_secret_post',
    client_secret: 'AQAAAA',
    grant_types: ['client_credentials'],
    response_types: [],
  })
})

test('a scope that does not exist is left out, and one of the API’s is told apart', () => {
  const scopes = { permissions: '["scp:Extra","scp:Core","scp:gone"]', requirements: '["ft:pkce"]' }
  const ofApi = new Set(['Core', 'Extra'])
  expect(clientMetadata({ ...row, ...scopes }, { ...known, ofApi })).toMatchObject({
    scope: 'openid Extra Core',
    keel_api_scopes: ['Extra', 'Core'],
    keel_force_pkce: true,
    keel_consent: 'implicit',
  })
})

test('nobody is sent back after signing out to a client that may not ask for it', () => {
  const { post_logout_redirect_uris } = clientMetadata({ ...row, permissions: '["scp:Core"]' }, known)
  expect(post_logout_redirect_uris).toEqual([])
})
