import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Set for the tests of this folder when its packages could not be installed. */
export const missingVariable = 'KEEL_TEST_PACKAGES_MISSING'

/** Installs the packages of this folder once. Without them the tests of this folder fail, all others run. */
export default function installPackages(): void {
  const install = fileURLToPath(new URL('../../../.ci/install.mjs', import.meta.url))
  const { status } = spawnSync(process.execPath, [install, 'test/third-party'], { stdio: 'inherit' })
  if (status !== 0) process.env[missingVariable] = '1'
}
