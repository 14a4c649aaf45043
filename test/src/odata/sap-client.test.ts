import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../support/app.js'
import { addShipments, portId } from '../support/hub-rows.js'

/**
 * A folder where SAP's generator is installed, which is too large to be installed for everybody:
 * `npm install @sap-cloud-sdk/{generator,generator-common,odata-v4,odata-common,http-client,util}@4.5.1`.
 */
const installed = process.env['KEEL_SAP_CLOUD_SDK'] ?? ''
const run = promisify(execFile)

/** What somebody writes who was given the generated client. */
const program = `
import { coreService } from './core-service'

type Reader = { requestBuilder(): { getAll(): { top(n: number): { execute(where: object): Promise<unknown[]> } } } }

export async function firstRows(where: object, set: string): Promise<number> {
  const apis = Object.values(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(coreService()))).flatMap(({ get }) => (get ? [get.call(coreService())] : []))
  const api = apis.find((one) => one.entityConstructor._entityName === set)
  return (await (api as Reader).requestBuilder().getAll().top(2).execute(where)).length
}
`

test.skipIf(!installed)(
  'the client that SAP Cloud SDK generates compiles, and reads every set',
  async () => {
    const app = await startApp()
    onTestFinished(() => app.close())
    const admin = await app.admin()
    await addShipments(app, [{ ShipmentReference: 'G-1', OriginPortId: portId('DEHAM') }])
    const folder = mkdtempSync(join(installed, 'core-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    mkdirSync(join(folder, 'in'))
    writeFileSync(
      join(folder, 'in/core-service.edmx'),
      await (await app.host.fetch('/odata/$metadata')).text(),
    )
    const bin = (name: string) => join(installed, 'node_modules/.bin', name)
    await run(bin('generate-odata-client'), ['-i', join(folder, 'in'), '-o', join(folder, 'src')])
    writeFileSync(join(folder, 'src/program.ts'), program)
    const compiler = {
      target: 'es2022',
      module: 'node16',
      outDir: 'dist',
      rootDir: 'src',
      strict: true,
      skipLibCheck: true,
    }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'shop', type: 'commonjs' }))
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: compiler, include: ['src'] }),
    )
    await run(bin('tsc'), ['-p', folder])
    const { firstRows } = createRequire(join(folder, 'package.json'))('./dist/program.js')
    const { value } = (await (await app.host.fetch('/odata')).json()) as { value: { name: string }[] }
    const destination = { url: `${app.host.url}/odata`, headers: { authorization: `Bearer ${admin.token}` } }
    const read: unknown[] = []
    for (const { name } of value) read.push([name, typeof (await firstRows(destination, name))])
    expect(read).toEqual(value.map(({ name }) => [name, 'number']))
  },
  300_000,
)
