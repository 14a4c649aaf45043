import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const whole = '/usr/bin/chromium'
/** Of Debian's package of that name. It has no windows: a new context takes a quarter of the processor time. */
const shell = '/usr/bin/chromium-headless-shell'
const executablePath = process.env.CHROMIUM_PATH ?? (existsSync(shell) ? shell : whole)

/** Why browser tests can't run here; undefined when they can. With `CI=true` a missing browser is a failure, not a reason to skip. */
export const noBrowser: string | undefined =
  existsSync(executablePath) || process.env.CI === 'true'
    ? undefined
    : `there is no Chromium at ${executablePath} (set CHROMIUM_PATH)`

/** A headless Chromium that asks nobody but the pages it is sent to. @param more command-line arguments */
export function launchBrowser(...more: string[]): Promise<Browser> {
  const quiet = [
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...quiet, ...more] })
}
