import { sql } from '@keel/framework/data'
import { UserDirectory } from '@keel/identity/contracts'
import { StoredSettings } from '@keel/setting-management/contracts'
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMailFolder, type MailFolder } from '../../src/account/mails.js'
import { type AuthHost, claimsOf, password, startAuthHost, webApp } from '../../src/auth/auth-host.js'
import { authorizationRequest } from '../../src/auth/sign-in.js'
import { isLong } from '../../src/support/size.js'
import { axeFaults, inBothSizes, rulesOfAppearance, sizes, widthFaults } from './axe.js'
import { launchBrowser, noBrowser } from './chromium.js'
import { photographer } from './login-ui.js'

// Browsers make passkeys for https addresses and for this one.
const issuer = 'http://localhost:4801/'
const elsewhere = 'http://localhost:4802/'
const patience = { timeout: 10_000, interval: 50 }

/** A browser of one person, with an authenticator in it. */
interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
  readonly cdp: CDPSession
  readonly authenticatorId: string
  go(path: string): Promise<unknown>
  press(name: string): Promise<void>
  heading(name: string): Promise<void>
  close(): Promise<void>
}

/** What a page sends when a passkey signed. */
interface SentForm {
  readonly url: string
  readonly fields: Record<string, string>
}

describe.skipIf(noBrowser)(`passkeys in a browser${noBrowser ? `: ${noBrowser}` : ''}`, () => {
  let auth: AuthHost
  let browser: Browser
  let mails: MailFolder

  beforeAll(async () => {
    mails = await createMailFolder()
    auth = await startAuthHost({
      settings: {
        'AuthServer:Authority': issuer,
        'Mail:Folder': mails.path,
        'Settings:Abp.Account.Passkey.Enabled': 'true',
        'Settings:Abp.Account.Passkey.MaximumPasskeysPerUser': '2',
      },
    })
    const { port } = new URL(auth.host.url)
    const rules = ['localhost:4801', 'localhost:4802'].map((name) => `MAP ${name} 127.0.0.1:${port}`)
    browser = await launchBrowser(`--host-resolver-rules=${rules.join(', ')}`)
  })
  afterAll(async () => {
    await browser?.close()
    await auth?.close()
    await mails?.remove()
  })

  /**
   * A browser with an authenticator that answers at once. A real one offers its passkeys among the names and waits
   * for a person; this one would answer every sign-in page by itself, so pages are told that it cannot, unless
   * `offersAmongNames`.
   */
  async function visitor({
    offersAmongNames = false,
    ...options
  }: BrowserContextOptions & { offersAmongNames?: boolean } = {}): Promise<Visitor> {
    const context = await browser.newContext({ locale: 'en', ...options })
    context.setDefaultTimeout(15_000)
    const page = await context.newPage()
    if (!offersAmongNames)
      await page.addInitScript(
        'if (window.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false',
      )
    const cdp = await context.newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    return {
      context,
      page,
      cdp,
      authenticatorId,
      go: (path) => page.goto(new URL(path, issuer).href),
      press: (name) => page.getByRole('button', { name, exact: true }).click(),
      heading: (name) => page.getByRole('heading', { level: 1, name }).waitFor(),
      close: () => context.close(),
    }
  }

  async function signInWithPassword({ page, go, press }: Visitor, userName: string): Promise<void> {
    await go('/Account/Login')
    await page.locator('#userName').fill(userName)
    await page.locator('#password').fill(password)
    await press('Sign in')
    await page.waitForURL((url) => !url.pathname.startsWith('/Account/Login'))
  }

  /** Signs in with the password, and adds a passkey. */
  async function withPasskey(
    userName: string,
    name = 'Work laptop',
    options: Parameters<typeof visitor>[0] = {},
  ): Promise<Visitor> {
    const one = await visitor(options)
    await signInWithPassword(one, userName)
    await one.go('/Account/PasskeySetup')
    await one.page.locator('#name').fill(name)
    await one.press('Create the passkey')
    await one.page.getByRole('status').waitFor()
    return one
  }

  /** The passkey answers nothing until {@link answers} lets it: the sign-in page asks as soon as it is open. */
  const silence = ({ cdp, authenticatorId }: Visitor) =>
    cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false })
  const answers = ({ cdp, authenticatorId }: Visitor) =>
    cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: true })

  async function signOut({ context }: Visitor): Promise<void> {
    await context.clearCookies()
  }

  /** Opens the sign-in page and presses the button, whose form is caught. It is sent on unless `hold`. */
  async function signInWithPasskey(one: Visitor, { path = '/Account/Login', hold = false } = {}) {
    await silence(one)
    let sent: SentForm | undefined
    await one.page.route(/\/Account\/Login/, async (route) => {
      const request = route.request()
      const body = request.method() === 'POST' ? request.postData() : null
      if (!body) return route.continue()
      sent = { url: request.url(), fields: Object.fromEntries(new URLSearchParams(body)) }
      return hold ? route.abort() : route.continue()
    })
    await one.go(path)
    await one.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    await answers(one)
    await one.press('Sign in with a passkey')
    await expect.poll(() => sent, patience).toBeDefined()
    return sent as SentForm | undefined
  }

  /** Posts a form with the cookies of a browser, as another program would. */
  async function resend(one: Visitor, form: SentForm, changed: Record<string, string> = {}) {
    const cookies = (await one.context.cookies(issuer))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    const answer = await auth.fetch(new URL(form.url).pathname, {
      method: 'POST',
      body: new URLSearchParams({ ...form.fields, ...changed }),
      headers: { cookie: cookies },
      redirect: 'manual',
    })
    return { status: answer.status, html: await answer.text() }
  }

  const userIdOf = async (userName: string): Promise<string> => {
    const [user] = await auth.database.query<{ id: string }>(
      sql`select "Id" as id from "AbpUsers" where "UserName" = ${userName}`,
    )
    return user?.id ?? ''
  }

  const actionsOf = async (userName: string): Promise<string[]> => {
    const rows = await auth.database.query<{ action: string }>(sql`
      select "Action" as action from "AbpSecurityLogs" where "UserId" = ${await userIdOf(userName)} order by "CreationTime", "Id"`)
    return rows.map(({ action }) => action)
  }

  const refused = 'You cannot sign in with this passkey. Try again, or sign in another way.'

  test('somebody adds a passkey and signs in to a client with it, without name, password or code', async () => {
    const one = await withPasskey('operator')
    expect(await one.page.locator('.rows dd').allInnerTexts()).toEqual([
      'Work laptop',
      expect.stringMatching(/UTC$/),
      'Never',
    ])
    expect(await mails.to('operator@keel.local')).toMatchObject([
      { subject: expect.stringMatching(/^A passkey was added to your account/) },
    ])
    await signOut(one)
    const request = authorizationRequest()
    let code = ''
    // Nothing listens there: that the browser asks with a code is enough.
    one.page.on('request', (sent) => {
      const { origin, searchParams } = new URL(sent.url())
      if (origin === webApp.redirect_uri) code = searchParams.get('code') ?? ''
    })
    await signInWithPasskey(one, { path: request.address })
    await expect.poll(() => code, patience).not.toBe('')
    const tokens = await auth.post('/connect/token', {
      grant_type: 'authorization_code',
      ...webApp,
      code,
      code_verifier: request.verifier,
    })
    const sub = await userIdOf('operator')
    expect(claimsOf(tokens.body.id_token).sub).toBe(sub)
    const sessions = await auth.database.query<{ amr: string[] }>(
      sql`select "Payload"::jsonb -> 'amr' as amr from "AuthSessions" where "Subject" = ${sub} order by "ExpirationTime"`,
    )
    expect(sessions.map(({ amr }) => amr)).toEqual([['pwd'], ['hwk', 'user', 'mfa']])
    expect(await actionsOf('operator')).toEqual(['LoginSucceeded', 'AddPasskey', 'LoginSucceeded'])
    // A page of its own: the first one may still be on its way to the client.
    const passkeys = await one.context.newPage()
    await passkeys.goto(new URL('/Account/Passkeys', issuer).href)
    expect(await passkeys.locator('.rows dd').nth(2).innerText()).toMatch(/UTC$/)
    await one.close()
  })

  test('the row is such as ASP.NET Core Identity 10 keeps', async () => {
    const one = await withPasskey('customer')
    const [row] = await auth.database.query<{ data: Record<string, unknown>; length: number }>(sql`
      select "Data" as data, length("CredentialId") as length from "AbpUserPasskeys" where "UserId" = ${await userIdOf('customer')}`)
    const base64 = expect.stringMatching(/^[\w+/]+=*$/)
    expect(row).toEqual({
      length: 32,
      data: {
        PublicKey: base64,
        Name: 'Work laptop',
        CreatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        SignCount: expect.any(Number),
        Transports: ['internal'],
        IsUserVerified: true,
        IsBackupEligible: false,
        IsBackedUp: false,
        AttestationObject: base64,
        ClientDataJson: base64,
      },
    })
    const { credentials } = await one.cdp.send('WebAuthn.getCredentials', {
      authenticatorId: one.authenticatorId,
    })
    expect(credentials.map(({ userHandle }) => Buffer.from(userHandle ?? '', 'base64').toString())).toEqual([
      await userIdOf('customer'),
    ])
    await one.close()
  })

  test('a passkey is renamed and removed by its owner, who confirms who they are; a removed one signs nobody in', async () => {
    const one = await withPasskey('pricing')
    await one.page.getByText('Rename').click()
    await one.page.locator('#name-0').fill('Phone')
    await one.press('Save the name')
    await one.page.getByText('The passkey has its new name.').waitFor()
    expect(await one.page.locator('.rows dd').first().innerText()).toBe('Phone')
    await auth.database.execute(sql`
      update "AuthSessions" set "Payload" = (jsonb_set("Payload"::jsonb, '{loginTs}', to_jsonb((extract(epoch from now()) - 3600)::int)))::text
      where "Subject" = ${await userIdOf('pricing')}`)
    await one.press('Remove the passkey Phone')
    await one.heading('Confirm that it is you')
    await one.press('Confirm with a passkey')
    await one.heading('Passkeys')
    await one.press('Remove the passkey Phone')
    await one.page.getByText('You have no passkey yet.').waitFor()
    expect((await mails.to('pricing@keel.local', 2)).map(({ subject }) => subject.split(' –')[0])).toEqual([
      'A passkey was added to your account',
      'A passkey was removed from your account',
    ])
    await signOut(one)
    await signInWithPasskey(one)
    await one.page.getByRole('alert').getByText(refused).waitFor()
    expect(await actionsOf('pricing')).toEqual([
      'LoginSucceeded',
      'AddPasskey',
      'LoginSucceeded',
      'RemovePasskey',
    ])
    await one.close()
  })

  test('an answer of a passkey counts once, and in the browser that asked alone', async () => {
    const one = await withPasskey('manager')
    await signOut(one)
    const form = await signInWithPasskey(one, { hold: true })
    if (!form) throw new Error('no form')
    const stranger = await visitor()
    await stranger.go('/Account/Login')
    const token = await stranger.page.locator('form:not(.passkey) [name=token]').inputValue()
    expect(await resend(stranger, form, { token })).toMatchObject({
      status: 400,
      html: expect.stringContaining(refused),
    })
    expect((await resend(one, form)).status).toBe(303)
    expect(await resend(one, form)).toMatchObject({ status: 400, html: expect.stringContaining(refused) })
    expect((await actionsOf('manager')).slice(2)).toEqual([
      'PasskeyRefused',
      'LoginSucceeded',
      'PasskeyRefused',
    ])
    await stranger.close()
    await one.close()
  })

  /** Has the passkey sign in a page of an address, as a script of its own would ask for it, and sends that to the sign-in page. */
  async function signedAt(one: Visitor, origin: string, userVerification: string) {
    await answers(one)
    await one.page.goto(new URL('/Account/PasskeyOptions', origin).href)
    const signed = await one.page.evaluate(async (verification) => {
      const bytes = (text: string) =>
        Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (one_) => one_.charCodeAt(0))
      const text = (buffer: ArrayBuffer) =>
        btoa(String.fromCharCode(...new Uint8Array(buffer)))
          .replace(/\+/g, '-')
          .replace(/\//g, '_')
          .replace(/=+$/, '')
      // biome-ignore lint/suspicious/noExplicitAny: the server’s answer
      const { options, state }: any = await (await fetch('/Account/PasskeyOptions')).json()
      const publicKey = { ...options, challenge: bytes(options.challenge), userVerification: verification }
      // biome-ignore lint/suspicious/noExplicitAny: the types of the browser are not those of the tests
      const made: any = await (globalThis as any).navigator.credentials.get({ publicKey })
      const { id, rawId, type, response } = made
      const parts = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'] as const
      const told = Object.fromEntries(parts.map((name) => [name, text(response[name])]))
      return { state, answer: JSON.stringify({ id, rawId: text(rawId), type, response: told }) }
    }, userVerification)
    await silence(one)
    await one.go('/Account/Login')
    const token = await one.page.locator('form:not(.passkey) [name=token]').inputValue()
    return resend(one, {
      url: `${issuer}Account/Login`,
      fields: { token, passkeyState: signed.state, passkey: signed.answer },
    })
  }

  test('an answer that was made for another address, or without a look at who is there, signs nobody in', async () => {
    // Scripts of the test ask for options on pages that allow none.
    const one = await withPasskey('superuser', 'Work laptop', { bypassCSP: true })
    await signOut(one)
    expect(await signedAt(one, elsewhere, 'required')).toMatchObject({
      status: 400,
      html: expect.stringContaining(refused),
    })
    await one.cdp.send('WebAuthn.setUserVerified', {
      authenticatorId: one.authenticatorId,
      isUserVerified: false,
    })
    expect(await signedAt(one, issuer, 'discouraged')).toMatchObject({
      status: 400,
      html: expect.stringContaining(refused),
    })
    await one.cdp.send('WebAuthn.setUserVerified', {
      authenticatorId: one.authenticatorId,
      isUserVerified: true,
    })
    expect((await signedAt(one, issuer, 'required')).status).toBe(303)
    await one.close()
  })

  test('a passkey whose counter does not go up is refused, and its user is told in the security log', async () => {
    const one = await withPasskey('pricingmanager')
    await signOut(one)
    await signInWithPasskey(one)
    await one.page.waitForURL(issuer)
    const { authenticatorId } = one
    const { credentials } = await one.cdp.send('WebAuthn.getCredentials', { authenticatorId })
    const [credential] = credentials
    if (!credential) throw new Error('no credential')
    await one.cdp.send('WebAuthn.removeCredential', {
      authenticatorId,
      credentialId: credential.credentialId,
    })
    await one.cdp.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential, signCount: 0 },
    })
    await signOut(one)
    await signInWithPasskey(one)
    await one.page.getByRole('alert').getByText(refused).waitFor()
    expect((await actionsOf('pricingmanager')).at(-1)).toBe('PasskeyCopied')
    await one.close()
  })

  test('a browser that offers passkeys among the names of users signs in without the button', async () => {
    const one = await withPasskey('customer', 'Phone', { offersAmongNames: true })
    await signOut(one)
    await one.go('/Account/Login')
    await one.page.waitForURL((url) => !url.pathname.startsWith('/Account/Login'))
    expect((await actionsOf('customer')).slice(-2)).toEqual(['AddPasskey', 'LoginSucceeded'])
    await one.close()
  })

  test('a passkey meets the rules that a password meets: inactive users, locks, and a password that must be changed', async () => {
    const one = await withPasskey('customeradmin')
    const user = await userIdOf('customeradmin')
    const signInAfter = async (change: ReturnType<typeof sql>) => {
      await auth.database.execute(sql`update "AbpUsers" set ${change} where "Id" = ${user}`)
      await signOut(one)
      await signInWithPasskey(one)
    }
    await signInAfter(sql`"IsActive" = false`)
    await one.page.getByRole('alert').getByText('your account is not active').waitFor()
    await signInAfter(sql`"IsActive" = true, "LockoutEnd" = now() + interval '1 hour'`)
    await one.heading('Sign-in is locked for now')
    await signInAfter(sql`"LockoutEnd" = null, "ShouldChangePasswordOnNextLogin" = true`)
    await one.heading('Choose a new password')
    await one.close()
  })

  test('a passkey of a user who became external neither signs in nor confirms, and an external user adds none', async () => {
    const { id } = await auth.host
      .get(UserDirectory)
      .create({ userName: 'elsewhere', email: 'elsewhere@keel.local' })
    await auth.database.execute(sql`
      update "AbpUsers" set "PasswordHash" = (select "PasswordHash" from "AbpUsers" where "UserName" = 'operator') where "Id" = ${id}`)
    const one = await withPasskey('elsewhere')
    await auth.database.execute(sql`update "AbpUsers" set "IsExternal" = true where "Id" = ${id}`)
    await signOut(one)
    await signInWithPasskey(one)
    await one.page.getByRole('alert').getByText(refused).waitFor()
    expect(await actionsOf('elsewhere')).toEqual(['LoginSucceeded', 'AddPasskey', 'PasskeyRefused'])
    await silence(one)
    await signInWithPassword(one, 'elsewhere')
    await one.go('/Account/Passkeys')
    await one.page.getByText('Passkeys do not sign you in here.').waitFor()
    expect(await one.page.getByRole('link', { name: 'Add a passkey' }).count()).toBe(0)
    await one.go('/Account/PasskeySetup')
    expect(new URL(one.page.url()).pathname).toBe('/Account/Passkeys')
    await one.go('/Account/Confirm')
    await one.heading('Confirm that it is you')
    expect(await one.page.locator('form.passkey').count()).toBe(0)
    await one.go('/Account/Passkeys')
    await one.press('Remove the passkey Work laptop')
    await one.page.getByText('The passkey was removed').waitFor()
    await one.close()
  })

  test('nobody has more passkeys than the setting says, and the server takes none that was not made for its page', async () => {
    const one = await withPasskey('admin', 'First')
    const { cdp } = one
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'usb',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await one.go('/Account/PasskeySetup')
    const token = await one.page.locator('form.passkey [name=token]').inputValue()
    const forged = await resend(one, {
      url: `${issuer}Account/PasskeySetup`,
      fields: { token, name: 'Forged', passkeyState: 'x', passkey: '{}' },
    })
    expect(forged).toMatchObject({
      status: 400,
      html: expect.stringContaining('The passkey could not be checked'),
    })
    await one.page.locator('#name').fill('Second')
    await one.press('Create the passkey')
    await one.page.getByRole('status').waitFor()
    await one.go('/Account/PasskeySetup')
    await one.page.getByRole('alert').getByText('You can have 2 passkeys at most.').waitFor()
    await one.close()
  })

  test('too many refused passkeys from one address have to wait', async () => {
    const one = await visitor()
    await silence(one)
    await one.go('/Account/Login')
    const token = await one.page.locator('form:not(.passkey) [name=token]').inputValue()
    await auth.database.execute(sql`update "AppAccountLimits" set "Count" = 100 where "Count" > 0`)
    const fields = { token, passkeyState: 'x', passkey: '{}' }
    const statuses = new Set<number>()
    for (let attempt = 0; attempt < 101 && !statuses.has(429); attempt++)
      statuses.add((await resend(one, { url: `${issuer}Account/Login`, fields })).status)
    expect(statuses.has(429)).toBe(true)
    await auth.database.execute(sql`delete from "AppAccountLimits"`)
    await one.close()
  })

  test('while the setting is off nothing is offered and no passkey signs anybody in', async () => {
    const one = await visitor()
    await one.go('/Account/Login')
    const token = await one.page.locator('form:not(.passkey) [name=token]').inputValue()
    await auth.host.get(StoredSettings).setForEverybody({ 'Abp.Account.Passkey.Enabled': false })
    await expect.poll(async () => (await auth.fetch('/Account/PasskeyOptions')).status, patience).toBe(404)
    await one.go('/Account/Login')
    expect(await one.page.locator('form.passkey, script').count()).toBe(0)
    const answer = await resend(one, {
      url: `${issuer}Account/Login`,
      fields: { token, passkeyState: 'x', passkey: '{}' },
    })
    expect(answer).toMatchObject({ status: 400, html: expect.stringContaining(refused) })
    await auth.host.get(StoredSettings).setForEverybody({ 'Abp.Account.Passkey.Enabled': true })
    await expect.poll(async () => (await auth.fetch('/Account/PasskeyOptions')).status, patience).toBe(200)
    await one.close()
  })

  test('pages with passkeys run one file of ours alone, and without script they are as they were', async () => {
    const { headers } = await auth.fetch('/Account/Login')
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src http:\/\/localhost:4801\/account\.[0-9a-f]{12}\.js; connect-src http:\/\/localhost:4801\/Account\/PasskeyOptions; style-src 'self';/,
    )
    const one = await visitor({ javaScriptEnabled: false })
    await signInWithPassword(one, 'operator')
    await one.go('/Account/Login')
    expect(await one.page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(false)
    await one.go('/Account/PasskeySetup')
    expect(await one.page.getByText('This browser cannot create passkeys here.').isVisible()).toBe(true)
    await one.close()
  })

  // German words are long. In the long form also English ones, and windows that are narrow from the beginning.
  test.each([
    ['in both sizes', { ...sizes['desktop-light'], locale: 'de' }],
    ...(isLong
      ? ([
          ['desktop-light', sizes['desktop-light']],
          ['phone-dark', sizes['phone-dark']],
          ['phone-light-de', { ...sizes['phone-dark'], colorScheme: 'light', locale: 'de' }],
        ] as const)
      : []),
  ] as const)(
    'axe-core finds nothing on the pages of passkeys (%s), and nothing is cut off',
    async (variant, options) => {
      const photograph = photographer(`passkeys-${variant.replaceAll(' ', '-')}`)
      const faults: string[] = []
      const one = await visitor(options)
      const check = async (place: string, rules?: readonly string[]) => {
        const here = [...(await axeFaults(one.page, { rules })), ...(await widthFaults(one.page))]
        faults.push(...here.map((fault) => `${place}: ${fault}`))
        await photograph(place, one.page)
      }
      const look = (name: string) =>
        variant === 'in both sizes'
          ? inBothSizes(one.page, (size) =>
              check(`${name}-${size}`, size === 'phone-dark' ? rulesOfAppearance : undefined),
            )
          : check(name)
      await auth.database.execute(sql`delete from "AbpUserPasskeys"`)
      await silence(one)
      await one.go('/Account/Login')
      await one.page.locator('form.passkey button').waitFor()
      await look('login')
      await one.cdp.send('WebAuthn.setUserVerified', {
        authenticatorId: one.authenticatorId,
        isUserVerified: false,
      })
      await answers(one)
      await one.page.locator('form.passkey button').click()
      await one.page.locator('.passkey-fault:not([hidden])').waitFor()
      await look('login-none')
      await one.cdp.send('WebAuthn.setUserVerified', {
        authenticatorId: one.authenticatorId,
        isUserVerified: true,
      })
      await one.page.locator('#userName').fill('operator')
      await one.page.locator('#password').fill(password)
      await one.page.locator('form:not(.passkey) button').first().click()
      await one.page.waitForURL(issuer)
      await one.go('/Account/Passkeys')
      await look('passkeys-none')
      await one.go('/Account/PasskeySetup')
      await one.page.locator('#name').waitFor()
      await look('passkey-setup')
      await one.page
        .locator('#name')
        .fill('Work laptop with a rather long name, as people write them at times')
      await one.page.locator('form.passkey button').click()
      await one.page.getByRole('status').waitFor()
      await one.page.locator('details:not(.menu) summary').click()
      await look('passkeys')
      await one.go('/Account/Confirm')
      await one.page.locator('form.passkey button').waitFor()
      await look('confirm')
      expect(faults).toEqual([])
      await one.close()
    },
    60_000,
  )
})
