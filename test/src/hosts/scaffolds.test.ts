import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDatabase, dropDatabase } from '@keel/framework/data'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { linter } from '../support/lint-tools.js'
import { shell } from '../support/npm-start.js'
import { cloneOfRepository, commitAll, plainEnvironment } from '../support/repository-clone.js'
import { isLong } from '../support/size.js'
import { directServer } from '../support/test-databases.js'

const keel = 'node framework/bin/keel.js'
const tsc = 'node node_modules/@typescript/native/bin/tsc'
const build = `${tsc} -b && node proxies/bundle.mjs`
const biome = `${linter} check --error-on-warnings`
/** A field of every type. */
const everyType = [
  'code:string(10)! unique, name:string(100)!, note:text, capacity:int, area:decimal(10, 2)!, share:number, isOpen:bool!',
  'openedOn:date!, checkedAt:instant, externalId:guid, kind:enum(Bonded|Free)!, currency:reference(Currency)!',
].join(', ')

const database = `keel_test_scaffolds_${process.pid}`
let clone: string

beforeAll(async () => {
  await createDatabase(directServer, database)
  clone = cloneOfRepository('scaffolds')
  await shell(clone, commitAll)
}, 60_000)
afterAll(async () => {
  rmSync(clone, { recursive: true, force: true })
  await dropDatabase(directServer, database)
}, 60_000)

/** What a command that is refused says, with its exit code. */
async function refusal(command: string): Promise<string> {
  return shell(clone, `${command} 2>&1 || echo "exit $?"`)
}

/** A command of a stranger with a database of its own. */
/** Modules that queue jobs and store settings want Default as well: here both are one database. */
const withDatabase = (connection: string, command: string): string => {
  const url = directServer.urlOf(database)
  return `ConnectionStrings__Default=${url} ConnectionStrings__${connection}=${url} ${command}`
}

const state = () => shell(clone, 'git status --short -uall')

// The page on adding an entity, which a test follows with every change, has one written into Hub.
test.runIf(isLong)(
  'a module and entities that keel writes compile, pass lint, layers and their own tests',
  {
    timeout: 900_000,
  },
  async () => {
    const said = await shell(clone, `${keel} module new fleet fuel-card`)
    expect(said).toContain('npm run migrate -- add fuel-cards')
    symlinkSync(join(clone, 'modules/fleet'), join(clone, 'node_modules/@keel/fleet'))
    await shell(
      clone,
      `${keel} entity new fleet inspection --fields "takenOn:date!, card:reference(FuelCard)!, kind:enum(Short|Long)!"`,
    )
    await shell(
      clone,
      `${keel} entity new core depot --fields "code:string(4)! unique, above:reference(Depot)"`,
    )
    await shell(clone, `${keel} entity new pricing tariff --fields "${everyType}"`)
    await shell(clone, `${linter} check --write .`)
    await shell(clone, build)
    await shell(clone, 'node migrator/dist/main.js add fleet')
    await shell(clone, `${biome} --write migrator/src && ${build}`)
    expect(readdirSync(join(clone, 'modules/fleet'))).toContain('LICENSE')
    expect(
      await shell(clone, withDatabase('Pricing', 'node hosts/schema/dist/main.js add pricing tariffs')),
    ).toBe('The scripts of pricing make what its entity classes declare: there is nothing to write.\n')
    const changed = (await state()).split('\n').map((line) => line.slice(3))
    await shell(clone, `${biome} ${changed.filter((path) => /\.(ts|json)$/.test(path)).join(' ')}`)
    await shell(clone, 'node .ci/layers.mjs')
    const tests = ['fleet/fuel-cards', 'fleet/inspections', 'core/depots', 'pricing/tariffs', 'docs/texts']
    const report = await shell(
      clone,
      `node node_modules/vitest/vitest.mjs run --reporter=json ${tests.map((name) => `test/src/${name}.test.ts`).join(' ')}`,
    )
    expect(JSON.parse(report.slice(report.indexOf('{"num')))).toMatchObject({
      numFailedTestSuites: 0,
      numFailedTests: 0,
    })
  },
)

// The page on adding an entity has a new one; here one changes that others use, which compiles most packages anew.
test.runIf(isLong)(
  'npm run schema -- add writes the next script from changed entity classes, with its locks, and the schema command applies it',
  {
    timeout: 300_000,
  },
  async () => {
    await edit('modules/hub/src/domain/port.ts', (text) =>
      text
        .replace(
          'declare isOverridden: boolean',
          '$&\n  @OptionalColumn(DataType.STRING(9)) declare alias: string | null',
        )
        .replace(
          "{ attributes: ['countryId'] },",
          "$&\n    { attributes: ['alias'], unique: true, where: '\"Alias\" is not null' },",
        ),
    )
    await edit('modules/hub/src/domain/organization.ts', (text) =>
      text.replace('declare dunsNumber', 'declare duns'),
    )
    await edit('modules/hub/src/contracts/organizations.ts', (text) => text.replace('dunsNumber:', 'duns:'))
    await shell(clone, withDatabase('Hub', 'node hosts/schema/dist/main.js hub'))
    const add = 'npm run --silent schema -- add hub'
    const said = await shell(
      clone,
      withDatabase('Hub', `${add} port-aliases --rename HubOrganizations.DunsNumber=Duns 2>/dev/null`),
    )
    const [file = ''] = readdirSync(join(clone, 'modules/hub/schema')).filter((name) =>
      name.endsWith('-port-aliases.sql'),
    )
    expect(said).toContain(`Wrote modules/hub/schema/${file}.`)
    const script = readFileSync(join(clone, 'modules/hub/schema', file), 'utf8')
    expect(script).toMatch(/^-- HubPorts lacks the column Alias \(varchar\(9\)\)\.$/m)
    expect(script).toMatch(/^alter table "HubOrganizations" rename column "DunsNumber" to "Duns";$/m)
    expect(script).toMatch(
      /^alter table "HubPorts" add column "Alias" varchar\(9\);\n--. locks HubPorts: AccessExclusiveLock, blocks reads and writes$/m,
    )
    expect(script).toMatch(
      /^create unique index "IX_HubPorts_Alias" on "HubPorts" \("Alias"\) where "Alias" is not null;\n--. locks HubPorts: ShareLock, blocks writes$/m,
    )
    const applied = await shell(clone, withDatabase('Hub', 'node hosts/schema/dist/main.js hub'))
    expect(applied).toContain(file)
    expect(await shell(clone, withDatabase('Hub', `${add} more 2>/dev/null`))).toContain(
      'there is nothing to write',
    )
    expect(await refusal(withDatabase('Hub', `${add} Port`))).toMatch(
      /"Port" is no name for a script.*exit 2/s,
    )
    expect(await refusal(withDatabase('Hub', 'npm run --silent schema -- add hbu ports'))).toMatch(
      /There is no schema of hbu, only of hub and pricing.*exit 2/s,
    )
  },
)

async function edit(path: string, change: (text: string) => string): Promise<void> {
  const file = join(clone, path)
  const before = readFileSync(file, 'utf8')
  const after = change(before)
  expect(after).not.toBe(before)
  writeFileSync(file, after)
}

// A solution that is written starts with every change (`own-solution.test.ts`).
test.runIf(isLong)(
  'a host that keel writes starts and answers health checks',
  { timeout: 300_000 },
  async () => {
    expect(await shell(clone, `${keel} host new report`)).toContain('hosts/report/src/report-host.ts')
    // All packages, this one included, are compiled by the root's list.
    expect(readFileSync(join(clone, 'tsconfig.json'), 'utf8')).toContain('"./hosts/report"')
    await shell(clone, `${biome} --write hosts/report && ${tsc} -b hosts/report`)
    const host = spawn(process.execPath, [join(clone, 'hosts/report/dist/main.js')], {
      cwd: clone,
      env: { ...plainEnvironment, KEEL_ENVIRONMENT: 'Development', PORT: '0' },
    })
    onTestFinished(() => void host.kill('SIGKILL'))
    let said = ''
    for (const stream of [host.stdout, host.stderr]) stream.on('data', (text) => (said += text))
    const url = () => /"url":"([^"]+)"/.exec(said)?.[1]
    await expect.poll(url, { timeout: 60_000 }).toBeTruthy()
    expect((await fetch(`${url()}/health/live`)).status).toBe(200)
    expect(await refusal(`${keel} host new report`)).toMatch(/hosts\/report\/\S+ exists already.*exit 1/s)
  },
)

test.for([
  ['entity new hub Warehouse', '"Warehouse" is no name'],
  ['entity new hbu warehouse', 'There is no module hbu. Did you mean hub?'],
  ['entity new hub port', 'modules/hub/src/application/entity-sets.ts has a Port already'],
  ['entity new hub warehouse --fields "name"', '"name" is no field.'],
  ['entity new hub warehouse --fields', 'No fields are named.'],
  [
    'entity new hub warehouse --fields "name:strnig(9)"',
    'The field name has an unknown type strnig. Did you mean string?',
  ],
  ['entity new hub warehouse --fields "name:string"', 'The field name needs a length from 1 to 4000'],
  ['entity new hub warehouse --fields "Name:text"', 'The field Name is no name of a field'],
  [
    'entity new hub warehouse --fields "tenantId:guid"',
    'The field tenantId is a name that every entity has already',
  ],
  ['entity new hub warehouse --fields "warehouse:text"', 'The field warehouse is called like the entity'],
  ['entity new hub warehouse --fields "name:text, name:int"', 'The field name is there twice'],
  ['entity new hub warehouse --fields "area:decimal(2, 4)"', 'The field area is written decimal(18, 2)'],
  ['entity new hub warehouse --fields "kind:enum(open)"', 'The field kind is written enum(Open|Closed)'],
  ['entity new hub warehouse --fields "count:int(4)"', 'The field count has a type that takes no (4)'],
  ['entity new hub warehouse --fields "owner:reference(Organisation)"', 'Did you mean Organization?'],
  ['entity new hub warehouse --fields "above:reference(Warehouse)!"', "The field aboveId can't be required"],
  ['module new yard Vehicle', '"Vehicle" is no name'],
  ['module new same same', 'both called same'],
  ['proxy new @keel/hub', 'write one like proxies/hub'],
] as const)('keel %s is refused with what is wrong, before anything is written', async ([command, told]) => {
  const before = await state()
  const said = await refusal(`${keel} ${command}`)
  expect(said).toContain(told)
  expect(said).toContain('exit 2')
  expect(await state()).toBe(before)
})

test('what is there is never overwritten', async () => {
  const read = () => readFileSync(join(clone, 'modules/hub/src/domain/port.ts'), 'utf8')
  const before = read()
  expect(await refusal(`${keel} module new hub vehicle`)).toMatch(/modules\/hub exists already.*exit 1/s)
  await shell(clone, 'echo mine > modules/hub/src/domain/warehouse.ts')
  expect(await refusal(`${keel} entity new hub warehouse`)).toMatch(
    /domain\/warehouse\.ts exists already.*exit 1/s,
  )
  expect(readFileSync(join(clone, 'modules/hub/src/domain/warehouse.ts'), 'utf8')).toBe('mine\n')
  expect(read()).toBe(before)
})
