import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContextOptions, Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe looks at, and what it looks for. */
export interface AxeLook {
  /** Expression for a part of the page; the whole page when not given. */
  readonly within?: string
  /** Names of rules; all rules that are on by themselves when not given. */
  readonly rules?: readonly string[] | undefined
}

/**
 * What axe-core finds against a page, one line for each rule with the elements that break it.
 * A page's policy does not bind what a test evaluates in it.
 */
export async function axeFaults(page: Page, { within = 'document', rules }: AxeLook = {}): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe)
  const options = {
    // Of rules that are kept nothing is wanted: axe makes up a selector for each element it tells of, which takes as long as the rules.
    resultTypes: ['violations'],
    ...(rules && { runOnly: rules }),
  }
  return page.evaluate<string[]>(`axe.run(${within}, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')))`)
}

/** Rules whose result depends on colours and sizes: for a page that was looked at whole in others. */
export const rulesOfAppearance = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable']

/** How many pixels a page is wider than its window; nothing when it is not. */
export async function widthFaults(page: Page): Promise<string[]> {
  const excess = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  return excess > 0 ? [`${excess} pixels too wide`] : []
}

/** As what a page is shown. */
export type Size = 'desktop-light' | 'phone-dark'

export const sizes = {
  'desktop-light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
} as const satisfies Record<Size, BrowserContextOptions>

/** Looks at a page on a desktop in light colours, then on a phone in dark ones, and leaves it as on the desktop. */
export async function inBothSizes(page: Page, look: (size: Size) => Promise<void>): Promise<void> {
  for (const size of ['desktop-light', 'phone-dark'] as const) {
    await show(page, size)
    await look(size)
  }
  await show(page, 'desktop-light')
}

async function show(page: Page, size: Size): Promise<void> {
  const { viewport, colorScheme } = sizes[size]
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
}
