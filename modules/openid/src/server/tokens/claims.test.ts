import type { Account } from '@keel/identity/contracts'
import { expect, test } from 'vitest'
import { claimsOf, identityClaimsOf } from './claims.js'

const account: Account = {
  id: '3a1ae17a-0000-0000-0000-000000000001',
  userName: 'olga',
  name: 'Olga',
  surname: null,
  email: 'olga@keel.local',
  isEmailConfirmed: true,
  phoneNumber: null,
  isPhoneNumberConfirmed: false,
  roles: ['Operator'],
  claims: [],
}

test('an access token says everything that has a value, a single role as text', () => {
  expect(claimsOf(account)).toEqual({
    preferred_username: 'olga',
    unique_name: 'olga',
    given_name: 'Olga',
    email: 'olga@keel.local',
    email_verified: 'True',
    role: 'Operator',
  })
})

test('several roles are a list, none is nothing', () => {
  expect(claimsOf({ ...account, roles: ['admin', 'Operator'] }).role).toEqual(['admin', 'Operator'])
  expect(claimsOf({ ...account, roles: [] })).not.toHaveProperty('role')
})

test('an identity token keeps to name, e-mail address and roles', () => {
  expect(Object.keys(identityClaimsOf({ ...account, phoneNumber: '+49 1', surname: 'O' }))).toEqual([
    'preferred_username',
    'unique_name',
    'email',
    'role',
  ])
})

test('what was written down is said too, several values as a list', () => {
  const claims = [
    { type: 'department', value: 'Sea' },
    { type: 'office', value: 'Hamburg' },
    { type: 'office', value: 'Bremen' },
  ]
  expect(claimsOf({ ...account, claims })).toMatchObject({ department: 'Sea', office: ['Hamburg', 'Bremen'] })
})

test.each([
  'sub',
  'aud',
  'session_id',
  'role',
  'email',
  'impersonator_userid',
  'impersonator_session_id',
  'oi_au_id',
  'client_id',
  '__proto__',
])('nobody can write down %s', (type) => {
  const claims = [{ type, value: 'forged' }]
  expect(claimsOf({ ...account, claims })).toEqual(claimsOf(account))
})
