import { AccountAppService, LinkedAccounts, LinkUserAppService } from '@keel/account/contracts'
import { ambient, withAmbient } from '@keel/framework'
import { sql } from '@keel/framework/data'
import { Passwords, UserDirectory } from '@keel/identity/contracts'
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMailFolder, type MailFolder } from '../account/mails.js'
import { type AuthHost, password, startAuthHost } from './auth-host.js'
import type { Arrival, Browser } from './browser.js'
import { seedClients } from './seed-clients.js'
import { authorizationRequest } from './sign-in.js'

const selfRegistration = 'Settings:Abp.Account.IsSelfRegistrationEnabled'
const portal = { client_id: 'portal', redirect_uri: 'http://localhost:4200/portal' }

let auth: AuthHost
let mails: MailFolder

beforeAll(async () => {
  mails = await createMailFolder()
  auth = await startAuthHost({ settings: { 'Mail:Folder': mails.path, [selfRegistration]: 'true' } })
  await seedClients(auth, {
    ClientId: portal.client_id,
    DisplayName: 'Customer portal',
    ConsentType: 'explicit',
    GrantTypes: ['authorization_code', 'refresh_token'],
    Scopes: ['email', 'roles', 'Core'],
    RedirectUris: [portal.redirect_uri],
  })
})
afterAll(async () => {
  await auth?.close()
  await mails.remove()
})

const newUser = (userName: string, more: object = {}) =>
  auth.host
    .get(UserDirectory)
    .create({ userName, email: `${userName}@example.com`, password: 'Abc-Crane5', ...more })

async function signedIn(
  userName: string,
  secret = 'Abc-Crane5',
  returnUrl = '/Account/Manage',
): Promise<Browser> {
  const browser = auth.browser()
  const page = await browser.open(`/Account/Login?ReturnUrl=${encodeURIComponent(returnUrl)}`)
  const arrival = await browser.submit(page, { userName, password: secret })
  expect([arrival.status, titleOf(arrival)]).toEqual([200, 'My account'])
  return browser
}

const titleOf = ({ html }: Arrival): string | undefined => /<h1>([^<]*)<\/h1>/.exec(html)?.[1]

const forms = [
  '/Account/Login',
  '/Account/Register',
  '/Account/ForgotPassword',
  '/Account/ResendConfirmation',
  '/Account/Manage',
  '/Account/ChangePassword',
  '/Account/TwoFactorSetup',
  '/Account/Sessions',
]

test.each(forms)('the form of %s is refused without the token of this browser, and says so', async (path) => {
  await newUser(`csrf${forms.indexOf(path)}`)
  const browser = await signedIn(`csrf${forms.indexOf(path)}`)
  const stranger = await auth.browser().open('/Account/Login')
  const theirs = /name="token" value="([^"]+)"/.exec(stranger.html)?.[1] ?? ''
  const page = await browser.open(path)
  for (const token of ['', 'forged', theirs]) {
    const refused = await browser.submit(page, {
      token,
      action: 'off',
      newPassword: 'New-Crane5',
      email: 'a@example.com',
    })
    expect([refused.status, refused.html.includes('The page was open for too long')]).toEqual([400, true])
  }
})

const ownPages = [
  '/Account/Manage',
  '/Account/ChangePassword',
  '/Account/TwoFactor',
  '/Account/TwoFactorSetup',
  '/Account/Sessions',
  '/Account/Applications',
  '/Account/ExternalLogins',
]

test.each(ownPages)(
  'the form of %s leads to the sign-in and back when the cookies are gone',
  async (path) => {
    const body = new URLSearchParams({ token: 'lost', name: 'x' })
    const answer = await auth.fetch(path, { method: 'POST', body, redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `/Account/Login?ReturnUrl=${encodeURIComponent(path)}`,
    ])
  },
)

test('a form of one session counts in no other one, although its cookie was planted there', async () => {
  const [attacker, victim] = [await newUser('planter'), await newUser('planted')]
  const theirs = await signedIn(attacker.userName)
  const page = await theirs.open('/Account/Manage')
  const anonymous = auth.browser()
  const login = await anonymous.open('/Account/Login')
  for (const [from, { html }] of [
    [theirs, page],
    [anonymous, login],
  ] as const) {
    const browser = await signedIn(victim.userName)
    browser.plant('keel.antiforgery', from.cookie('keel.antiforgery'))
    const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? ''
    const own = await browser.open('/Account/Manage')
    const refused = await browser.submit(own, { token, name: 'Mallory' }, 'name="surname"')
    expect([refused.status, refused.html.includes('The page was open for too long')]).toEqual([400, true])
  }
  expect((await auth.host.get(UserDirectory).find(victim.id))?.name ?? null).toBe(null)
})

test.each([
  '/',
  '/Account/Login',
  '/Account/Register',
  '/Account/ForgotPassword',
  '/connect/verify',
  '/nowhere',
])('no other site can frame %s, and nothing keeps it', async (path) => {
  const { headers } = await auth.fetch(path, { headers: { accept: 'text/html' } })
  expect(headers.get('x-frame-options')).toBe('DENY')
  expect(headers.get('content-security-policy') ?? "frame-ancestors 'none'").toContain(
    "frame-ancestors 'none'",
  )
})

test.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/.//evil.example',
  'javascript:alert(1)',
])('the return address %s leads nowhere else, on whichever page', async (asked) => {
  const browser = auth.browser()
  const query = `?ReturnUrl=${encodeURIComponent(asked)}`
  const home = await browser.submit(await browser.open(`/Account/Login${query}`), {
    userName: 'operator',
    password,
  })
  expect([home.callback, titleOf(home)]).toEqual([undefined, 'Sign-in service'])
  for (const path of ['/Account/Login', '/Account/Register', '/Account/ForgotPassword'])
    expect((await auth.browser().open(path + query)).html).not.toMatch(/href="[^"?]*evil/)
})

test('a session that somebody planted in the browser is worth nothing after the sign-in', async () => {
  const thief = await signedIn('operator', password)
  const planted = thief.cookie('keel.session')
  const victim = auth.browser()
  victim.plant('keel.session', planted)
  victim.plant('keel.session.sig', thief.cookie('keel.session.sig'))
  await newUser('victim')
  const page = await victim.open('/Account/Login?ReturnUrl=/Account/Manage')
  const home = await victim.submit(page, { userName: 'victim', password: 'Abc-Crane5' })
  expect(home.html).toContain('value="victim"')
  expect(victim.cookie('keel.session')).not.toBe(planted)
  expect((await thief.open('/Account/Manage')).html).not.toContain('value="victim"')
})

test('a form that another site sends is refused although it has cookie and token', async () => {
  const page = await auth.fetch('/Account/ForgotPassword')
  const cookie = page.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const token = /name="token" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const send = async (site: string) =>
    (
      await auth.fetch('/Account/ForgotPassword', {
        method: 'POST',
        headers: { cookie, 'sec-fetch-site': site },
        body: new URLSearchParams({ token, email: 'nobody@example.com' }),
      })
    ).status
  expect([await send('cross-site'), await send('same-site'), await send('same-origin')]).toEqual([
    400, 400, 200,
  ])
})

test('who forgot their password is told the same whether there is such an account', async () => {
  await newUser('forgetful')
  const [known, unknown] = await Promise.all(
    ['forgetful@example.com', 'nobody-here@example.com'].map(async (email) => {
      const browser = auth.browser()
      const answer = await browser.submit(await browser.open('/Account/ForgotPassword'), { email })
      return [answer.status, answer.html.replaceAll(email, '…').replace(/ReturnUrl=[^"]*/g, '')]
    }),
  )
  expect(known).toEqual(unknown)
  const link = new URL(/http:\S+/.exec((await mails.to('forgetful@example.com'))[0]?.text ?? '')?.[0] ?? '')
  expect(link.origin + link.pathname).toBe('http://login.keel.test/Account/ResetPassword')
})

test('who is sent to sign in with another account has both linked, but only where they were signed in to the first', async () => {
  const [one, two] = [await newUser('twin-one'), await newUser('twin-two')]
  const links = auth.host.get(LinkUserAppService)
  const principal = {
    kind: 'user',
    userId: one.id,
    userName: one.userName,
    provenAt: new Date(),
    roles: [],
    permissions: new Set(),
  }
  const token = await withAmbient({ ...ambient(), principal: principal as never }, () =>
    links.generateLinkToken(),
  )
  const query = new URLSearchParams({ LinkUserId: one.id, LinkToken: token, ReturnUrl: '/Account/Manage' })
  const linkTwo = async (browser: Browser) =>
    titleOf(
      await browser.submit(await browser.open(`/Account/Login?${query}`), {
        userName: two.userName,
        password: 'Abc-Crane5',
      }),
    )
  const areLinked = () => auth.host.get(LinkedAccounts).areLinked(one.id, two.id)
  expect([await linkTwo(auth.browser()), await areLinked()]).toEqual([
    'This link does not work any more',
    false,
  ])
  const own = await signedIn(one.userName)
  expect([await linkTwo(own), await areLinked()]).toEqual(['My account', true])
})

test('who asks for the mail to confirm their address again gets it, and is told the same as others', async () => {
  await newUser('unconfirmed')
  const answers = await Promise.all(
    ['unconfirmed@example.com', 'nobody-at-all@example.com'].map(async (email) => {
      const browser = auth.browser()
      const answer = await browser.submit(await browser.open('/Account/ResendConfirmation'), { email })
      return [answer.status, answer.html.replaceAll(email, '…')]
    }),
  )
  expect(answers[0]).toEqual(answers[1])
  const [mail] = await mails.to('unconfirmed@example.com')
  expect(/http:\S+/.exec(mail?.text ?? '')?.[0]).toContain(
    'http://login.keel.test/Account/EmailConfirmation?',
  )
})

test.each(['/Account/ForgotPassword', '/Account/ResendConfirmation'])(
  '%s leaves the same work behind its answer whether anybody has the address, and refuses the sixth time alike',
  async (path) => {
    const known = `asked-${path.length}`
    await newUser(known)
    const counted = async (): Promise<number> => {
      const [found] = await auth.database.query<{ count: number }>(
        sql`select count(*)::int as count from "AbpBackgroundJobs" where "JobName" = 'Account.AskedMail'`,
      )
      return found?.count ?? 0
    }
    for (const email of [`${known}@example.com`, `no-${known}@example.com`]) {
      const browser = auth.browser()
      const before = await counted()
      const statuses: number[] = []
      for (let attempt = 0; attempt < 6; attempt++)
        statuses.push((await browser.submit(await browser.open(path), { email })).status)
      expect([statuses, (await counted()) - before]).toEqual([[200, 200, 200, 200, 200, 429], 5])
    }
  },
)

test('a link to reset a password works once, and goes back to the request that waited', async () => {
  await newUser('returning')
  const browser = auth.browser()
  const login = await browser.open(authorizationRequest().address)
  const forgot =
    /href="(\/Account\/ForgotPassword[^"]*)"/.exec(login.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  await browser.submit(await browser.open(forgot), { email: 'returning@example.com' })
  const mail = (await mails.to('returning@example.com'))[0]
  const link = new URL(/http:\S+/.exec(mail?.text ?? '')?.[0] ?? '')
  const address = link.pathname + link.search
  const form = await browser.open(address)
  const again = { newPassword: 'New-Crane5', confirmation: 'New-Crane5' }
  const done = await browser.submit(form, again)
  const [, next = ''] = /class="button" href="([^"]+)"/.exec(done.html) ?? []
  const waiting = await browser.open(next.replaceAll('&amp;', '&'))
  const arrival = await browser.submit(waiting, { userName: 'returning', password: 'New-Crane5' })
  expect(arrival.callback?.searchParams.get('code')).toBeTruthy()
  expect(titleOf(await browser.submit(form, again))).toBe('This link does not work any more')
})

test('nobody registers where the settings do not let them', async () => {
  const closed = await startAuthHost({ beside: auth, settings: { [selfRegistration]: 'false' } })
  try {
    const browser = closed.browser()
    const login = await browser.open('/Account/Login')
    const page = await browser.open('/Account/Register')
    expect([login.html.includes('/Account/Register'), page.status]).toEqual([false, 403])
  } finally {
    await closed.close()
  }
})

test('what is taken or weak is told at its field, and what was typed stays', async () => {
  const browser = auth.browser()
  const page = await browser.open('/Account/Register')
  const taken = {
    userName: 'ADMIN',
    emailAddress: 'new@example.com',
    newPassword: 'Abc-Crane5',
    confirmation: 'Abc-Crane5',
  }
  const answer = await browser.submit(page, taken)
  expect(answer.html).toMatch(/id="userName-fault"><span>The user name ADMIN is already taken\./)
  expect(answer.html).toContain('value="new@example.com"')
  expect(answer.html).not.toContain('Abc-Crane5')
})

test('a browser that was remembered is asked for no code, and another one is', async () => {
  const user = await newUser('kim', { isEmailConfirmed: true })
  const browser = await signedIn('kim')
  const setUp = await browser.open('/Account/TwoFactorSetup')
  const key = /class="key">([^<]+)</.exec(setUp.html)?.[1]?.replaceAll(' ', '') ?? ''
  expect(setUp.html).toContain('<svg viewBox')
  const codes = await browser.submit(setUp, { code: new TOTP({ secret: key }).generate() })
  const [first = '', second = ''] = [...codes.html.matchAll(/<li><code>([^<]+)</g)].map(([, code]) => code)
  const attempt = async (code: string, remember: boolean) => {
    const step = await browser.submit(await browser.open('/Account/Login'), {
      userName: 'kim',
      password: 'Abc-Crane5',
    })
    if (titleOf(step) !== 'Second step') return titleOf(step)
    return titleOf(await browser.submit(step, { code, ...(remember && { rememberBrowser: 'true' }) }))
  }
  expect(await attempt(first, true)).toBe('Sign-in service')
  const again = await browser.submit(await browser.open('/Account/Login'), {
    userName: 'kim',
    password: 'Abc-Crane5',
  })
  const other = auth.browser()
  const elsewhere = await other.submit(await other.open('/Account/Login'), {
    userName: 'kim',
    password: 'Abc-Crane5',
  })
  expect([titleOf(again), titleOf(elsewhere)]).toEqual(['Sign-in service', 'Second step'])
  await auth.host.get(UserDirectory).changeSecurityStamp(user.id)
  expect(await attempt(second, false)).toBe('Sign-in service')
  expect((await browser.open('/Account/TwoFactorSetup')).html).not.toContain(key)
})

test('who has to choose a new password gets no further without, not even with a forged step', async () => {
  const user = await newUser('fresh', { shouldChangePasswordOnNextLogin: true })
  const browser = auth.browser()
  const page = await browser.open(authorizationRequest().address)
  const step = await browser.submit(page, { userName: 'fresh', password: 'Abc-Crane5' })
  expect(titleOf(step)).toBe('Choose a new password')
  expect(step.html).toContain('Your password was set by somebody else.')
  const next = { newPassword: 'New-Crane5', confirmation: 'New-Crane5' }
  const forgeries: Record<string, string>[] = [
    { methods: 'pwd otp mfa' },
    { userId: '00000000-0000-0000-0000-000000000000' },
    { renewalToken: 'x' },
  ]
  for (const forged of forgeries)
    expect((await browser.submit(step, { ...next, ...forged })).callback).toBeUndefined()
  const same = await browser.submit(step, { newPassword: 'Abc-Crane5', confirmation: 'Abc-Crane5' })
  expect(same.html).toContain('Choose another password than the one you have.')
  const different = await browser.submit(step, { newPassword: 'New-Crane5', confirmation: 'New124*' })
  expect(different.html).toContain('id="confirmation-fault"')
  const { callback } = await browser.submit(step, next)
  expect(callback?.searchParams.get('code')).toBeTruthy()
  expect((await auth.host.get(UserDirectory).find(user.id))?.shouldChangePasswordOnNextLogin).toBe(false)
})

test('consent is asked for once and again for more, and no is told to the client', async () => {
  const { id } = await newUser('giver')
  const asking = (scope: string) => authorizationRequest({ ...portal, scope }).address
  const browser = await signedIn('giver')
  const asked = await browser.open(asking('openid email'))
  expect([titleOf(asked), asked.html.includes('see your e-mail address')]).toEqual([
    'Customer portal asks for access',
    true,
  ])
  const refused = await browser.submit(asked, { action: 'deny' })
  expect(refused.callback?.searchParams.get('error')).toBe('access_denied')
  const sessions = await auth.database.query(sql`select 1 from "AbpSessions" where "UserId" = ${id}`)
  expect(sessions).toEqual([])
  const allowed = await browser.submit(await browser.open(asking('openid email')), { action: 'allow' })
  const silent = await (await signedIn('giver')).open(asking('openid email'))
  expect([allowed, silent].map(({ callback }) => callback?.searchParams.has('code'))).toEqual([true, true])
  const more = await browser.open(asking('openid email roles'))
  expect(titleOf(more)).toBe('Customer portal asks for access')
  const none = await browser.open(
    authorizationRequest({ ...portal, scope: 'openid roles', prompt: 'none' }).address,
  )
  expect(none.callback?.searchParams.get('error')).toBe('consent_required')
  const rows = await auth.database.query(sql`
    select "Scopes" as scopes, "Status" as status from "OpenIddictAuthorizations" where "Subject" = ${id} and "Type" = 'permanent'`)
  expect(rows).toEqual([{ scopes: '["openid","email"]', status: 'valid' }])
})

test('who chooses another account signs in with it', async () => {
  await newUser('first')
  await newUser('other')
  const browser = await signedIn('first')
  const choice = await browser.open(authorizationRequest({ prompt: 'select_account' }).address)
  const form = await browser.submit(choice, { action: 'other' })
  const arrival = await browser.submit(form, { userName: 'other', password: 'Abc-Crane5' })
  expect([
    titleOf(choice),
    titleOf(form),
    titleOf(arrival),
    arrival.callback?.searchParams.has('code'),
  ]).toEqual(['Choose an account', 'Sign in', undefined, true])
  expect((await browser.open('/Account/Manage')).html).toContain('value="other"')
})

test('a button of the profile that saves nothing loses no name that was typed', async () => {
  const user = await newUser('unsaved')
  const browser = await signedIn('unsaved')
  const shownIn = ({ html }: Arrival, name: string) =>
    new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1]
  const typed = {
    userName: 'unsaved',
    name: 'Ada &amp; Co',
    surname: '',
    email: 'other@example.com',
    phoneNumber: '',
  }
  const form = { ...typed, name: 'Ada & Co' }

  const sent = await browser.submit(
    await browser.open('/Account/Manage'),
    { ...form, action: 'confirm' },
    'email',
  )
  expect(Object.keys(typed).map((name) => [name, shownIn(sent, name)])).toEqual(Object.entries(typed))
  expect(sent.html).toContain('is on its way to unsaved@example.com.')
  expect(sent.html).toContain('What you typed is not saved yet')
  expect((await mails.to('unsaved@example.com'))[0]?.text).toContain('/Account/EmailConfirmation?')
  const visited = await browser.submit(sent, { ...form, action: 'confirm-phone' }, 'email')
  expect(titleOf(visited)).not.toBe('My account')
  const back = await browser.open('/Account/Manage')
  expect([shownIn(back, 'name'), shownIn(back, 'email')]).toEqual([typed.name, typed.email])
  expect(await auth.host.get(UserDirectory).find(user.id)).toMatchObject({ name: null, email: user.email })

  const unchanged = { ...form, name: '', email: user.email }
  const nothing = await browser.submit(back, { ...unchanged, action: 'confirm' }, 'email')
  expect(nothing.html).not.toContain('not saved yet')
})

test('pages about an account are for who is signed in, and show nobody else’s sessions', async () => {
  const login = await auth.browser().open('/Account/Sessions')
  expect(titleOf(login)).toBe('Sign in')
  const [one, other] = [await signedIn('customer', password), await signedIn('pricing', password)]
  await one.open(authorizationRequest().address)
  const mine = await one.open('/Account/Sessions')
  const id = /name="session" value="([^"]+)"/.exec(mine.html)?.[1] ?? ''
  await other.submit(await other.open('/Account/Sessions'), { session: id })
  expect((await one.open('/Account/Sessions')).html).toContain(id)
  await one.submit(mine, { session: id })
  expect((await auth.browser().open('/Account/Sessions')).html).not.toContain(id)
})

test('other browsers that let no application in are counted, and can be ended', async () => {
  await newUser('commuter')
  const [one, other] = [await signedIn('commuter'), await signedIn('commuter')]
  const before = await one.open('/Account/Sessions')
  const told = 'Other browsers that are signed in to your account: 1'
  expect([before.html.includes(told), before.html.includes('value="others"')]).toEqual([true, true])
  const after = await one.submit(before, { action: 'others' })
  expect([after.html.includes('Other browsers'), after.html.includes('value="others"')]).toEqual([
    false,
    false,
  ])
  expect(titleOf(await other.open('/Account/Manage'))).toBe('Sign in')
})

test('sessions come in pages, that of this browser is marked, and all others are ended at once', async () => {
  const { id } = await newUser('traveller')
  await auth.database.execute(sql`
    insert into "AbpSessions" ("Id", "SessionId", "Device", "UserId", "SignedIn", "ExtraProperties")
    select gen_random_uuid(), 'old ' || n, 'OAuth', ${id}, now() - interval '1 day', '{}' from generate_series(1, 12) n`)
  const [one, other] = [await signedIn('traveller'), await signedIn('traveller')]
  await other.open(authorizationRequest().address)
  await one.open(authorizationRequest().address)
  const shown = ({ html }: Arrival): [rows: number, marks: number, others: boolean] => [
    html.split('name="session"').length - 1,
    html.split('>This browser<').length - 1,
    html.includes('value="others"'),
  ]
  const first = await one.open('/Account/Sessions')
  expect([shown(first), first.html.includes('href="/Account/Sessions?page=1" rel="next"')]).toEqual([
    [10, 1, true],
    true,
  ])
  // The newest stands at the top.
  expect(first.html.indexOf('>This browser<')).toBeLessThan(first.html.indexOf('name="session"'))
  expect(shown(await one.open('/Account/Sessions?page=1'))).toEqual([4, 0, true])
  const ended = await one.submit(first, { action: 'others' })
  expect([ended.html.includes('All other sessions were ended.'), shown(ended)]).toEqual([true, [1, 1, false]])
  expect([titleOf(await one.open('/Account/Manage')), titleOf(await other.open('/Account/Manage'))]).toEqual([
    'My account',
    'Sign in',
  ])
})

test('after a change of the password this browser stays signed in, and others do not', async () => {
  await newUser('changer')
  const [one, other] = [await signedIn('changer'), await signedIn('changer')]
  const next = { currentPassword: 'Abc-Crane5', newPassword: 'New-Crane5', confirmation: 'New-Crane5' }
  const wrong = await one.submit(await one.open('/Account/ChangePassword'), { ...next, currentPassword: 'x' })
  expect(wrong.html).toContain('id="currentPassword-fault"')
  const done = await one.submit(await one.open('/Account/ChangePassword'), next)
  expect(done.html).toContain('Your password was changed.')
  expect([titleOf(await one.open('/Account/Manage')), titleOf(await other.open('/Account/Manage'))]).toEqual([
    'My account',
    'Sign in',
  ])
})

test('a browser that somebody left signed in finds no password by trying one after the other', async () => {
  const user = await newUser('tried')
  const browser = await signedIn('tried')
  const next = { newPassword: 'New-Crane5', confirmation: 'New-Crane5' }
  for (const currentPassword of ['1', '2', '3', '4', '5', 'Abc-Crane5']) {
    const page = await browser.open('/Account/ChangePassword')
    const refused = await browser.submit(page, { ...next, currentPassword })
    expect(refused.html).toContain('id="currentPassword-fault"')
  }
  expect(await auth.host.get(Passwords).verify(user.id, 'Abc-Crane5')).toBe(true)
})

test('the rules of accounts are behind pages here, and answer no call of the API', async () => {
  expect(auth.host.get(AccountAppService)).toBeDefined()
  const { status } = await auth.fetch('/api/account/register', { method: 'POST', body: '{}' })
  expect(status).toBe(404)
})

test('name, logo and colours are those of the configuration, and can be read', async () => {
  const branded = await startAuthHost({
    beside: auth,
    settings: {
      'App:WhiteLabeling:AppName': 'Harbour & Sons',
      'App:WhiteLabeling:LogoUrl': 'https://cdn.example.com/logo.svg',
      'App:WhiteLabeling:PrimaryColor': '#ffcc00',
    },
  })
  try {
    const page = await branded.fetch('/Account/Login')
    const html = await page.text()
    expect(html).toContain('<title>Sign in · Harbour &amp; Sons</title>')
    expect(html).toContain('<img src="https://cdn.example.com/logo.svg" alt="">')
    expect(page.headers.get('content-security-policy')).toContain('img-src data: https://cdn.example.com;')
    const style = await (await branded.fetch(/href="(\/account\.[^"]+)"/.exec(html)?.[1] ?? '')).text()
    expect(style).toMatch(/--accent: #(?!ffcc00)[0-9a-f]{6}; --on-accent: #ffffff;/)
  } finally {
    await branded.close()
  }
})
