import { apiDefinition } from '@keel/framework/http'
import { SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../../src/support/app.js'
import { send } from '../../src/support/wire.js'
import { type AngularWorkspace, createAngularWorkspace } from './angular-workspace.js'

let app: App
/** Our modules are made into one workspace. ABP's share namespaces, of which its generator keeps what the last one needs: each has its own. */
let workspaces: readonly { readonly workspace: AngularWorkspace; readonly modules: readonly string[] }[]
const said: Record<string, string[]> = {}

beforeAll(async () => {
  app = await startApp()
  const modules = Object.entries(
    apiDefinition(app.host.application).modules as Record<string, ModuleDefinition>,
  )
  const isOurs = ([, { controllers }]: (typeof modules)[number]) =>
    Object.keys(controllers).every((type) => type.startsWith('Keel.'))
  const groups = [modules.filter(isOurs), ...modules.filter((module) => !isOurs(module)).map((one) => [one])]
  workspaces = groups.map((group) => ({
    workspace: createAngularWorkspace(),
    modules: group.map(([name]) => name),
  }))
  // One after the other, as people do it.
  for (const { workspace, modules: names } of workspaces)
    for (const name of names) said[name] = await workspace.addProxy(name, app.host.url)
}, 240_000)
afterAll(async () => {
  for (const { workspace } of workspaces ?? []) workspace.remove()
  await app?.close()
})

interface ModuleDefinition {
  readonly controllers: object
}

/** Everything that was generated, by path. */
const files = () => workspaces.flatMap(({ workspace }) => [...workspace.files()])

test('ABP’s generator makes Angular proxies of every module without a word', () => {
  const modules = workspaces.flatMap((one) => one.modules)
  expect(said).toEqual(Object.fromEntries(modules.map((module) => [module, []])))
})

test('there is a proxy service for every contract, with a method for every operation', () => {
  const services = files().filter(([path]) => path.endsWith('.service.ts'))
  const methods = services.flatMap(
    ([, text]) => text.match(/ = \(.*config\?: Partial<Rest.Config>\) =>/g) ?? [],
  )
  const contracts = app.host.application.localServices.map(({ contract }) => contract.contract)
  expect([services.length, methods.length]).toEqual([
    contracts.length,
    contracts.flatMap(({ operations }) => [...operations.keys()]).length,
  ])
})

test('the proxies compile strictly', async () => {
  const faults: string[] = []
  for (const { workspace } of workspaces) faults.push(await workspace.compile())
  expect(faults.join('')).toEqual('')
}, 240_000)

test('a map of filters goes out entry by entry, which is understood', async () => {
  const service = new Map(files()).get('hub/shipments/shipment.service.ts') ?? ''
  const [, params] = /getList = .*?params: ({.*?}),/s.exec(service) ?? []
  // What Angular's HttpParams make of these parameters: a list repeats its name.
  const query = 'Status=Draft&Status=Booked&TransportMode=Air&maxResultCount=5'
  const owner = await app.as({ roles: [SuperUser] })
  const { body } = await send(owner, 'GET', `/api/hub/shipment?${query}`)
  expect({ params, applied: body.appliedFilters }).toEqual({
    params:
      '{ ...input.filters, skipCount: input.skipCount, maxResultCount: input.maxResultCount, sorting: input.sorting, filter: input.filter, includeFacets: input.includeFacets }',
    applied: [
      { field: 'Status', values: ['Draft', 'Booked'] },
      { field: 'TransportMode', values: ['Air'] },
    ],
  })
})
