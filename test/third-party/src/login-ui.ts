import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from '@keel/framework/data'
import { ExternalProviders, StoredSettings } from '@keel/setting-management/contracts'
import { TOTP } from 'otpauth'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { createMailFolder, type MailFolder } from '../../src/account/mails.js'
import { createSmsFolder, type SmsFolder } from '../../src/account/text-messages.js'
import { type AuthHost, issuer, startAuthHost } from '../../src/auth/auth-host.js'
import { type Directory, startDirectory } from '../../src/auth/directory.js'
import { seedClients } from '../../src/auth/seed-clients.js'
import { authorizationRequest } from '../../src/auth/sign-in.js'
import { launchBrowser } from './chromium.js'

/** A client whose users are asked what they allow it. */
export const portal = { client_id: 'portal', redirect_uri: 'http://localhost:4200/portal' } as const

/** A picture of 64 by 64 points. */
export const logo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsAthOpMY3wi+hcEKLDX9WgQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQELgsjJGDTfUi7dAAAAABJRU5ErkJggg==',
  'base64',
)

/** The auth server with its pages, and a browser that finds it under its public address. */
export interface LoginUi {
  readonly auth: AuthHost
  readonly mails: MailFolder
  readonly sms: SmsFolder
  /** Another company's sign-in, offered as Contoso. */
  readonly directory: Directory
  /** A browser profile of its own; what the clients would show at their addresses is one word. */
  open(options?: BrowserContextOptions): Promise<BrowserContext>
  close(): Promise<void>
}

export async function startLoginUi(settings: Record<string, string> = {}): Promise<LoginUi> {
  const mails = await createMailFolder()
  const sms = await createSmsFolder()
  const auth = await startAuthHost({
    settings: {
      'Mail:Folder': mails.path,
      'Sms:Folder': sms.path,
      'Settings:Abp.Account.IsSelfRegistrationEnabled': 'true',
      ...settings,
    },
  })
  await seedClients(
    auth,
    {
      ClientId: portal.client_id,
      DisplayName: 'Customer portal',
      ConsentType: 'explicit',
      GrantTypes: ['authorization_code', 'refresh_token'],
      Scopes: ['profile', 'email', 'roles', 'Core'],
      RedirectUris: [portal.redirect_uri],
    },
    {
      ClientId: 'dock',
      DisplayName: 'Dock scanner',
      GrantTypes: ['urn:ietf:params:oauth:grant-type:device_code'],
    },
  )
  await auth.database.execute(sql`
    update "OpenIddictApplications" set "ClientUri" = 'http://localhost:4200/about', "LogoUri" = 'http://localhost:4200/logo.png?v=1'
    where "ClientId" = ${portal.client_id}`)
  const directory = await startDirectory([`${issuer}signin-oidc/contoso`])
  await auth.host.get(ExternalProviders).replace([
    {
      name: 'OpenIdConnect.contoso',
      enabled: true,
      properties: { Authority: directory.authority, ClientId: directory.clientId, DisplayName: 'Contoso' },
      secretProperties: { ClientSecret: directory.clientSecret },
    },
  ])
  const { hostname } = new URL(issuer)
  const { port } = new URL(auth.host.url)
  const client = createServer(({ url }, response) => {
    if (url?.startsWith('/logo.png')) response.setHeader('content-type', 'image/png').end(logo)
    else response.setHeader('content-type', 'text/html').end('<h1>Client</h1>')
  })
  client.listen(0)
  await once(client, 'listening')
  const clientPort = (client.address() as AddressInfo).port
  const browser: Browser = await launchBrowser(
    `--host-resolver-rules=MAP ${hostname} 127.0.0.1:${port}, MAP localhost:4200 127.0.0.1:${clientPort}`,
  )
  return {
    auth,
    mails,
    sms,
    directory,
    async open(options) {
      const context = await browser.newContext({ locale: 'en', ...options })
      context.setDefaultTimeout(20_000)
      return context
    },
    async close() {
      await browser.close()
      client.close()
      await directory.close()
      await auth.close()
      await mails.remove()
      await sms.remove()
    },
  }
}

/** What is done on each page that a tour comes to. */
export type Look = (name: string, page: Page) => Promise<void>

/** With `KEEL_SCREENSHOTS` set to a folder, a tour leaves a picture of every page there. */
export function photographer(variant: string): Look {
  const folder = process.env.KEEL_SCREENSHOTS
  if (folder) mkdirSync(folder, { recursive: true })
  let count = 10
  return async (name, page) => {
    count++
    if (folder) await page.screenshot({ path: `${folder}/${variant}-${count}-${name}.png`, fullPage: true })
  }
}

const first = 'Kelp-42-river'
const second = 'Quartz-77-lamp'
const third = 'Otter-19-fence'

/** Goes through every page as somebody new would: registers, forgets, confirms, sets up, is let in and locked out. */
export async function tour(
  { auth, mails, sms, directory }: LoginUi,
  context: BrowserContext,
  look: Look,
): Promise<void> {
  const page = await context.newPage()
  const at = (path: string) => page.goto(new URL(path, issuer).href)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const follow = (name: string) => page.getByRole('link', { name, exact: true }).click()
  /** Goes to another page of the account, by the menu beside the page or the one control of a phone. */
  const turnTo = async (name: string): Promise<void> => {
    const menu = page.locator('details.menu > summary')
    if (await menu.isVisible()) await menu.click()
    await follow(name)
  }
  const fill = (name: string, value: string) => page.locator(`#${name}`).fill(value)
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const atClient = () => page.getByRole('heading', { name: 'Client' }).waitFor()
  const userName = `kim-${randomUUID().slice(0, 8)}`
  const email = `${userName}@example.com`
  const linkOfMail = async (count: number): Promise<string> => {
    const mail = (await mails.to(email, count)).at(-1)
    return /http:\S+/.exec(mail?.text ?? '')?.[0] ?? ''
  }
  const signIn = async (password: string): Promise<void> => {
    await fill('userName', userName)
    await fill('password', password)
    await press('Sign in')
  }

  await at('/')
  await look('home', page)
  await at('/Account/Login')
  await look('login', page)
  await signIn('wrong')
  await page.getByRole('alert').waitFor()
  await look('login-fault', page)

  await at(authorizationRequest().address)
  await follow('Create an account')
  await look('register', page)
  await fill('userName', userName)
  await fill('emailAddress', email)
  await fill('newPassword', 'weak')
  await fill('confirmation', 'weak')
  await press('Create an account')
  await page.getByRole('alert').waitFor()
  await look('register-fault', page)
  await fill('newPassword', first)
  await fill('confirmation', first)
  await press('Create an account')
  await atClient()

  await at('/connect/endsession')
  await heading('Sign out?')
  await look('sign-out', page)
  await press('Sign out')
  await heading('You are signed out')
  await look('signed-out', page)

  await at('/Account/Login')
  await follow('Forgot your password?')
  await look('forgot-password', page)
  await fill('email', email)
  await press('Send the link')
  await heading('Check your e-mail')
  await look('forgot-password-sent', page)
  const resetLink = await linkOfMail(1)
  await page.goto(resetLink)
  await heading('Choose a new password')
  await look('reset-password', page)
  await fill('newPassword', second)
  await fill('confirmation', second)
  await press('Save the password')
  await heading('Your password was changed')
  await look('reset-password-done', page)
  await page.goto(resetLink)
  await heading('This link does not work any more')
  await look('bad-link', page)

  await at('/Account/Manage')
  await signIn(second)
  await heading('My account')
  await look('profile', page)
  await press('Send me a confirmation e-mail')
  await page.getByRole('status').waitFor()
  await look('profile-mail-sent', page)
  // The second one tells of the new password.
  await page.goto(await linkOfMail(3))
  await heading('Confirm your e-mail address')
  await look('email-confirmation', page)
  await press('Confirm')
  await heading('Your e-mail address is confirmed')
  await look('email-confirmed', page)

  const phoneNumber = `+4940${String(Date.now()).slice(-8)}`
  await at('/Account/Manage')
  await press('Confirm the phone number')
  await heading('Confirm your phone number')
  await look('confirm-phone', page)
  await fill('phoneNumber', '040 123456')
  await press('Send me a code')
  await page.getByRole('alert').waitFor()
  await look('confirm-phone-fault', page)
  await fill('phoneNumber', phoneNumber)
  await press('Send me a code')
  await page.locator('#code').waitFor()
  await look('confirm-phone-code', page)
  await fill('code', await sms.codeTo(phoneNumber))
  await press('Confirm')
  await page.getByRole('status').waitFor()
  await look('phone-confirmed', page)

  await at('/Account/ChangePassword')
  await look('change-password', page)
  await fill('currentPassword', second)
  await fill('newPassword', third)
  await fill('confirmation', third)
  await press('Save the password')
  await page.getByRole('status').waitFor()
  await look('password-changed', page)

  await at('/Account/Confirm')
  await heading('Confirm that it is you')
  await look('confirm', page)
  await fill('password', third)
  await press('Confirm')
  await heading('Confirmed')
  await look('confirmed', page)
  await follow('My account')

  await turnTo('Two-factor sign-in')
  await heading('Two-factor sign-in')
  await look('two-factor-off', page)
  await follow('Set up an app')
  await heading('Set up an app')
  await look('two-factor-setup', page)
  const key = (await page.locator('code.key').textContent())?.replaceAll(' ', '') ?? ''
  await fill('code', new TOTP({ secret: key }).generate())
  await press('Finish')
  await heading('Your recovery codes')
  await look('recovery-codes', page)
  const [recoveryCode = ''] = await page.locator('.codes code').allTextContents()
  await follow('I have kept them')
  await heading('Two-factor sign-in')
  await look('two-factor-on', page)

  await at('/connect/endsession')
  await press('Sign out')
  await heading('You are signed out')
  await at(
    authorizationRequest({ ...portal, scope: 'openid profile email roles offline_access Core' }).address,
  )
  await signIn(third)
  await heading('Second step')
  await look('second-factor', page)
  await fill('code', '000000')
  await press('Sign in')
  await page.getByRole('alert').waitFor()
  await look('second-factor-fault', page)
  await fill('code', recoveryCode)
  await press('Sign in')
  await heading('Customer portal asks for access')
  await look('consent', page)
  await press('Allow')
  await atClient()

  await at('/Account/Sessions')
  await heading('Sessions')
  await look('sessions', page)
  await at('/Account/ExternalLogins')
  await heading('External accounts')
  await look('accounts-elsewhere', page)
  await at('/Account/SecurityLogs')
  await heading('Security log')
  await look('security-log', page)
  await turnTo('Applications')
  await heading('Applications')
  await look('applications', page)
  await press('Withdraw what Customer portal may do')
  await page.getByRole('status').waitFor()
  await look('applications-withdrawn', page)
  await at(authorizationRequest({ prompt: 'select_account' }).address)
  await heading('Choose an account')
  await look('select-account', page)

  const begun = await auth.post('/device', { client_id: 'dock', scope: 'openid Core' })
  await at('/connect/verify')
  await look('device-code', page)
  await fill('user_code', 'BBBB-BBBB')
  await press('Continue')
  await page.getByRole('alert').waitFor()
  await look('device-code-fault', page)
  await fill('user_code', begun.body.user_code)
  await press('Continue')
  await heading('Let Dock scanner in?')
  await look('device-confirm', page)
  await press('Yes, that is my device')
  await heading('The device is signed in')
  await look('device-done', page)

  await at(authorizationRequest({ client_id: 'ghost' }).address)
  await heading('Unknown application')
  await look('unknown-client', page)
  await at(authorizationRequest({ redirect_uri: 'http://localhost:4200.example.com' }).address)
  await heading('Unexpected return address')
  await look('wrong-redirect', page)
  await at('/Account/Login/a-sign-in-of-yesterday')
  await heading('Please start again')
  await look('expired', page)
  await at('/nowhere')
  await heading('Page not found')
  await look('not-found', page)

  await auth.database.execute(
    sql`update "AbpUsers" set "ShouldChangePasswordOnNextLogin" = true, "TwoFactorEnabled" = false where "UserName" = ${userName}`,
  )
  await at('/connect/endsession')
  await press('Sign out')
  await heading('You are signed out')
  await at(authorizationRequest().address)
  await signIn(third)
  await heading('Choose a new password')
  await look('new-password', page)
  await fill('newPassword', third)
  await fill('confirmation', third)
  await press('Save the password')
  await page.getByRole('alert').waitFor()
  await look('new-password-fault', page)
  await fill('newPassword', first)
  await fill('confirmation', first)
  await press('Save the password')
  await atClient()

  const demandConfirmed = (isDemanded: boolean): Promise<void> =>
    auth.host.get(StoredSettings).setForEverybody({
      'Abp.Identity.SignIn.RequireConfirmedEmail': isDemanded,
      'Abp.Identity.SignIn.RequireConfirmedPhoneNumber': isDemanded,
    })
  await demandConfirmed(true)
  try {
    await auth.database.execute(
      sql`update "AbpUsers" set "EmailConfirmed" = false, "PhoneNumberConfirmed" = false where "UserName" = ${userName}`,
    )
    await at('/connect/endsession')
    await press('Sign out')
    await heading('You are signed out')
    await at(authorizationRequest().address)
    await signIn(first)
    await heading('Please confirm first')
    await look('confirm-user', page)
    await press('Send me a code')
    await page.locator('#code').waitFor()
    await look('confirm-user-code', page)
    await fill('code', await sms.codeTo(phoneNumber, 2))
    await press('Confirm')
    await page.getByRole('status').waitFor()
    await look('confirm-user-mail', page)
    await press('Send me the e-mail')
    await page.getByText('An e-mail is on its way').waitFor()
    await look('confirm-user-mailed', page)
    await auth.database.execute(
      sql`update "AbpUsers" set "EmailConfirmed" = true where "UserName" = ${userName}`,
    )
    await page.goto(page.url())
    await press('Continue')
    await atClient()
  } finally {
    // The other tests sign in on the same databases.
    await demandConfirmed(false)
  }

  await at('/connect/endsession')
  await press('Sign out')
  await heading('You are signed out')
  directory.person = { sub: userName, email: `${userName}@contoso.example` }
  await at('/Account/Login')
  await press('Continue with Contoso')
  await heading('One more step')
  await look('external-choice', page)
  directory.person = undefined
  await context.clearCookies({ domain: new URL(directory.authority).hostname })
  await at('/Account/Login')
  await press('Continue with Contoso')
  await heading('You did not sign in')
  await look('external-cancelled', page)
  const guest = `guest-${userName}`
  await auth.database.execute(sql`
    insert into "AppUserInvitations" ("Id", "InviteeEmail", "NormalizedEmail", "InvitationDate", "TokenHash", "ExpirationTime", "InviterId")
    select gen_random_uuid(), ${`${guest}@example.com`}, ${`${guest}@EXAMPLE.COM`.toUpperCase()}, now(),
      encode(sha256(convert_to(${guest}, 'UTF8')), 'hex'), now() + interval '1 day', "Id" from "AbpUsers" where "UserName" = 'admin'`)
  await at(`/Account/Invitation?token=${guest}`)
  await heading('You are invited')
  await look('invitation', page)
  await auth.database.execute(sql`
    insert into "AppMembershipInvitations" ("Id", "Kind", "GroupId", "GroupName", "InviteeEmail", "NormalizedEmail", "Terms", "Permission",
      "InvitationDate", "TokenHash", "ExpirationTime", "InviterId")
    select gen_random_uuid(), 'Test', gen_random_uuid(), 'Contoso Ltd.', "Email", "NormalizedEmail", '{}', 'AbpIdentity.Users', now(),
      encode(sha256(convert_to(${`${guest}-joins`}, 'UTF8')), 'hex'), now() + interval '1 day', "Id" from "AbpUsers" where "UserName" = 'admin'`)
  await at(`/Account/Invitation?token=${guest}-joins`)
  await page.getByText('Sign in with it to join').waitFor()
  await look('invitation-of-account', page)
  await at('/Account/Invitation?token=another')
  await heading('This link does not work any more')
  await look('invitation-ended', page)
  await at('/Account/ResendConfirmation')
  await heading('Confirm your e-mail address')
  await look('resend-confirmation', page)
  await fill('email', email)
  await press('Send the link again')
  await heading('Check your e-mail')
  await look('confirmation-sent', page)
  await at('/Account/Login')
  for (let attempt = 1; attempt < 5; attempt++) {
    await signIn('wrong')
    await page.getByRole('alert').waitFor()
  }
  await signIn('wrong')
  await heading('Sign-in is locked for now')
  await look('locked-out', page)
  await page.close()
}
