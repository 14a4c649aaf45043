import { createHash } from 'node:crypto'
import { raw, sql } from '@keel/framework/data'
import { Invitations } from '@keel/identity/contracts'
import type { Walk } from './walk.js'

/** How an attacker uses an operation: what they send, and what they control when it is answered with success. */
export type Attempt = (walk: Walk) => Promise<void>

const password = 'Abc-Crane5'
const person = (walk: Walk) => {
  const userName = walk.unique()
  return { userName, email: `${userName}@example.com`, password }
}
const someRoles = (walk: Walk) =>
  walk.chance(0.3) ? {} : { roleNames: walk.chance(0.3) ? [] : [walk.one(walk.world.roles).name] }
const isTrue = (walk: Walk) => walk.chance(0.5)

/** Accepts an invitation whose mail is the attacker's: as if the token in it was one that they know. */
async function acceptAs(
  walk: Walk,
  table: 'AppUserInvitations' | 'AppMembershipInvitations',
  { userName, email }: { readonly userName: string; readonly email: string },
): Promise<void> {
  const token = `${userName}-token`
  const digest = createHash('sha256').update(token).digest('hex')
  await walk.auth.database.execute(
    sql`update ${raw(`"${table}"`)} set "TokenHash" = ${digest} where "InviteeEmail" = ${email}`,
  )
  const invitations = walk.auth.host.get(Invitations)
  const { id } = await invitations.accept({ token, userName, password }).catch(() => ({ id: undefined }))
  if (id) await walk.controlUser(id, password)
}

/** A plain attempt: nothing new is controlled by it, only what the caller's tokens may do can change. */
const plain =
  (method: string, path: (walk: Walk) => string, body?: (walk: Walk) => unknown): Attempt =>
  async (walk) => {
    await walk.call(method, path(walk), body?.(walk))
  }

const users = '/api/identity/users'
const roles = '/api/identity/roles'
const units = '/api/identity/organization-units'
const keys = '/api/api-key-management/api-keys'
const clients = '/api/openiddict/applications'
const members = '/api/hub/organization-member'
const aUser = (walk: Walk) => `${users}/${walk.user()}`
const aRole = (walk: Walk) => `${roles}/${walk.one(walk.world.roles).id}`
const aUnit = (walk: Walk) => `${units}/${walk.one(walk.world.units)}`
const aMember = (walk: Walk) => `${members}/${walk.one(walk.world.members)}`
const aKey = (walk: Walk) => `${keys}/${walk.one(walk.world.keys)}`

const oneself = 'acts on the caller’s own account, in person'
const mailed = 'needs a token that only its mail, or the password of the account, gives'
const noRights = 'changes nothing that rights are made of'
const ends = 'ends sessions only'
const withdraws = 'takes invitations back, which gives nothing'

const client = (walk: Walk) => ({
  applicationType: 'web',
  displayName: 'Walk',
  clientType: 'confidential',
  clientSecret: 'a secret of the attacker',
  allowClientCredentialsFlow: true,
  scopes: ['Core'],
  ...(walk.chance(0.3) && {
    allowAuthorizationCodeFlow: true,
    redirectUris: ['https://attacker.example.com/'],
  }),
})

const onSingleThings =
  'no kind of thing has permissions of its own in this host; permission-management/resource-permissions.test.ts attacks one that has'

const ownInbox = 'concerns notifications of the caller alone'
const ownExports =
  'reads in the owner’s name, with rights of the moment and the limits of the token; the owner alone changes it and gets the file'
const lookOfLists = 'a view holds the look of a list; rows are read with the rights of who opens it'

/**
 * What becomes of each operation that writes, by method and path of the API definition: how it is attacked, or why there is nothing to
 * attack. An operation without an entry fails the test.
 */
export const administrativeOperations: Readonly<Record<string, Attempt | string>> = {
  'POST api/account/check-password': 'takes the password',
  'POST api/account/confirm-email': mailed,
  'POST api/account/confirm-phone-number': 'needs a code that only the telephone gets',
  'POST api/account/register': async (walk) => {
    const { userName, email } = person(walk)
    const input = { userName, emailAddress: email, password, appName: 'MVC' }
    const done = await walk.call('POST', '/api/account/register', input)
    if (done) await walk.controlUser(done.answer.body.id, password)
  },
  'POST api/account/reset-password': mailed,
  'POST api/account/send-email-confirmation-token': mailed,
  'POST api/account/send-password-reset-code': mailed,
  'POST api/account/send-phone-number-confirmation-token':
    'sends a code to a telephone of the caller, or of whoever has just given the password',
  'POST api/account/verify-email-confirmation-token': mailed,
  'POST api/account/verify-password-reset-token': mailed,
  'DELETE api/account/externallogin/{loginProvider}/{providerKey}': oneself,
  'DELETE api/account/externallogin/{loginProvider}/{providerKey}/password-verified': oneself,
  'POST api/account/externallogin/password-verified/{loginProvider}/{providerKey}': oneself,
  'DELETE api/account/sessions': ends,
  'DELETE api/account/sessions/{id}': ends,
  'POST api/account/dynamic-claims/refresh': noRights,
  'POST api/account/link-user/generate-link-login-token': oneself,
  'POST api/account/link-user/generate-link-token': ownAccount(
    'POST',
    '/api/account/link-user/generate-link-token',
  ),
  'POST api/account/link-user/is-linked': noRights,
  'POST api/account/link-user/link':
    'needs a token of the other account, which generate-link-token is attacked for',
  'POST api/account/link-user/unlink': oneself,
  'POST api/account/link-user/verify-link-login-token': noRights,
  'POST api/account/link-user/verify-link-token': noRights,
  'POST api/account/my-profile/change-password': ownAccount(
    'POST',
    '/api/account/my-profile/change-password',
    () => ({ newPassword: password }),
  ),
  'POST api/account/my-profile/set-two-factor-enabled': oneself,
  'PUT api/account/my-profile': ownAccount('PUT', '/api/account/my-profile', (walk) => {
    const { userName, email } = person(walk)
    return { userName, email }
  }),
  'POST api/account/profile-picture': noRights,
  'POST api/account/reauthentication': oneself,
  'POST api/account/reauthentication/send-code': oneself,
  'POST api/account/reset-authenticator': oneself,
  'POST api/account/send-two-factor-code': mailed,
  'POST api/account/verify-authenticator-code': oneself,
  'POST api/account/user-delegation/delegate-new-user': ownAccount(
    'POST',
    '/api/account/user-delegation/delegate-new-user',
    (walk) => ({
      targetUserId: walk.user(),
      startTime: '2020-01-01T00:00:00Z',
      endTime: '2040-01-01T00:00:00Z',
    }),
  ),
  'POST api/account/user-delegation/delete-delegation': oneself,
  'PUT api/account-admin/settings': plain(
    'PUT',
    () => '/api/account-admin/settings',
    () => ({ isSelfRegistrationEnabled: true, enableLocalLogin: true }),
  ),
  'PUT api/account-admin/settings/external-provider': everybody(
    'PUT',
    '/api/account-admin/settings/external-provider',
    { externalProviders: [] },
  ),
  'PUT api/account-admin/settings/idle': plain(
    'PUT',
    () => '/api/account-admin/settings/idle',
    () => ({ enabled: true, idleTimeoutMinutes: 5, countdownSeconds: 30 }),
  ),
  'PUT api/account-admin/settings/passkey': plain(
    'PUT',
    () => '/api/account-admin/settings/passkey',
    () => ({ enabled: true, maximumPasskeysPerUser: 3 }),
  ),
  'PUT api/account-admin/settings/two-factor': plain(
    'PUT',
    () => '/api/account-admin/settings/two-factor',
    () => ({ twoFactorBehaviour: 1, usersCanChange: true }),
  ),
  'POST api/api-key-management/api-keys': async (walk) => {
    const done = await walk.call('POST', keys, {
      name: 'Walk',
      ...(walk.chance(0.8) && { userId: walk.user() }),
    })
    if (done) walk.controlKey(done.answer.body.key)
  },
  'DELETE api/api-key-management/api-keys/{id}': plain('DELETE', aKey),
  'POST api/api-key-management/api-keys/{id}/narrow': plain('POST', (walk) => `${aKey(walk)}/narrow`),
  'POST api/api-key-management/api-keys/{id}/rotate': async (walk) => {
    const done = await walk.call('POST', `${aKey(walk)}/rotate`, {})
    if (done) walk.controlKey(done.answer.body.key)
  },
  'PUT api/api-key-management/api-keys/{id}': plain('PUT', aKey, () => ({
    isActive: true,
    expirationTime: null,
  })),
  'PUT api/api-key-management/api-keys/{id}/permissions': plain(
    'PUT',
    (walk) => `${aKey(walk)}/permissions`,
    (walk) => ({ permissions: [{ name: walk.permission(), isGranted: true }] }),
  ),
  'PUT api/audit-logging/settings': noRights,
  'PUT api/app/notification-preferences': ownInbox,
  'DELETE api/app/notification/{id}': ownInbox,
  'POST api/app/notification/broadcast': plain(
    'POST',
    () => '/api/app/notification/broadcast',
    (walk) => ({ title: walk.unique(), organizationId: walk.one(walk.world.organizations) }),
  ),
  'POST api/app/notification/mark-all-read': ownInbox,
  'POST api/app/notification/{id}/mark-read': ownInbox,
  'POST api/app/own-personal-data': oneself,
  'POST api/app/personal-data-request/erase-person': plain(
    'POST',
    () => '/api/app/personal-data-request/erase-person',
    (walk) => ({ userId: walk.user(), userName: walk.unique() }),
  ),
  'POST api/app/personal-data-request/export-person': plain(
    'POST',
    () => '/api/app/personal-data-request/export-person',
    (walk) => ({ userId: walk.user() }),
  ),
  'POST api/app/personal-data-request/preview-erasure': 'counts rows, and shows none',
  'POST api/app/saved-view': lookOfLists,
  'DELETE api/app/saved-view/{id}': lookOfLists,
  'PUT api/app/saved-view/{id}': lookOfLists,
  'POST api/app/saved-view/{id}/set-default': lookOfLists,
  'POST api/app/saved-view/{id}/share': lookOfLists,
  'POST api/app/export-schedule': ownExports,
  'PUT api/app/export-schedule/{id}': ownExports,
  'DELETE api/app/export-schedule/{id}': ownExports,
  'POST api/app/export-schedule/{id}/pause': ownExports,
  'POST api/app/export-schedule/{id}/resume': ownExports,
  'POST api/app/export-schedule/{id}/run-now': ownExports,
  'POST api/app/export-run/{id}/cancel': ownExports,
  'POST api/background-work/list-mail':
    'mails to the caller alone, what the caller may read when the job runs',
  'POST api/background-work/live-event/ticket':
    'opens a stream of the caller’s own events with the rights of the token at hand, which ends with it',
  'POST api/background-work/background-job/{id}/cancel': 'runs or drops what others queued; shows no mail',
  'POST api/background-work/background-job/{id}/retry': 'runs or drops what others queued; shows no mail',
  'DELETE api/background-work/inbox-event/{id}': 'handles or drops events of others; shows no secret',
  'POST api/background-work/inbox-event/{id}/replay': 'handles or drops events of others; shows no secret',
  'POST api/background-work/inbox-event/replay-many': 'handles or drops events of others; shows no secret',
  'DELETE api/feature-management/features': 'a feature switches operations off, and grants none',
  'PUT api/feature-management/features': 'a feature switches operations off, and grants none',
  'POST api/hub/organization-member': plain(
    'POST',
    () => members,
    (walk) => ({
      organizationId: walk.one(walk.world.organizations),
      userId: walk.user(),
      accessScope: walk.one([0, 1]),
      isDefault: isTrue(walk),
    }),
  ),
  'PUT api/hub/organization-member/{id}': plain('PUT', aMember, (walk) => ({
    accessScope: walk.one([0, 1]),
    validUntil: walk.one([null, '2000-01-01T00:00:00Z']),
    isDefault: isTrue(walk),
  })),
  'DELETE api/hub/organization-member/{id}': plain('DELETE', aMember),
  'POST api/hub/organization-member/{id}/set-default': plain(
    'POST',
    (walk) => `${aMember(walk)}/set-default`,
  ),
  'POST api/hub/organization-invitation': async (walk) => {
    const { userName, email } = person(walk)
    const done = await walk.call('POST', '/api/hub/organization-invitation', {
      organizationId: walk.one(walk.world.organizations),
      emailAddress: email,
      accessScope: walk.one([0, 1]),
    })
    if (done) await acceptAs(walk, 'AppMembershipInvitations', { userName, email })
  },
  'POST api/hub/organization-invitation/{id}/resend': mailed,
  'DELETE api/hub/organization-invitation/{id}': withdraws,
  'POST api/identity/claim-types':
    'no claim grants anything in our API, and tokens leave out those of the protocol',
  'DELETE api/identity/claim-types/{id}': 'no claim grants anything in our API',
  'PUT api/identity/claim-types/{id}': 'no claim grants anything in our API',
  'POST api/identity/roles': plain(
    'POST',
    () => roles,
    (walk) => ({ name: walk.unique(), isDefault: isTrue(walk) }),
  ),
  'DELETE api/identity/roles/{id}': plain('DELETE', aRole),
  'PUT api/identity/roles/{id}/move-all-users': plain('PUT', (walk) => {
    const to = walk.chance(0.5) ? `?roleId=${walk.one(walk.world.roles).id}` : ''
    return `${aRole(walk)}/move-all-users${to}`
  }),
  'PUT api/identity/roles/{id}': async (walk) => {
    const role = walk.one(walk.world.roles)
    const name = walk.chance(0.5) ? role.name : walk.unique()
    await walk.call('PUT', `${roles}/${role.id}`, { name, isDefault: isTrue(walk), isPublic: true })
  },
  'PUT api/identity/roles/{id}/claims': plain(
    'PUT',
    (walk) => `${aRole(walk)}/claims`,
    (walk) => [{ claimType: walk.world.claimType, claimValue: 'admin' }],
  ),
  'DELETE api/identity/sessions': ends,
  'DELETE api/identity/sessions/{id}': ends,
  'PUT api/identity/settings': plain(
    'PUT',
    () => '/api/identity/settings',
    () => ({ user: { isUserNameUpdateEnabled: true, isEmailUpdateEnabled: true } }),
  ),
  'PUT api/identity/settings/oauth': everybody('PUT', '/api/identity/settings/oauth', {
    enableOAuthLogin: false,
    clientId: 'keel',
    authority: 'https://attacker.example.com',
    requireHttpsMetadata: true,
    validateEndpoints: true,
    validateIssuerName: true,
  }),
  'PUT api/identity/settings/session': ends,
  'POST api/identity/users': async (walk) => {
    const unitIds = walk.chance(0.3) ? { organizationUnitIds: [walk.one(walk.world.units)] } : {}
    const done = await walk.call('POST', users, { ...person(walk), ...someRoles(walk), ...unitIds })
    if (done) await walk.controlUser(done.answer.body.id, password)
  },
  'POST api/identity/users/invitations': async (walk) => {
    const { userName, email } = person(walk)
    const { roleNames: assignedRoles } = someRoles(walk)
    const done = await walk.call('POST', `${users}/invitations`, { emailAddress: [email], assignedRoles })
    if (done) await acceptAs(walk, 'AppUserInvitations', { userName, email })
  },
  'POST api/identity/users/invitations/resend': mailed,
  'DELETE api/identity/users/invitations/{id}': withdraws,
  'DELETE api/identity/users/invitations': withdraws,
  'DELETE api/identity/users/{id}': plain('DELETE', aUser),
  'PUT api/identity/users/{id}/lock/{lockoutEnd}': plain('PUT', (walk) => `${aUser(walk)}/lock/2020-01-01`),
  'PUT api/identity/users/{id}/two-factor/{enabled}': plain(
    'PUT',
    (walk) => `${aUser(walk)}/two-factor/false`,
  ),
  'PUT api/identity/users/{id}/unlock': plain('PUT', (walk) => `${aUser(walk)}/unlock`),
  'PUT api/identity/users/{id}': async (walk) => {
    const id = walk.user()
    const { userName, email } = person(walk)
    const unitIds = walk.chance(0.5)
      ? { organizationUnitIds: walk.chance(0.5) ? [] : [walk.one(walk.world.units)] }
      : {}
    const way = walk.chance(0.5) ? { password } : {}
    const input = {
      userName,
      email,
      isActive: true,
      lockoutEnabled: true,
      ...way,
      ...someRoles(walk),
      ...unitIds,
    }
    const done = await walk.call('PUT', `${users}/${id}`, input)
    // The address is the attacker's by now: mails that reset the password go there.
    if (done) await walk.controlUser(id, way.password)
  },
  'PUT api/identity/users/{id}/claims': plain(
    'PUT',
    (walk) => `${aUser(walk)}/claims`,
    (walk) => [{ claimType: walk.world.claimType, claimValue: 'admin' }],
  ),
  'PUT api/identity/users/{id}/change-password': async (walk) => {
    const id = walk.user()
    const done = await walk.call('PUT', `${users}/${id}/change-password`, { newPassword: password })
    if (done) await walk.controlUser(id, password)
  },
  'PUT api/identity/users/{id}/roles': async (walk) => {
    const roleNames = walk.chance(0.3) ? [] : [walk.one(walk.world.roles).name]
    await walk.call('PUT', `${aUser(walk)}/roles`, { roleNames })
  },
  'POST api/identity/users/import-external-user':
    'takes a password of the authority, which is switched off here; identity/external-users.test.ts attacks it',
  'POST api/identity/users/import-users-from-file': async (walk) => {
    const { userName, email } = person(walk)
    const role = walk.chance(0.3) ? '' : walk.one(walk.world.roles).name
    const body = new FormData()
    const csv = `UserName,EmailAddress,Password,AssignedRoleNames\n${userName},${email},${password},${role}\n`
    body.append('file', new Blob([csv]), 'users.csv')
    const by = walk.one(walk.controlled)
    const path = `${users}/import-users-from-file?fileType=2`
    const answer = await by.sender.fetch(path, { method: 'POST', body })
    walk.steps.push(`${by.kind} ${by.id}: POST ${path} ${csv} → ${answer.status} ${await answer.text()}`)
    const made = await walk.admin.fetch(`${users}/by-username/${userName}`)
    if (made.status === 200) await walk.controlUser(((await made.json()) as { id: string }).id, password)
  },
  'PUT api/identity/organization-units/{id}/members': plain(
    'PUT',
    (walk) => `${aUnit(walk)}/members`,
    (walk) => ({ userIds: [walk.user()] }),
  ),
  'PUT api/identity/organization-units/{id}/roles': plain(
    'PUT',
    (walk) => `${aUnit(walk)}/roles`,
    (walk) => ({ roleIds: [walk.one(walk.world.roles).id] }),
  ),
  'POST api/identity/organization-units': 'a new unit has neither members nor roles',
  'DELETE api/identity/organization-units': plain(
    'DELETE',
    (walk) => `${units}?id=${walk.one(walk.world.units)}`,
  ),
  'PUT api/identity/organization-units/{id}/move-all-users': plain('PUT', (walk) => {
    const to = walk.chance(0.5) ? `?organizationId=${walk.one(walk.world.units)}` : ''
    return `${aUnit(walk)}/move-all-users${to}`
  }),
  'PUT api/identity/organization-units/{id}/move': plain(
    'PUT',
    (walk) => `${aUnit(walk)}/move`,
    (walk) => ({ newParentId: walk.one(walk.world.units) }),
  ),
  'DELETE api/identity/organization-units/{id}/members/{memberId}': plain(
    'DELETE',
    (walk) => `${aUnit(walk)}/members/${walk.user()}`,
  ),
  'DELETE api/identity/organization-units/{id}/roles/{roleId}': plain(
    'DELETE',
    (walk) => `${aUnit(walk)}/roles/${walk.one(walk.world.roles).id}`,
  ),
  'PUT api/identity/organization-units/{id}': noRights,
  'POST api/multi-tenancy/tenants': 'tenants are switched off',
  'DELETE api/multi-tenancy/tenants/{id}': 'tenants are switched off',
  'PUT api/multi-tenancy/tenants/{id}': 'tenants are switched off',
  'POST api/openiddict/applications': async (walk) => {
    const input = { ...client(walk), clientId: walk.unique() }
    const done = await walk.call('POST', clients, input)
    if (!done) return
    await walk.controlClient(input.clientId)
    if (input.redirectUris) await walk.controlEverybody()
  },
  'DELETE api/openiddict/applications': plain(
    'DELETE',
    (walk) => `${clients}?id=${walk.one(walk.world.clients).id}`,
  ),
  'PUT api/openiddict/applications/{id}': async (walk) => {
    const { id, clientId } = walk.one(walk.world.clients)
    const input = { ...client(walk), clientId: walk.chance(0.7) ? clientId : walk.unique() }
    const done = await walk.call('PUT', `${clients}/${id}`, input)
    if (!done) return
    await walk.controlClient(input.clientId)
    if (input.redirectUris) await walk.controlEverybody()
  },
  'PUT api/openiddict/applications/{id}/token-lifetime': plain(
    'PUT',
    (walk) => `${clients}/${walk.one(walk.world.clients).id}/token-lifetime`,
    () => ({ accessTokenLifetime: 86_400, refreshTokenLifetime: 86_400 }),
  ),
  'POST api/openiddict/scopes': 'a scope grants nothing',
  'DELETE api/openiddict/scopes': 'a scope grants nothing',
  'PUT api/openiddict/scopes/{id}': 'a scope grants nothing',
  'PUT api/permission-management/permissions': async (walk) => {
    const holder = walk.one([
      ['U', walk.user()],
      ['R', walk.one(walk.world.roles).name],
      ['C', walk.one(walk.world.clients).clientId],
      ['AK', walk.one(walk.world.keys)],
    ])
    const permissions = [1, 2].map(() => ({
      name: walk.permission(),
      ...walk.one([
        { isGranted: true },
        { isGranted: true, isProhibited: false },
        { isGranted: false, isProhibited: false },
        { isGranted: false, isProhibited: true },
      ]),
    }))
    const query = `providerName=${holder[0]}&providerKey=${encodeURIComponent(holder[1] as string)}`
    await walk.call('PUT', `/api/permission-management/permissions?${query}`, { permissions })
  },
  'POST api/permission-management/permissions/preview': 'saves nothing',
  'DELETE api/permission-management/permissions/resource': onSingleThings,
  'PUT api/permission-management/permissions/resource': onSingleThings,
  'POST api/saas/editions': 'tenants are switched off',
  'DELETE api/saas/editions/{id}': 'tenants are switched off',
  'PUT api/saas/editions/{id}/move-all-tenants': 'tenants are switched off',
  'PUT api/saas/editions/{id}': 'tenants are switched off',
  'POST api/saas/tenants': 'tenants are switched off',
  'DELETE api/saas/tenants/{id}': 'tenants are switched off',
  'PUT api/saas/tenants/{id}': 'tenants are switched off',
  'POST api/setting-management/emailing/send-test-email': noRights,
  'POST api/setting-management/emailing': everybody('POST', '/api/setting-management/emailing', {
    smtpHost: 'mail.attacker.example.com',
    smtpPort: 25,
    smtpEnableSsl: false,
    smtpUseDefaultCredentials: false,
    defaultFromAddress: 'attacker@example.com',
    defaultFromDisplayName: 'Keel',
  }),
  'POST api/setting-management/retention': noRights,
  'POST api/setting-management/timezone': noRights,
}

/** Acting as somebody else, at the token endpoint of the auth server. */
export const impersonate: Attempt = async (walk) => {
  const own = walk.controlled.find(({ kind, password: known }) => kind === 'user' && known)
  if (!own) return
  const found = await walk.admin.fetch(`${users}/${own.id}`)
  if (found.status !== 200) return
  const { userName } = (await found.json()) as { userName: string }
  const form = { client_id: 'Core_App', scope: 'Core offline_access' }
  const signedIn = await walk.auth.post('/connect/token', {
    ...form,
    grant_type: 'password',
    username: userName,
    password: own.password as string,
  })
  const target = walk.user()
  const acting = await walk.auth.post('/connect/token', {
    ...form,
    grant_type: 'Impersonation',
    access_token: signedIn.body?.access_token ?? '',
    UserId: target,
  })
  walk.steps.push(`user ${own.id}: acts as ${target} → ${acting.status}`)
  if (acting.status === 200) await walk.controlUser(target)
}

/** A call about the caller's own account, which whoever may make it has as a whole: for keys that hold less than their owner. */
function ownAccount(method: string, path: string, body?: (walk: Walk) => unknown): Attempt {
  return async (walk) => {
    const done = await walk.call(method, path, body?.(walk))
    const self = done && (await done.by.sender.fetch('/api/abp/application-configuration'))
    const { currentUser } = self
      ? ((await self.json()) as { currentUser: { id: string | null } })
      : { currentUser: { id: null } }
    if (currentUser.id) await walk.controlUser(currentUser.id)
  }
}

/** A setting by which every account is had. */
function everybody(method: string, path: string, body: unknown): Attempt {
  return async (walk) => {
    if (await walk.call(method, path, body)) await walk.controlEverybody()
  }
}
