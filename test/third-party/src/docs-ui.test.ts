import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../src/support/platform.js'
import { launchBrowser, noBrowser } from './chromium.js'

describe.skipIf(noBrowser)(`in a browser${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  let platform: Platform
  let browser: Browser

  beforeAll(async () => {
    ;[platform, browser] = await Promise.all([startPlatform(), launchBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await platform?.close()
  })

  test('the docs UI signs in by code and PKCE, and executes a call', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const refused: string[] = []
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) refused.push(message.text())
    })
    const opened = await page.goto(`${platform.apiUrl}/`)
    const policy = opened?.headers()['content-security-policy']
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'sha256-")
    const bar = page.locator('.keel-login')
    const operations = page.locator('.opblock-tag-section').first()
    await operations.waitFor({ timeout: 60_000 })
    expect([
      await bar.getByRole('status').textContent(),
      // What signs in is the first thing on the page, above all operations.
      (await bar.boundingBox())?.y,
    ]).toEqual(['Signed out. Operations with a lock answer 401 until you sign in.', 0])
    await bar.getByRole('button', { name: 'Sign in' }).click()
    // One way to sign in, in sight: not the fields of tokens and keys.
    await page.locator('.modal-ux .auth-container').waitFor()
    expect(await page.locator('.modal-ux .auth-container').count()).toBe(1)
    const [login] = await Promise.all([
      context.waitForEvent('page'),
      page.locator('.modal-ux .authorize').first().click(),
    ])
    await login.getByLabel('User name').fill('admin')
    await login.getByLabel('Password').fill('1q2w3E*')
    await Promise.all([login.waitForEvent('close'), login.getByRole('button', { name: 'Sign in' }).click()])
    // The dialog is drawn anew once the code has become a token, and a click before that is lost.
    await page.locator('.modal-ux').getByText('Logout').first().waitFor()
    await page.locator('.modal-ux .btn-done').first().click()

    expect(await bar.getByRole('status').textContent()).toBe('Signed in as admin.')
    await page.getByPlaceholder('Filter by tag').fill('hub / pox')
    await expect.poll(() => page.locator('.opblock-tag-section').count()).toBe(0)
    await page.getByPlaceholder('Filter by tag').fill('hub / po')
    await expect.poll(() => page.locator('.opblock-tag-section').count()).toBe(1)

    await page.getByText('Hub / Ports', { exact: true }).click()
    await page.locator('[id$="-Hub_Port_getList"] .opblock-summary-control').click()
    await page.getByRole('button', { name: 'Try it out' }).click()
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().includes('/api/hub/port')),
      page.getByRole('button', { name: 'Execute' }).click(),
    ])
    expect(answer.status()).toBe(200)
    expect(await answer.json()).toMatchObject({ totalCount: 217 })
    expect(refused).toEqual([])
    // The token ends with the tab: it outlives a reload, and is kept nowhere else.
    const keptIn = (name: 'localStorage' | 'sessionStorage') =>
      page.evaluate<string>(`JSON.stringify({ ...${name} })`)
    expect(await keptIn('localStorage')).not.toContain('access_token')
    expect(await keptIn('sessionStorage')).toContain('access_token')
    await page.reload()
    await page.locator('.auth-wrapper .authorize.locked').waitFor()
    await bar.getByRole('button', { name: 'Sign out' }).click()
    await bar.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await keptIn('sessionStorage')).not.toContain('access_token')
    await context.close()
  }, 180_000)
  test('on a phone the descriptions of tags are lines of words, and nothing is wider than the page', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    await page.goto(`${platform.apiUrl}/swagger`)
    await page.locator('.opblock-tag-section').first().waitFor()
    const widths = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.opblock-tag > small')].map((one) => one.getBoundingClientRect().width)",
    )
    expect(widths.length).toBeGreaterThan(20)
    expect(Math.min(...widths)).toBeGreaterThan(250)
    await page.getByText('Hub / Ports', { exact: true }).click()
    const operation = page.locator('[id$="-Hub_Port_getList"]')
    await operation.locator('.opblock-summary-control').click()
    await operation.getByText('Responses', { exact: true }).first().waitFor()
    await operation.locator('.response').first().waitFor()
    const [shown, needed] = await page.evaluate<[number, number]>(
      '[document.documentElement.clientWidth, document.documentElement.scrollWidth]',
    )
    expect(needed).toBe(shown)
    await context.close()
  }, 180_000)
})
