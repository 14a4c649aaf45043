import { setImmediate } from 'node:timers/promises'
import { system, withAmbient } from '@keel/framework'
import { type Database, Databases, ReferenceSets, RowRules } from '@keel/framework/data'
import {
  EntityModel,
  ODataQueries,
  parseQueryOptions,
  parseResourcePath,
  queryPairs,
} from '@keel/framework/odata'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { addOrganization, addShipments, hubOf } from '../support/hub-rows.js'

/** What Hub's rules ask of a caller. */
interface OrganizationScope {
  readonly all: boolean
  readonly organizationIds: readonly string[]
  readonly userId: string | undefined
}

let app: App
let ours: OrganizationScope
let theirs: OrganizationScope
/** What the rules are told of the caller. */
let scope: OrganizationScope
/** Called instead of the next statement that would be sent. */
let insteadOfNext: (() => Promise<never>) | undefined
let queries: ODataQueries

beforeAll(async () => {
  app = await startApp()
  const member = async (code: string): Promise<OrganizationScope> => ({
    all: false,
    organizationIds: [await addOrganization(app, code)],
    userId: undefined,
  })
  ;[ours, theirs] = [await member('OURS'), await member('THEIRS')]
  const of = ({ organizationIds: [organizationId = ''] }: OrganizationScope) => ({
    parties: [{ role: 0, organizationId }],
  })
  await addShipments(app, [of(ours), of(ours), of(theirs)])
  const { application } = app.host
  const model = new EntityModel(application.modules)
  const asked = model.find('Shipments')?.meta.rules[0]?.scope
  const get = (token: Parameters<typeof application.get>[0]) =>
    token === asked ? { current: () => scope } : application.get(token)
  queries = new ODataQueries(
    model,
    interruptible(app.host.get(Databases)),
    new RowRules(Object.create(application, { get: { value: get } })),
    app.host.get(ReferenceSets),
    application,
  )
  // Nothing is kept before changes are heard.
  await vi.waitUntil(() => hubOf(app).feed.watch(['HubShipments']).version !== undefined)
})
afterAll(() => app.close())

/** The same databases, but a statement may end as {@link insteadOfNext} does. */
function interruptible(databases: Databases): Databases {
  const queryForCaller = (database: Database) => {
    return (...args: Parameters<Database['queryForCaller']>) => {
      const instead = insteadOfNext
      insteadOfNext = undefined
      return instead ? instead() : database.queryForCaller(...args)
    }
  }
  const of = (entity: Parameters<Databases['of']>[0]) => {
    const database = databases.of(entity)
    return Object.create(database, { queryForCaller: { value: queryForCaller(database) } }) as Database
  }
  return Object.create(databases, { of: { value: of } }) as Databases
}

/** The answer's text and count. */
async function read(url: string): Promise<string> {
  const [path = '', query = ''] = url.split('?')
  const { raw, count, text } = await withAmbient(
    { correlationId: '', principal: system, culture: 'en' },
    () =>
      queries.read({
        path,
        query,
        parse: (path, query) => ({
          path: parseResourcePath(path),
          options: parseQueryOptions(queryPairs(query)),
        }),
        format: { metadata: 'none', ieee754: false, prefix: '@odata.', root: 'http://localhost/odata/' },
      }),
  )
  return raw ?? count ?? Buffer.concat([...(text ?? [])]).toString()
}

test.for([
  ['/Shipments/$count', '2', '1'],
  ['/Shipments?$count=true&$top=1&$select=Id', '2', '1'],
  ['/Shipments?$apply=aggregate($count%20as%20N)', '[{"N":2}]', '[{"N":1}]'],
] as const)(
  'what %s counts for a caller whose rights change meanwhile is kept for the rights that it was counted with',
  async ([url, ofOurs, ofTheirs]) => {
    scope = ours
    let fail = (_error: Error): void => undefined
    insteadOfNext = () =>
      new Promise((_, reject) => {
        fail = reject
      })
    const first = read(url)
    await setImmediate()
    expect(insteadOfNext).toBeUndefined()
    // The same question: it waits for the answer to the first, and is asked of the database when that fails.
    const second = read(url)
    await setImmediate()
    scope = theirs
    fail(new Error('The statement was ended.'))
    await expect(first).rejects.toThrow('The statement was ended.')
    expect(await second).toBe(ofOurs)
    expect(await read(url)).toBe(ofTheirs)
    scope = ours
    expect(await read(url)).toBe(ofOurs)
  },
)
