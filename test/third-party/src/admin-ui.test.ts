import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type AdminUi, photograph, settle, signIn, startAdminUi } from './admin-ui.js'
import { noBrowser } from './chromium.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe.skipIf(noBrowser)(`in a browser${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  let ui: AdminUi
  let page: Page
  const faults: string[] = []
  /** The scripts and styles that were loaded, by path. */
  const loaded = new Map<string, Buffer>()

  beforeAll(async () => {
    ui = await startAdminUi()
    page = await (await ui.open({ viewport: { width: 1440, height: 900 } })).newPage()
    // Unsaved changes are no reason to stay.
    page.on('dialog', (question) => void question.accept())
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      if (/Content Security Policy|Each child in a list/.test(message.text())) faults.push(message.text())
    })
    page.on('response', async (answer) => {
      const { origin, pathname } = new URL(answer.url())
      if (origin === ui.url && /\.(js|css)$|^\/$/.test(pathname))
        loaded.set(pathname, await answer.body().catch(() => Buffer.alloc(0)))
    })
  }, 180_000)
  // A test that fails leaves dialogs and drafts, which the next test is not to meet.
  afterEach(async () => {
    if (!page.url().startsWith(ui.url)) return
    await page.evaluate(`Object.keys(sessionStorage)
      .filter((key) => key.startsWith('keel.draft.'))
      .forEach((key) => sessionStorage.removeItem(key))`)
    await page.evaluate(`localStorage.removeItem('mantine-color-scheme-value')`)
    await page.goto('about:blank')
  })
  afterAll(async () => {
    await ui?.close()
  })

  const menu = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true })
  const dialog = () => page.getByRole('dialog')
  /** Opens the users with one row, and returns when it is there. */
  async function findUser(name: string): Promise<void> {
    await page.goto(`${ui.url}/users?filter=${name}`)
    await page.getByRole('button', { name, exact: true }).waitFor()
  }
  const gzippedKb = () =>
    Math.round([...loaded.values()].reduce((sum, body) => sum + gzipSync(body).length, 0) / 1000)

  /** Looks at the page with axe in light and dark; with `KEEL_SCREENSHOTS` photographs it, wide and narrow. */
  async function look(name: string): Promise<void> {
    await page.waitForLoadState('networkidle')
    await page.evaluate(axe)
    const found: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await settle(page)
      const { violations } = await page.evaluate<AxeResults>(
        colorScheme === 'light' ? 'axe.run()' : 'axe.run({ runOnly: ["color-contrast"] })',
      )
      for (const { id, nodes } of violations)
        found.push(`${colorScheme}, ${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
      await photograph(page, `${name}-1440-${colorScheme}`)
      if (process.env.KEEL_SCREENSHOTS) {
        await page.setViewportSize({ width: 390, height: 844 })
        await photograph(page, `${name}-390-${colorScheme}`)
        await page.setViewportSize({ width: 1440, height: 900 })
      }
    }
    await page.emulateMedia({ colorScheme: 'light' })
    expect(found).toEqual([])
  }

  test('an administrator signs in by code and PKCE, and comes back to the address that was opened', async () => {
    await page.goto(`${ui.url}/users?filter=oper`)
    await page.locator('input[name=userName]').waitFor()
    const beforeSignIn = gzippedKb()
    await signIn(page)
    const { pathname, search } = new URL(page.url())
    expect(pathname + search).toBe('/users?filter=oper')
    await page.getByRole('button', { name: 'operator', exact: true }).waitFor()
    expect(await page.locator('tr[data-row]').count()).toBe(1)
    expect(beforeSignIn).toBeLessThan(40)
  }, 90_000)

  test('the dashboard shows figures, and is below 250 kB of scripts and styles, compressed', async () => {
    loaded.clear()
    await page.goto(ui.url)
    await page.getByRole('heading', { name: /^Hello/ }).waitFor()
    await page.getByRole('heading', { name: 'Latest changes of permissions' }).waitFor()
    await look('dashboard')
    expect(gzippedKb()).toBeLessThan(250)
  }, 90_000)

  test('the colours that are chosen are those of the whole page, whatever the system prefers', async () => {
    const ground = () => page.evaluate(`getComputedStyle(document.querySelector('main')).backgroundColor`)
    await page.goto(ui.url)
    await page.getByRole('button', { name: 'Dark colours' }).click()
    await expect.poll(ground).toBe('rgb(27, 28, 31)')
    await page.getByRole('button', { name: 'Light colours' }).click()
    await expect.poll(ground).toBe('rgb(246, 247, 249)')
  }, 90_000)

  test('users are listed, and sorted by the address', async () => {
    await page.goto(ui.url)
    await menu('Users').click()
    await page.getByRole('button', { name: 'User name' }).click()
    await expect.poll(() => page.url()).toContain('sorting=userName')
    await page.getByRole('button', { name: 'admin', exact: true }).waitFor()
    await look('users')
  }, 90_000)

  test('a refused new user shows the words of the server at its fields, and a good one is listed', async () => {
    await page.goto(`${ui.url}/users`)
    await page.getByRole('button', { name: 'New user' }).click()
    await dialog().locator('input[name=userName]').fill('admin')
    await dialog().locator('input[name=email]').fill('nobody')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().locator('input[name=email][aria-invalid=true]').waitFor()
    await look('new-user')
    await dialog().locator('input[name=email]').fill('nobody@example.com')
    await dialog().locator('input[name=password]').fill('Long enough, 2026')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().locator('input[name=userName][aria-invalid=true]').waitFor()
    await dialog().getByText('The user name admin is already taken.').waitFor()
    await dialog().locator('input[name=userName]').fill('ann')
    await dialog().locator('input[name=email]').fill('ann@example.com')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved successfully').waitFor()
    await page.getByRole('searchbox', { name: 'Search: Users' }).fill('ann@')
    await page.getByRole('button', { name: 'ann', exact: true }).waitFor()
  }, 90_000)

  test('what is typed outlives a reload, and somebody who saved first is met with both versions', async () => {
    await findUser('ann')
    await page.getByRole('button', { name: 'ann', exact: true }).click()
    await dialog().locator('input[name=surname]').fill('Miller')
    await page.reload()
    await expect.poll(() => dialog().locator('input[name=surname]').inputValue()).toBe('Miller')
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('dialog').locator('input[name=name]').fill('Anna')
    await other.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await other.getByText('Saved successfully').waitFor()
    await other.close()
    await dialog().getByRole('button', { name: 'Save' }).click()
    const conflict = page.getByRole('dialog', { name: 'Changed by somebody else' })
    await conflict.getByRole('cell', { name: 'Anna' }).waitFor()
    await look('conflict')
    await conflict.getByRole('button', { name: 'Take theirs' }).click()
    await expect.poll(() => dialog().locator('input[name=name]').inputValue()).toBe('Anna')
    await dialog().getByRole('button', { name: 'Cancel' }).click()
  }, 90_000)

  test('permissions are changed after a look at their effects', async () => {
    await findUser('ann')
    await page.getByRole('button', { name: 'Actions: ann' }).click()
    await page.getByRole('menuitem', { name: 'Permissions' }).click()
    await dialog().getByRole('searchbox').fill('AbpIdentity.Users')
    // Takes the permission above along.
    await dialog().locator('[title="AbpIdentity.Users.Update"]').getByRole('checkbox').check()
    await look('permissions')
    await dialog().getByRole('button', { name: 'Review changes (2)' }).click()
    await dialog().getByText('Would be allowed (2)').waitFor()
    await look('permissions-review')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().waitFor({ state: 'hidden' })
    await page.goto(`${ui.url}/explain`)
    await page.getByRole('combobox', { name: 'What', exact: true }).waitFor()
    await look('explain')
  }, 90_000)

  test('a user is locked out and let in again', async () => {
    await findUser('ann')
    await page.getByRole('button', { name: 'Actions: ann' }).click()
    await page.getByRole('menuitem', { name: 'Lock out' }).click()
    await dialog().getByRole('button', { name: 'Lock out' }).click()
    await page.locator('tr[data-row]', { hasText: 'Locked out' }).waitFor()
    await page.getByRole('button', { name: 'Actions: ann' }).click()
    await page.getByRole('menuitem', { name: 'Unlock' }).click()
    await page.locator('tr[data-row]', { hasText: 'Active' }).waitFor()
  }, 90_000)

  test('roles show what they inherit from, and the matrix what they grant', async () => {
    await page.goto(`${ui.url}/roles`)
    await page.getByRole('button', { name: 'InternalAdmin', exact: true }).waitFor()
    await look('roles')
    await menu('Roles and permissions').click()
    await page.locator('.keel-matrix tr[data-row]').first().waitFor()
    await look('matrix')
  }, 90_000)

  test('units are created, and get members', async () => {
    await page.goto(`${ui.url}/organization-units`)
    await page.getByRole('button', { name: 'New unit' }).first().click()
    await dialog().locator('input[name=displayName]').fill('Sea freight')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Sea freight', exact: true }).click()
    await page.getByRole('combobox', { name: 'Add: Members' }).fill('ann')
    await page.getByRole('option', { name: 'ann', exact: true }).click()
    await page.getByRole('button', { name: 'Remove: ann' }).waitFor()
    expect(await page.getByRole('combobox', { name: 'Add: Members' }).inputValue()).toBe('')
    await look('units')
  }, 90_000)

  test('the own profile is shown, in another language too', async () => {
    await page.goto(ui.url)
    await page.getByRole('button', { name: /^Signed in as/ }).click()
    await page.getByRole('menuitem', { name: 'My profile' }).click()
    await page.locator('input[name=userName]').waitFor()
    await page.getByText('Chrome, Linux · this session').waitFor()
    await look('profile')
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitem', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'Mein Profil' }).waitFor()
    await page.getByRole('button', { name: 'Sprache' }).click()
    await page.getByRole('menuitem', { name: 'English' }).click()
    await page.getByRole('heading', { name: 'My profile' }).waitFor()
  }, 90_000)

  test('somebody without permissions sees a menu without them, and is told so at their addresses', async () => {
    const context = await ui.open()
    const other = await context.newPage()
    await other.goto(`${ui.url}/users`)
    await signIn(other, 'customer', '#content h2')
    await other.getByText('AbpIdentity.Users').waitFor()
    expect(await other.getByRole('navigation').getByRole('link').allTextContents()).not.toContain('Users')
    await context.close()
  }, 90_000)

  test('no page raised an error or met the content security policy', () => {
    expect(faults).toEqual([])
  })
})
