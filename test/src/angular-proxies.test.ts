import { apiDefinition } from '@keel/framework/http'
import { SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AngularWorkspace, createAngularWorkspace } from './angular-workspace.js'
import { type App, startApp } from './app.js'
import { send } from './wire.js'

let app: App
let workspace: AngularWorkspace
let modules: readonly string[]
const said: Record<string, string[]> = {}

beforeAll(async () => {
  app = await startApp()
  workspace = createAngularWorkspace()
  modules = Object.keys(apiDefinition(app.host.application).modules)
  // One after the other, as people do it: each run writes shared files anew.
  for (const module of modules) said[module] = await workspace.addProxy(module, app.host.url)
}, 120_000)
afterAll(async () => {
  workspace?.remove()
  await app?.close()
})

test('ABP’s generator makes Angular proxies of every module without a word', () => {
  expect(said).toEqual(Object.fromEntries(modules.map((module) => [module, []])))
})

test('there is a proxy service for every contract, with a method for every operation', () => {
  const files = [...workspace.files()].filter(([path]) => path.endsWith('.service.ts'))
  const methods = files.flatMap(([, text]) => text.match(/ = \(.*config\?: Partial<Rest.Config>\) =>/g) ?? [])
  const contracts = app.host.application.localServices.map(({ contract }) => contract.contract)
  expect([files.length, methods.length]).toEqual([
    contracts.length,
    contracts.flatMap(({ operations }) => [...operations.keys()]).length,
  ])
})

test('the proxies compile strictly', async () => {
  expect(await workspace.compile()).toEqual('')
})

test('a map of filters goes out entry by entry, which is understood', async () => {
  const service = workspace.files().get('hub/shipments/shipment.service.ts') ?? ''
  const [, params] = /getList = .*?params: ({.*?}),/s.exec(service) ?? []
  // What Angular's HttpParams make of these parameters: a list repeats its name.
  const query = 'Status=Draft&Status=Booked&TransportMode=Air&maxResultCount=5'
  const owner = await app.as({ roles: [SuperUser] })
  const { body } = await send(owner, 'GET', `/api/hub/shipment?${query}`)
  expect({ params, applied: body.appliedFilters }).toEqual({
    params:
      '{ ...input.filters, skipCount: input.skipCount, maxResultCount: input.maxResultCount, sorting: input.sorting, includeFacets: input.includeFacets }',
    applied: [
      { field: 'Status', values: ['Draft', 'Booked'] },
      { field: 'TransportMode', values: ['Air'] },
    ],
  })
})
