import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthHost, password, startAuthHost } from './auth-host.js'
import { authorizationRequest, signIn } from './sign-in.js'

let auth: AuthHost

beforeAll(async () => {
  auth = await startAuthHost()
})
afterAll(() => auth.close())

test('the page needs no script and forbids all of it, and other sites can not frame it', async () => {
  const { html } = await auth.browser().open(authorizationRequest().address)
  const { headers } = await auth.fetch('/Account/Login')
  expect(html).not.toMatch(/<script|<style|\son\w+=|\sstyle=/)
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  )
  expect([headers.get('x-frame-options'), headers.get('cache-control')]).toEqual(['DENY', 'no-store'])
})

test('the style sheet may be kept for ever under its name, and under the name of another version is not kept', async () => {
  const { html } = await auth.browser().open('/')
  const path = /<link rel="stylesheet" href="([^"]+)">/.exec(html)?.[1] ?? ''
  const answers = await Promise.all([auth.fetch(path), auth.fetch('/account.000000000000.css')])
  expect(
    answers.map(({ status, headers }) => [status, headers.get('content-type'), headers.get('cache-control')]),
  ).toEqual([
    [200, 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    [200, 'text/css; charset=utf-8', 'no-store'],
  ])
})

test('the wrong password shows the form again with what was typed, escaped', async () => {
  const browser = auth.browser()
  const page = await browser.open(authorizationRequest().address)
  const again = await browser.submit(page, { userName: '"><script>', password: 'wrong' })
  expect(again.status).toBe(400)
  expect(again.html).toContain('The user name or the password is wrong.')
  expect(again.html).toContain('&quot;&gt;&lt;script&gt;')
})

test.each([
  ['de', 'Der Benutzername oder das Passwort ist falsch.'],
  ['fr', 'Le nom d’utilisateur ou le mot de passe est incorrect.'],
  ['zh-Hans', '用户名或密码错误。'],
])(
  'an application that asks for it in %s gets the page and its errors in that language',
  async (culture, error) => {
    const browser = auth.browser()
    const page = await browser.open(authorizationRequest({ culture, 'ui-culture': culture }).address)
    expect(page.html).toContain(`<html lang="${culture}">`)
    const again = await browser.submit(page, { userName: 'customer', password: 'wrong' })
    expect(again.html).toContain(error)
  },
)

test('without such a wish the page speaks the language of the browser', async () => {
  const response = await auth.fetch('/Account/Login', { headers: { 'accept-language': 'tr-TR,tr;q=0.9' } })
  expect(await response.text()).toContain('Kullanıcı adı veya e-posta adresi')
})

test('a form that this browser was not shown does nothing', async () => {
  const browser = auth.browser()
  const page = await browser.open(authorizationRequest().address)
  const refused = await browser.submit(page, { userName: 'customer', password, token: 'forged' })
  expect([refused.status, refused.callback]).toEqual([400, undefined])
})

test('a sign-in belongs to the browser that began it', async () => {
  const page = await auth.browser().open(authorizationRequest().address)
  const action = /action="([^"]+)"/.exec(page.html)?.[1] ?? ''
  expect((await auth.browser().open(action)).html).toContain('Please start again')
})

test('two tabs get each their own answer', async () => {
  const browser = auth.browser()
  const one = await browser.open(authorizationRequest({ state: 'one' }).address)
  const two = await browser.open(authorizationRequest({ state: 'two' }).address)
  const first = await browser.submit(one, { userName: 'operator', password })
  const second = await browser.submit(two, { userName: 'operator', password })
  expect([first, second].map(({ callback }) => callback?.searchParams.get('state'))).toEqual(['one', 'two'])
})

test('cancelling returns to the client with access_denied', async () => {
  const browser = auth.browser()
  const page = await browser.open(authorizationRequest().address)
  const { callback } = await browser.submit(page, { action: 'cancel' })
  expect(callback?.searchParams.get('error')).toBe('access_denied')
})

test('signing in without a client stays on the server, whatever return address is asked for, and counts for clients', async () => {
  const browser = auth.browser()
  const page = await browser.open('/Account/Login?ReturnUrl=%2F%2Fexample.com')
  const home = await browser.submit(page, { userName: 'CUSTOMER@keel.local', password, rememberMe: 'true' })
  expect(home.html).toContain('You are signed in as customer.')
  expect((await browser.open(authorizationRequest().address)).callback?.searchParams.get('code')).toBeTruthy()
})

test('an inactive user is told so after the right password, and nothing after a wrong one', async () => {
  await auth.database.execute({
    text: `update "AbpUsers" set "IsActive" = false where "UserName" = 'pricing'`,
    values: [],
  })
  const browser = auth.browser()
  const wrong = await browser.submit(await browser.open(authorizationRequest().address), {
    userName: 'pricing',
    password: 'wrong',
  })
  expect(wrong.html).toContain('The user name or the password is wrong.')
  expect((await signIn(auth.browser(), authorizationRequest(), 'pricing')).html).toContain(
    'your account is not active',
  )
})
