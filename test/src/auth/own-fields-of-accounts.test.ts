import { IdentityUserAppService } from '@keel/identity/contracts'
import { ExternalProviders, StoredSettings } from '@keel/setting-management/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MailFolder } from '../account/mails.js'
import type { App, AppCaller } from '../support/app.js'
import { type AppWithAuth, startAppWithAuth } from '../support/app-with-auth.js'
import { type AuthHost, issuer } from './auth-host.js'
import type { Arrival, Browser } from './browser.js'
import { type Directory, startDirectory } from './directory.js'
import { authorizationRequest } from './sign-in.js'

const password = 'Quay-lantern-42'
const secured = 'AbpIdentity.Users'
const declared: Record<string, Record<string, string>> = {
  Department: {
    Type: 'text',
    MaxLength: '10',
    Required: 'true',
    'Label:en': 'Department',
    'Label:de': 'Abteilung',
  },
  Shift: {
    ...{ Type: 'enumeration', 'Values:Early': '0', 'Values:Late': '1', Default: 'Late' },
    'ValueLabels:Early:de': 'Früh',
  },
  Crane: { Type: 'boolean' },
  Born: { Type: 'date' },
  Pay: { Type: 'decimal', Min: '0', Scale: '2' },
  Badge: { Type: 'integer', Default: '7', WritePermission: secured },
  Rating: { Type: 'integer', Permission: secured },
}
const ownFields = Object.fromEntries(
  Object.entries(declared).flatMap(([name, options]) =>
    Object.entries(options).map(([option, value]) => [
      `OwnFields:Modules:Identity:User:${name}:${option}`,
      value,
    ]),
  ),
)
const own = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`extraProperties.${name}`, value]))

let hosts: AppWithAuth
let mails: MailFolder
let app: App
let auth: AuthHost
let admin: AppCaller
let directory: Directory

beforeAll(async () => {
  hosts = await startAppWithAuth(ownFields)
  ;({ app, auth, mails } = hosts)
  admin = await app.admin()
  directory = await startDirectory([`${issuer}signin-oidc/contoso`])
  await auth.host.get(StoredSettings).setForEverybody({ 'Abp.Account.IsSelfRegistrationEnabled': true })
})
afterAll(async () => {
  await hosts?.close()
  await directory?.close()
})

const stored = async (userName: string) =>
  (await admin.service(IdentityUserAppService).findByUsername(userName))?.extraProperties

const titleOf = ({ html }: Arrival): string | undefined => /<h1>([^<]*)<\/h1>/.exec(html)?.[1]
/** The labels of the inputs for own fields, with what they hold. */
function shownIn({ html }: Arrival): Record<string, string> {
  const labels = new Map(
    [...html.matchAll(/<label for="extraProperties\.(\w+)">([^<]*)</g)].map(([, name, label]) => [
      name,
      label,
    ]),
  )
  const inputs = [
    ...html.matchAll(/<input type="\w[\w-]*" id="extraProperties\.(\w+)"[^>]* value="([^"]*)"/g),
  ]
  const selects = [...html.matchAll(/<select id="extraProperties\.(\w+)"[\s\S]*?<\/select>/g)].map(
    ([text, name]) => [text, name, / selected>([^<]*)</.exec(text)?.[1] ?? ''] as const,
  )
  return Object.fromEntries([...inputs, ...selects].map(([, name, value]) => [labels.get(name), value ?? '']))
}
const faultOf = ({ html }: Arrival, name: string): string | undefined =>
  new RegExp(`id="extraProperties\\.${name}-fault"><span>([^<]*)<`).exec(html)?.[1]

async function register(userName: string, values: Record<string, string>, culture = 'en') {
  const browser = auth.browser()
  const page = await browser.open(`/Account/Register?culture=${culture}&ui-culture=${culture}`)
  const arrival = await browser.submit(page, {
    ...{ userName, emailAddress: `${userName}@example.com`, newPassword: password, confirmation: password },
    ...own(values),
  })
  return { browser, page, arrival }
}

async function profileOf(browser: Browser): Promise<Arrival> {
  const page = await browser.open('/Account/Manage?culture=en&ui-culture=en')
  expect(titleOf(page)).toBe('My account')
  return page
}

test('the form of a registration has the own fields of users in the language of the reader, with their defaults', async () => {
  const { page } = await register('labels', {}, 'de')
  expect(shownIn(page)).toEqual({ Abteilung: '', Shift: 'Late', Crane: '', Born: '', Pay: '' })
  expect(page.html).toContain('>Früh</option>')
  expect(page.html).not.toContain('Rating')
})

test('a registration without a required field, or with values that do not fit, is told at the fields and makes nobody', async () => {
  const { arrival } = await register('refused', { Department: '', Born: '31.1.2000', Pay: '-1', Shift: '5' })
  expect(arrival.status).toBe(400)
  expect(faultOf(arrival, 'Department')).toBe('Please fill this in.')
  for (const name of ['Born', 'Pay', 'Shift']) expect(faultOf(arrival, name)).toMatch(/\S/)
  expect(shownIn(arrival)).toMatchObject({ Department: '', Born: '31.1.2000', Pay: '-1' })
  const long = await register('refused', { Department: 'Warehousing 2' })
  expect([long.arrival.status, faultOf(long.arrival, 'Department')]).toEqual([
    400,
    expect.stringContaining('10'),
  ])
  expect((await register('refused', {})).arrival.status).toBe(400)
  expect(await stored('refused')).toBe(undefined)
})

test('a registration saves what was entered and the defaults, and nothing of what needs a permission', async () => {
  const { arrival } = await register('worker', {
    ...{ Department: 'Docks', Shift: '0', Crane: 'true', Born: '2000-01-31', Pay: '12.50' },
    ...{ Badge: '1', Rating: '9', Unknown: 'x' },
  })
  expect(arrival.status).toBe(200)
  expect(await stored('worker')).toEqual({
    ...{ Department: 'Docks', Shift: 0, Crane: true, Born: '2000-01-31', Pay: 12.5 },
    Badge: 7,
  })
  await register('plain', { Department: 'Docks', Shift: '1', Crane: '' })
  expect(await stored('plain')).toEqual({ Department: 'Docks', Shift: 1, Badge: 7 })
})

test('a profile shows the own fields, saves changes of them, and keeps those that its user must not set', async () => {
  const { browser } = await register('owner', { Department: 'Docks', Shift: '0', Born: '2000-01-31' })
  const before = await profileOf(browser)
  expect(shownIn(before)).toEqual({
    ...{ Department: 'Docks', Shift: 'Early', Crane: '', Born: '2000-01-31', Pay: '', Badge: '7' },
  })
  const names = { userName: 'owner', email: 'owner@example.com' }
  const refused = await browser.submit(before, { ...names, ...own({ Department: '', Pay: 'much' }) })
  expect([refused.status, faultOf(refused, 'Department')]).toEqual([400, 'Please fill this in.'])
  expect(faultOf(refused, 'Pay')).toMatch(/\S/)
  expect(shownIn(refused)).toMatchObject({ Department: '', Born: '2000-01-31', Pay: 'much', Badge: '7' })

  const saved = await browser.submit(before, {
    ...names,
    ...own({ Department: 'Cranes', Shift: '', Crane: 'false', Born: '', Badge: '1', Rating: '9' }),
  })
  expect([saved.status, saved.html.includes('role="status"')]).toEqual([200, true])
  expect(await stored('owner')).toEqual({ Department: 'Cranes', Crane: false, Badge: 7 })
  expect(shownIn(await profileOf(browser))).toMatchObject({ Department: 'Cranes', Shift: '', Crane: 'No' })
})

test('who accepts an invitation fills in the own fields too', async () => {
  const email = 'invited@example.com'
  await admin.service(IdentityUserAppService).inviteUsers({ emailAddress: [email], appName: 'Angular' })
  const link = new URL(/https?:\S+/.exec((await mails.to(email)).at(-1)?.text ?? '')?.[0] ?? '')
  const browser = auth.browser()
  const page = await browser.open(link.pathname + link.search)
  expect(shownIn(page)).toMatchObject({ Department: '', Shift: 'Late' })
  const filled = { userName: 'invited', newPassword: password, confirmation: password }
  const refused = await browser.submit(page, { ...filled, ...own({ Department: '' }) })
  expect([refused.status, faultOf(refused, 'Department')]).toEqual([400, 'Please fill this in.'])
  expect((await browser.submit(page, { ...filled, ...own({ Department: 'Docks' }) })).status).toBe(200)
  expect(await stored('invited')).toEqual({ Department: 'Docks', Shift: 1, Badge: 7 })
})

test('who comes from a directory and gets an account fills in the own fields too', async () => {
  const properties = {
    ...{ Authority: directory.authority, ClientId: directory.clientId },
    ...{ DisplayName: 'Contoso', TrustedEmailDomains: 'contoso.com' },
  }
  const secretProperties = { ClientSecret: directory.clientSecret }
  const contoso = { name: 'OpenIdConnect.contoso', enabled: true, properties, secretProperties }
  await auth.host.get(ExternalProviders).replace([contoso])
  directory.person = { sub: 'new-1', email: 'newcomer@contoso.com', email_verified: true }
  const browser = auth.browser()
  const login = await browser.open(authorizationRequest().address)
  const { callback } = await browser.submit(login, { provider: contoso.name }, 'class="providers"')
  const choice = await browser.open((await directory.visit(callback)).href)
  const person = { newUserName: 'newcomer', email: 'newcomer@contoso.com', action: 'register' }
  const refused = await browser.submit(
    choice,
    { ...person, ...own({ Department: '' }) },
    'name="newUserName"',
  )
  expect([refused.status, faultOf(refused, 'Department')]).toEqual([400, 'Please fill this in.'])
  const filled = { ...person, ...own({ Department: 'Docks', Shift: '' }) }
  const { callback: arrived } = await browser.submit(refused, filled, 'name="newUserName"')
  expect(arrived?.searchParams.has('code')).toBe(true)
  expect(await stored('newcomer')).toEqual({ Department: 'Docks', Badge: 7 })
})
