import { sql } from '@keel/framework/data'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password } from '../../src/auth/auth-host.js'
import { authorizationRequest } from '../../src/auth/sign-in.js'
import { isLong } from '../../src/support/size.js'
import { axeFaults, inBothSizes, sizes, widthFaults } from './axe.js'
import { noBrowser } from './chromium.js'
import { type LoginUi, logo, photographer, portal, startLoginUi, tour } from './login-ui.js'

/** A tour has some forty pages, and two cores may have others to serve. */
const tourMs = 240_000
/** A page takes the focus when it is painted, a moment after it is there. */
const patience = { timeout: 10_000, interval: 20 }

const desktop: BrowserContextOptions = sizes['desktop-light']
const phone: BrowserContextOptions = sizes['phone-dark']

describe.skipIf(noBrowser)(`the login UI in a browser${noBrowser ? `: ${noBrowser}` : ''}`, () => {
  let ui: LoginUi

  beforeAll(async () => {
    ui = await startLoginUi()
  })
  afterAll(() => ui?.close())

  /** Faults of the pages of a tour, with the names of the pages. */
  async function found(
    options: BrowserContextOptions,
    look: (name: string, page: Page) => Promise<string[]>,
  ) {
    const context = await ui.open(options)
    const faults: string[] = []
    context.on('page', (page) =>
      page.on('console', (message) => {
        if (message.type() === 'error' && /Content.Security.Policy/i.test(message.text()))
          faults.push(message.text())
      }),
    )
    await tour(ui, context, async (name, page) => {
      faults.push(...(await look(name, page)).map((fault) => `${name}: ${fault}`))
    })
    await context.close()
    return faults
  }

  test('no page has a script, axe-core finds nothing on any in light colours, and no phone cuts anything off', {
    timeout: tourMs,
  }, async () => {
    const photograph = photographer('both-sizes')
    const look = async (name: string, page: Page) => {
      const faults = [...(await scriptFaults(page)), ...(await axeFaults(page))]
      await inBothSizes(page, async (size) => {
        faults.push(...(await widthFaults(page)).map((fault) => `${size}, ${fault}`))
        await photograph(`${name}-${size}`, page)
      })
      return faults
    }
    expect(await found(desktop, look)).toEqual([])
  })

  test.runIf(isLong).each([
    ['dark colours on a phone', 'phone-dark', phone],
    ['light colours on a phone', 'phone-light', { ...phone, colorScheme: 'light' }],
  ] as const)(
    'axe-core finds nothing on any page, in %s, where nothing is cut off',
    {
      timeout: tourMs,
    },
    async (_, variant, options) => {
      const photograph = photographer(variant)
      const look = async (name: string, page: Page) => {
        await photograph(name, page)
        return [...(await axeFaults(page)), ...(await widthFaults(page))]
      }
      expect(await found(options, look)).toEqual([])
    },
  )

  // Pages that have no script do without.
  test.runIf(isLong)('every page does its work without script', { timeout: tourMs }, async () => {
    const options = { ...desktop, colorScheme: 'dark', javaScriptEnabled: false } as const
    expect(await found(options, async () => [])).toEqual([])
  })

  test('somebody with a keyboard alone signs in', async () => {
    const context = await ui.open(desktop)
    const page = await context.newPage()
    await page.goto(new URL(authorizationRequest().address, 'http://login.keel.test').href)
    await expect.poll(() => focused(page), patience).toBe('userName')
    await page.keyboard.type('operator')
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    for (const next of ['Forgot your password?', 'rememberMe', 'Sign in']) {
      await page.keyboard.press('Tab')
      expect([next, await isOutlined(page)]).toEqual([await focused(page), true])
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(/^http:\/\/localhost:4200\/\?code=/)
    await context.close()
  })

  test('all faults of a form come at once, named by their fields: the summary has the focus, its links lead to the fields', async () => {
    const context = await ui.open(desktop)
    const page = await context.newPage()
    await page.goto('http://login.keel.test/Account/Register')
    await page.locator('#userName').fill('admin')
    await page.locator('#emailAddress').fill('nobody')
    await page.locator('#newPassword').fill('weak')
    await page.getByRole('button', { name: 'Create an account' }).click()
    const summary = page.getByRole('alert')
    await summary.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.className'), patience).toBe('faults')
    expect(await page.title()).toMatch(/^Error: /)
    expect(await summary.getByRole('listitem').allInnerTexts()).toEqual([
      'User name: The user name admin is already taken.',
      'E-mail address: Enter an e-mail address such as name@example.com.',
      'New password: It still needs at least 6 characters, a symbol such as ! or -, a digit, and an uppercase letter.',
      'Confirm new password: Please fill this in.',
    ])
    await summary.getByRole('link').nth(1).click()
    await expect.poll(() => focused(page), patience).toBe('emailAddress')
    const field = page.locator('#emailAddress')
    expect([await field.getAttribute('aria-invalid'), await field.inputValue()]).toEqual(['true', 'nobody'])
    expect(await page.locator(`#${await field.getAttribute('aria-describedby')}`).innerText()).toBe(
      'Enter an e-mail address such as name@example.com.',
    )
    await context.close()
  })

  test('the rules of a password are one list, which tells at once and without script when all of them are kept', async () => {
    const context = await ui.open(desktop)
    const page = await context.newPage()
    await page.goto('http://login.keel.test/Account/Register')
    await page.locator('#newPassword').fill('weak')
    await page.getByRole('button', { name: 'Create an account' }).click()
    const rules = page.locator('#newPassword-rules').getByRole('listitem')
    expect(await rules.allTextContents()).toEqual([
      'Missing: at least 6 characters',
      'Missing: a symbol such as ! or -',
      'Missing: a digit',
      'Done: a lowercase letter',
      'Missing: an uppercase letter',
    ])
    const marks = () =>
      page.evaluate<string>(
        "[...document.querySelectorAll('.rules li')].map((item) => getComputedStyle(item, '::before').content).join(' ')",
      )
    for (const [typed, expected] of [
      ['Abc123', '"✗" "✗" "✗" "✓" "✗"'],
      ['Abc-Crane5', '"✓" "✓" "✓" "✓" "✓"'],
      ['abc123*', '"✗" "✗" "✗" "✓" "✗"'],
    ] as const) {
      await page.locator('#newPassword').fill(typed)
      expect([typed, await marks()]).toEqual([typed, expected])
    }
    await context.close()
  })

  test('consent tells whose application asks, what weighs most first, and lets somebody else sign in', async () => {
    const context = await ui.open(desktop)
    const page = await context.newPage()
    const blocked: string[] = []
    page.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) blocked.push(message.text())
    })
    const scope = 'openid email offline_access roles Core'
    await page.goto(
      new URL(authorizationRequest({ ...portal, scope }).address, 'http://login.keel.test').href,
    )
    const signIn = async (userName: string) => {
      await page.locator('#userName').fill(userName)
      await page.locator('#password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { level: 1, name: 'Customer portal asks for access' }).waitFor()
    }
    await signIn('customer')
    expect(await page.locator('.client').innerText()).toMatch(
      /Website\s+localhost:4200\s+You go back to\s+localhost:4200/,
    )
    await expect.poll(() => page.evaluate("document.querySelector('.client img').naturalWidth")).toBe(64)
    expect(await page.locator('.scopes').getByRole('listitem').allInnerTexts()).toEqual([
      'work with Keel in your name Can act for you',
      'keep this access while you are away Can act for you',
      'see your roles',
      'see your e-mail address',
      'know who you are',
    ])
    await page.getByRole('link', { name: 'Not you?' }).click()
    await page.getByRole('button', { name: 'Use another account' }).click()
    await signIn('operator')
    expect(await page.locator('.lead').innerText()).toBe('You are signed in as operator. Not you?')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(/^http:\/\/localhost:4200\/portal\?code=/)
    expect(blocked).toEqual([])
    await context.close()
  })

  test('a picture is uploaded to the profile, checked, shown without becoming a page, and removed, while typed names stay', async () => {
    const context = await ui.open(desktop)
    const page = await context.newPage()
    const blocked: string[] = []
    page.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) blocked.push(message.text())
    })
    await page.goto('http://login.keel.test/Account/Login?ReturnUrl=%2FAccount%2FManage')
    await page.locator('#userName').fill('pricing')
    await page.locator('#password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    const upload = async (name: string, buffer: Buffer) => {
      if (name)
        await page.getByLabel('Profile picture').setInputFiles({ name, mimeType: 'image/png', buffer })
      await page.getByRole('button', { name: 'Upload the picture' }).click()
    }
    const surname = '<Unsaved> & "co"'
    await page.locator('#surname').fill(surname)
    const typedStays = async () => expect(await page.locator('#surname').inputValue()).toBe(surname)
    const unsaved = 'What you typed is not saved yet: save it now.'
    const faults = page.getByRole('alert').getByRole('listitem')
    const rule = 'Choose a PNG, JPEG, GIF or WebP image of at most 2 MB.'
    await upload('', logo)
    expect(await faults.allInnerTexts()).toEqual(['Profile picture: Please fill this in.'])
    await typedStays()
    await upload('me.png', Buffer.from('<!DOCTYPE html><script>alert(1)</script>'))
    expect(await faults.allInnerTexts()).toEqual([`Profile picture: ${rule}`])
    await typedStays()
    await upload('me.png', Buffer.concat([logo, Buffer.alloc(3 * 1024 * 1024)]))
    expect(await faults.allInnerTexts()).toEqual([rule])
    await typedStays()
    const [image] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/Account/Picture')),
      upload('me.png', logo),
    ])
    const told = () => page.getByRole('status').allInnerTexts()
    expect(await told()).toEqual(['Your profile picture was saved.', unsaved])
    await typedStays()
    await expect.poll(() => page.evaluate("document.querySelector('.portrait img').naturalWidth")).toBe(64)
    expect(await image.allHeaders()).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'cache-control': 'no-store',
    })
    expect(await image.body()).toEqual(logo)
    await page.getByRole('button', { name: 'Remove the picture' }).click()
    expect(await told()).toEqual(['Your profile picture was removed.', unsaved])
    await typedStays()
    expect(await page.locator('.portrait img').count()).toBe(0)
    await page
      .getByLabel('Profile picture')
      .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: logo })
    await page.locator('#surname').press('Enter')
    expect(await told()).toEqual(['Your changes were saved.'])
    await typedStays()
    await expect.poll(() => page.evaluate("document.querySelector('.portrait img').naturalWidth")).toBe(64)
    await page.getByRole('button', { name: 'Remove the picture' }).click()
    expect(await told()).toEqual(['Your profile picture was removed.'])
    expect((await page.goto('http://login.keel.test/Account/Picture'))?.status()).toBe(404)
    expect(blocked).toEqual([])
    await context.close()
  })

  test('what was typed into the profile is there again after proving who one is, and is then saved', async () => {
    const context = await ui.open(desktop)
    const page = await context.newPage()
    await page.goto('http://login.keel.test/Account/Login?ReturnUrl=%2FAccount%2FManage')
    await page.locator('#userName').fill('pricingmanager')
    await page.locator('#password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('#email').waitFor()
    // As if the sign-in was long ago.
    await ui.auth.database.execute(sql`
      update "AuthSessions" set "Payload" = jsonb_set("Payload"::jsonb, '{loginTs}', '1')::text
      where "Subject" = (select "Id"::text from "AbpUsers" where "UserName" = 'pricingmanager')`)
    const typed = {
      name: 'Petra',
      surname: '<Preis>',
      email: 'petra@pricing.example',
      phoneNumber: '+49 30 1',
    }
    for (const [name, text] of Object.entries(typed)) await page.locator(`#${name}`).fill(text)
    const valuesShown = async () =>
      Object.fromEntries(
        await Promise.all(
          Object.keys(typed).map(async (name) => [name, await page.locator(`#${name}`).inputValue()]),
        ),
      )
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await save.click()
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    await page.locator('#password').fill(password)
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    expect(await page.getByRole('status').innerText()).toContain('not saved yet')
    expect(await valuesShown()).toEqual(typed)
    await save.click()
    expect(await page.getByRole('status').innerText()).toBe('Your changes were saved.')
    expect(await valuesShown()).toEqual(typed)
    // It was kept for one visit.
    await page.locator('#name').fill('Paula')
    await page.reload()
    expect(await valuesShown()).toEqual(typed)
    expect((await context.cookies()).filter(({ name }) => name.includes('Typed'))).toEqual([])
    await context.close()
  })

  test('a page has at most one filled button, and none where nothing helps; a phone opens its authenticator app', async () => {
    const context = await ui.open({ ...phone, colorScheme: 'light' })
    const page = await context.newPage()
    const filled = () =>
      page.locator('main :is(button, .button):not(.framed, .quiet, .choice):visible').allInnerTexts()
    await page.goto('http://login.keel.test/Account/Login?ReturnUrl=%2FAccount%2FTwoFactor')
    await page.locator('#userName').fill('pricingmanager')
    await page.locator('#password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Two-factor sign-in' }).waitFor()
    expect(await filled()).toEqual(['Set up an app'])
    await page.getByRole('link', { name: 'Set up an app' }).click()
    const link = page.getByRole('link', { name: 'Open in the app on this phone' })
    const key = (await page.locator('code.key').innerText()).replaceAll(' ', '')
    expect(await link.getAttribute('href')).toMatch(new RegExp(`^otpauth://totp/.+[?&]secret=${key}(&|$)`))
    expect(await filled()).toEqual(['Finish'])
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(await link.count()).toBe(0)
    for (const [path, buttons] of [
      ['/Account/Manage', ['Save']],
      ['/Account/ExternalLogins', []],
      ['/Account/Sessions', []],
      ['/nowhere', []],
      [authorizationRequest({ client_id: 'ghost' }).address, []],
      ['/connect/endsession', ['Sign out']],
    ] as const) {
      await page.goto(new URL(path, 'http://login.keel.test').href)
      expect([path, await filled()]).toEqual([path, buttons])
    }
    await context.close()
  })

  test('the menu of the account stands beside the page, is one control on a phone, and signing out is apart from it', async () => {
    const context = await ui.open({ ...desktop, javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto('http://login.keel.test/Account/Login?ReturnUrl=%2FAccount%2FSessions')
    await page.locator('#userName').fill('operator')
    await page.locator('#password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    const menu = page.getByRole('navigation', { name: 'My account' })
    const entries = ['Profile', 'Password', 'Two-factor sign-in', 'External accounts', 'Applications']
    expect(await menu.getByRole('link').allTextContents()).toEqual([...entries, 'Sessions', 'Security log'])
    expect(await menu.locator('[aria-current=page]:visible').textContent()).toBe('Sessions')
    const [beside, content] = [await menu.boundingBox(), await page.locator('main').boundingBox()]
    expect((beside?.x ?? 0) + (beside?.width ?? 0)).toBeLessThan(content?.x ?? 0)
    expect(await page.getByRole('banner').innerText()).toMatch(/operator\s+Sign out/)

    await page.setViewportSize({ width: 390, height: 844 })
    expect(await menu.getByRole('link').count()).toBe(0)
    const control = page.locator('summary')
    expect(await control.innerText()).toBe('My account Sessions')
    await control.focus()
    await page.keyboard.press('Enter')
    await menu.getByRole('link', { name: 'Security log' }).click()
    await page.getByRole('heading', { level: 1, name: 'Security log' }).waitFor()
    expect(await menu.getByRole('link').count()).toBe(0)
    await page.getByRole('banner').getByRole('link', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign out?' }).waitFor()
    await context.close()
  })

  test('the language can be chosen on the page, and is kept', async () => {
    const context = await ui.open(desktop)
    const page = await context.newPage()
    await page.goto(
      new URL(
        authorizationRequest({ culture: undefined, 'ui-culture': undefined }).address,
        'http://login.keel.test',
      ).href,
    )
    for (const [language, title] of [
      ['Deutsch', 'Anmelden'],
      ['Español', 'Iniciar sesión'],
      ['Français', 'Se connecter'],
      ['Türkçe', 'Oturum aç'],
      ['简体中文', '登录'],
    ] as const) {
      await page.getByRole('link', { name: language }).click()
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
    }
    await page.goto('http://login.keel.test/Account/ForgotPassword')
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-Hans')
    await context.close()
  })
})

// What runs in the page is written as text: this project knows no DOM.

/** Scripts of a page, and attributes that hold some. */
async function scriptFaults(page: Page): Promise<string[]> {
  const count = await page.evaluate<number>(
    `document.scripts.length + [...document.querySelectorAll('*')].filter((element) => element.getAttributeNames().some((name) => name.startsWith('on'))).length`,
  )
  return count > 0 ? [`${count} scripts`] : []
}

/** What has the focus: an id, a name or a text. */
function focused(page: Page): Promise<string> {
  return page.evaluate('(({ id, name, innerText }) => id || name || innerText)(document.activeElement)')
}

function isOutlined(page: Page): Promise<boolean> {
  return page.evaluate("getComputedStyle(document.activeElement).outlineStyle !== 'none'")
}
