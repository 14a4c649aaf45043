import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createAdminServer } from '@keel/admin-host'
import { Configuration } from '@keel/framework'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Platform, startPlatform } from '../../src/support/platform.js'
import { isLong } from '../../src/support/size.js'
import { axeFaults, rulesOfAppearance } from './axe.js'
import { launchBrowser } from './chromium.js'

/** For a machine that is busy with other test files. */
export const patience = { timeout: 15_000, interval: 50 }
const host = fileURLToPath(new URL('../../../hosts/admin/', import.meta.url))

/** The admin UI with its servers as processes, and a browser. */
export interface AdminUi {
  readonly url: string
  readonly platform: Platform
  /** A browser profile of its own. */
  open(options?: BrowserContextOptions): Promise<BrowserContext>
  close(): Promise<void>
}

/** Builds the UI when its sources have changed, and starts it. */
export async function startAdminUi(settings: Record<string, string> = {}): Promise<AdminUi> {
  execFileSync(process.execPath, [`${host}build.mjs`], { stdio: 'inherit' })
  const [platform, browser]: [Platform, Browser] = await Promise.all([
    startPlatform(settings),
    launchBrowser(),
  ])
  const configuration = new Configuration()
  configuration.add(
    {
      'App:SelfUrl': platform.adminUrl,
      'App:ApiUrl': platform.apiUrl,
      'AuthServer:Authority': platform.authUrl,
      'Admin:Impersonation': 'true',
    },
    'test',
  )
  const server = createAdminServer(configuration, `${host}ui/dist`).listen(
    Number(new URL(platform.adminUrl).port),
  )
  await once(server, 'listening')
  return {
    url: platform.adminUrl,
    platform,
    async open(options) {
      // What moves takes the processor, which draws every step, and tests would wait for its end.
      const context = await browser.newContext({ locale: 'en', reducedMotion: 'reduce', ...options })
      context.setDefaultTimeout(20_000)
      return context
    },
    async close() {
      await browser.close()
      server.closeAllConnections()
      server.close()
      await platform.close()
    },
  }
}

/** Signs in on the page of the auth server that the UI has led to, and waits until the UI shows a page. */
export async function signIn(page: Page, userName = 'admin', shown = '#content h1'): Promise<void> {
  await page.locator('input[name=userName]').fill(userName)
  await page.locator('input[name=password]').fill('1q2w3E*')
  await page.locator('input[name=password]').press('Enter')
  await page.locator(shown).first().waitFor()
}

/** Waits for what moves for a moment, such as a dialog that opens; not for what moves for ever. */
export async function settle(page: Page): Promise<void> {
  // What a change starts begins a frame or two later.
  await page.evaluate(`(async () => {
    for (let calmFrames = 0; calmFrames < 4; calmFrames += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve))
      const running = document.getAnimations()
        .filter(({ playState, effect }) => playState === 'running' && Number.isFinite(effect.getComputedTiming().endTime))
      if (running.length) calmFrames = 0
      await Promise.allSettled(running.map(({ finished }) => finished))
    }
  })()`)
}

/** With `KEEL_SCREENSHOTS` set to a folder, leaves a picture of the page there. */
export async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env.KEEL_SCREENSHOTS
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await settle(page)
  await page.screenshot({ path: `${folder}/${name}.png` })
}

/** Accepts questions before leaving. @returns the errors of the page from now on, breaches of its policy and missing texts included */
export function watchFaults(page: Page): string[] {
  const faults: string[] = []
  // Unsaved changes are no reason to stay.
  page.on('dialog', (question) => void question.accept())
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Each child in a list|same key|No text has the key/.test(message.text()))
      faults.push(message.text())
  })
  return faults
}

/** Finds what is asked before something is taken away, declines it, asks again and confirms. Dangerous questions begin at "Cancel". */
export async function confirmAtSecondThought(
  page: Page,
  ask: () => Promise<void>,
  title: string,
  words: string | RegExp,
  action = title,
): Promise<void> {
  const question = page.getByRole('dialog', { name: title, exact: true })
  for (const answer of ['Cancel', action]) {
    await ask()
    await question.getByText(words).waitFor()
    const confirm = question.getByRole('button', { name: action, exact: true })
    expect(await confirm.getAttribute('style')).toContain('--mantine-color-red-filled')
    await question.getByRole('button', { name: answer, exact: true }).click()
    await question.waitFor({ state: 'detached' })
  }
}

/** Holds the calls of an operation back until something was done, such as to stop them. @param path after `/api/` */
export async function whileHeld(page: Page, path: string, act: () => Promise<void>): Promise<void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const address = `**/api/${path}*`
  await page.route(address, async (route) => {
    await released
    await route.continue()
  })
  try {
    await act()
  } finally {
    release()
    await page.unrouteAll({ behavior: 'wait' })
  }
}

/** The dialog in front, else the page: what is behind a dialog was looked at before. */
const looked = `[...document.querySelectorAll('[role=dialog]')].at(-1) ?? document`

/** In the usual form in light colours alone: to paint and measure each page anew takes a fifth of the time of the tests. */
const colorSchemes =
  isLong || process.env.KEEL_SCREENSHOTS ? (['light', 'dark'] as const) : (['light'] as const)

/** Looks at the page with axe in light, and in the long form in dark; with `KEEL_SCREENSHOTS` photographs it, wide and narrow. */
export async function look(page: Page, name: string): Promise<void> {
  await expect.poll(() => page.locator('.mantine-Skeleton-root').count(), patience).toBe(0)
  const found: string[] = []
  for (const colorScheme of colorSchemes) {
    await page.emulateMedia({ colorScheme })
    await settle(page)
    const faults = await axeFaults(page, {
      within: looked,
      rules: colorScheme === 'dark' ? rulesOfAppearance : undefined,
    })
    found.push(...faults.map((fault) => `${colorScheme}, ${fault}`))
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
