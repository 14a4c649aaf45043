import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { coreServices } from '@keel/core/contracts'
import { hubServices, PortPermissions } from '@keel/hub/contracts'
import { pricingServices } from '@keel/pricing/contracts'
import { expect, test } from 'vitest'

const bin = fileURLToPath(new URL('../../framework/bin/keel.js', import.meta.url))
const directory = fileURLToPath(new URL('..', import.meta.url))

/** What the command line answers, run in the folder of these tests. */
async function keel(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const ran = promisify(execFile)(process.execPath, [bin, ...args], { cwd: directory })
  return ran.then(
    (output) => ({ code: 0, ...output }),
    (failure: { code: number; stdout: string; stderr: string }) => failure,
  )
}

test('keel routes lists every operation of a host with the permission it needs', async () => {
  const { code, stdout } = await keel('routes', '@keel/api-host')
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))
  const contracts = [...coreServices, ...hubServices, ...pricingServices].map(({ contract }) => contract)
  const routes = contracts.flatMap(({ operations }) =>
    [...operations.values()].map(({ route }) => `${route.verb} ${route.path}`),
  )
  expect(code).toBe(0)
  expect(lines.map(([verb, path]) => `${verb} ${path}`)).toEqual(expect.arrayContaining(routes))
  expect(lines).toContainEqual(['GET', '/api/hub/port/{id}', 'PortService.get', PortPermissions.View])
})

test('keel module graph lists the modules, dependencies first', async () => {
  const { stdout } = await keel('module', 'graph', '../hosts/api/dist/api-host.js')
  const names = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/)[1])
  expect([names[0], names.at(-1)]).toEqual(['Http', 'ApiHost'])
})

test.for([
  { args: ['routes', 'nowhere'], code: 1, told: /^nowhere is neither a file nor a package/ },
  { args: ['routes', '@keel/framework/contracts'], code: 1, told: /exports no module: name a file/ },
  { args: ['routes'], code: 2, told: /^usage: keel <command> <host>/ },
  { args: ['sail', '@keel/api-host'], code: 2, told: /^usage: keel <command> <host>/ },
])('keel $args ends with $code and tells why', async ({ args, code, told }) => {
  expect(await keel(...args)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(told) })
})
