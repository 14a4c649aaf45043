import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { guideCommands, keepContract, writeGuideFiles } from '../support/guides.js'
import { type Platform, shell, startPlatform } from '../support/npm-start.js'
import { type PackageRegistry, startPackageRegistry } from '../support/package-registry.js'
import { isLong } from '../support/size.js'
import { emptyFolder } from '../support/solution.js'

const reason = 'installs some 300 packages: part of npm run test:long'
let solution: string
let registry: PackageRegistry
let platform: Platform | undefined

beforeAll(async () => {
  if (!isLong) return
  solution = emptyFolder('acme')
  const tarballs = join(dirname(solution), 'tarballs')
  mkdirSync(tarballs)
  registry = await startPackageRegistry(tarballs)
}, 120_000)
afterAll(async () => {
  if (!isLong) return
  await platform?.stop()
  await registry.close()
  rmSync(dirname(solution), { recursive: true, force: true })
}, 180_000)

test(`a stranger makes, installs, starts, calls, tests and lints a solution from packed packages alone, and follows the guides in it${isLong ? '' : ` (${reason})`}`, {
  skip: !isLong,
  timeout: 1_500_000,
}, async () => {
  // Without what the npm that runs these tests tells its children.
  const npm = `unset \${!npm_*}; env npm_config_@keel:registry=${registry.url} npm`
  const tarball = registry.tarballOf('create-keel')
  await shell(solution, `${npm} exec --yes --package=${tarball} -- create-keel`)
  await shell(solution, `${npm} install`)
  platform = await startPlatform(solution, 'npm start')
  const { apiUrl, authUrl } = platform
  const form = { grant_type: 'password', client_id: 'Core_App', scope: 'Core', username: 'admin' }
  const answer = await fetch(`${authUrl}/connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...form, password: '1q2w3E*' }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  const vehicle = { plate: 'KE-1', name: 'Tractor', kind: 1 }
  const created = await fetch(`${apiUrl}/api/fleet/vehicle`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(vehicle),
  })
  expect([created.status, await created.json()]).toMatchObject([200, vehicle])
  await platform.stop()
  await shell(solution, 'npm run lint')
  expect(await shell(solution, 'npm test')).toMatch(/15 passed/)
  for (const command of guideCommands('')) await shell(solution, command)
  writeGuideFiles(solution)
  await shell(solution, `${npm} install`)
  await shell(solution, 'npm run format && npm run lint && npm test')
  for (const command of guideCommands('compiled')) {
    if (command.includes('contract diff')) keepContract(solution)
    await shell(solution, command)
  }
  await shell(solution, `${npm} install && npm run format && npm run lint && npm run build`)
})
