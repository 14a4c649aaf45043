import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import * as core from '@keel/core/contracts'
import { servicesIn } from '@keel/framework/contracts'
import { Databases, namedGuid, raw, sql } from '@keel/framework/data'
import * as hub from '@keel/hub/contracts'
import { ContainerAppService, PortPermissions } from '@keel/hub/contracts'
import { OperationsManager } from '@keel/identity/contracts'
import * as pricing from '@keel/pricing/contracts'
import { expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from '../support/app.js'

const bin = fileURLToPath(new URL('../../../framework/bin/keel.js', import.meta.url))
const directory = fileURLToPath(new URL('../..', import.meta.url))

/** What the command line answers, run in the folder of these tests. */
async function keel(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return keelWith({}, ...args)
}

/** The same with environment variables. */
async function keelWith(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const ran = promisify(execFile)(process.execPath, [bin, ...args], {
    cwd: directory,
    env: { ...process.env, ...env },
  })
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
  const contracts = [core, hub, pricing].flatMap(servicesIn).map(({ contract }) => contract)
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
  expect([names[0], names.at(-1)]).toEqual(['Telemetry', 'ApiHost'])
})

test('keel module remove tells what goes with a module, and changes nothing without --yes', async () => {
  const file = fileURLToPath(new URL('../../../hosts/api/src/api-host.ts', import.meta.url))
  const before = readFileSync(file, 'utf8')
  const { code, stdout } = await keel('module', 'remove', 'hosts/api', '@keel/pricing')
  expect(code).toBe(0)
  for (const gone of [
    'Pricing',
    'PricingQuotes',
    'Quotes',
    'Quote.View',
    'Pricing.Quotes',
    'GET /api/pricing/quote',
  ])
    expect(stdout.split('\n')).toContain(`  - ${gone}`)
  expect(stdout).not.toContain('  + ')
  expect(stdout).toMatch(/\nNothing is changed yet: with --yes hosts\/api\/src\/api-host\.ts is\.\n$/)
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('keel module add tells what a module brings, and refuses one that is there', async () => {
  const { code, stdout } = await keel('module', 'add', 'hosts/auth', '@keel/hub')
  expect(code).toBe(0)
  for (const added of ['Hub', 'HubShipments', 'Shipments', 'Shipment.View', 'POST /api/hub/shipment'])
    expect(stdout.split('\n')).toContain(`  + ${added}`)
  const again = await keel('module', 'add', 'hosts/api', '@keel/hub')
  expect([again.code, again.stderr]).toEqual([1, 'ApiHost has HubModule already\n'])
})

test('keel mail preview writes every mail and text message in every language, with the white label', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keel-preview-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { code, stdout } = await keel(
    'mail',
    'preview',
    '@keel/api-host',
    folder,
    '--App:WhiteLabeling:AppName=<Harbour>',
  )
  expect([code, stdout]).toEqual([0, `17 templates in 6 languages: open ${join(folder, 'index.html')}\n`])
  const page = readFileSync(join(folder, 'de.html'), 'utf8')
  for (const shown of [
    'Passwort zurücksetzen – &lt;Harbour&gt;',
    '123456 ist Ihr Code',
    'de/Account.Invitation.html',
  ])
    expect(page).toContain(shown)
  const mail = readFileSync(join(folder, 'zh-Hans', 'Account.Invitation.html'), 'utf8')
  expect(mail).toContain('您已受邀加入 &lt;Harbour&gt;')
})

test('keel contract keeps what others rely on of a host, and tells what of it a later one breaks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keel-contract-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [old, now] = [join(folder, 'old.json'), join(folder, 'new.json')]
  expect(await keel('contract', 'write', '@keel/api-host', old)).toMatchObject({ code: 0, stderr: '' })
  expect(await keel('contract', 'diff', old, old)).toMatchObject({ code: 0, stdout: 'Nothing changed.\n' })
  // Where a break is wanted, CHANGELOG.md names it, and `node test/keep-contract.mjs` keeps the contract anew.
  const kept = join(folder, 'kept.json')
  writeFileSync(kept, gunzipSync(readFileSync(join(directory, 'contract.json.gz'))))
  const { stdout: changes } = await keel('contract', 'diff', kept, old)
  expect(changes.split('\n').filter((line) => line.startsWith('breaking'))).toEqual([])

  const contract = JSON.parse(readFileSync(old, 'utf8'))
  const port = contract.schemas['Hub.PortDto']
  port.properties.harbourMaster = { type: 'string' }
  writeFileSync(now, JSON.stringify(contract))
  const added = await keel('contract', 'diff', old, now)
  expect([added.code, added.stdout]).toEqual([
    0,
    expect.stringMatching(/^compatible {2}received Hub.PortDto.harbourMaster: is new\n1 changes/),
  ])

  delete port.properties.name
  delete contract.permissions[PortPermissions.View]
  delete contract.entitySets.Ports
  writeFileSync(now, JSON.stringify(contract))
  const broken = await keel('contract', 'diff', old, now)
  expect(broken.code).toBe(1)
  expect(broken.stdout).toContain('breaking    permission Port.View: is gone')
  expect(broken.stdout).toContain('breaking    entity set Ports: is gone')
  expect(broken.stdout).toContain('breaking    received Hub.PortDto.name: is gone')
  expect(broken.stdout).toMatch(/: the next version after \S+ is a minor one\.\n$/)

  writeFileSync(now, '{}')
  expect(await keel('contract', 'diff', old, now)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is no contract'),
  })
  expect((await keel('contract', 'diff', old)).code).toBe(2)
})

test('keel doctor finds nothing wrong with a host whose databases and auth server answer', async () => {
  const app = await startApp()
  onTestFinished(() => app.close())
  const { code, stdout } = await keelWith(surroundings(app), 'doctor', '@keel/api-host')
  expect(stdout).toContain('0 problems')
  expect(stdout).toMatch(/✓ +Hub database, kept columns +14 triggers, as the schema scripts make them\n/)
  expect(stdout).toMatch(/✓ +Readers in HubConsols +right \(rows looked at: \d+\)\n/)
  expect(code).toBe(0)
})

test('keel doctor names each problem with the setting that cures it', async () => {
  const app = await startApp()
  onTestFinished(() => app.close())
  await app.host
    .get(Databases)
    .named('Hub')
    .execute(sql`alter table "HubDocuments" rename to "HubOtherDocuments"`)
  await app.host
    .get(Databases)
    .named('Default')
    .execute(sql`
    insert into "AbpClaimTypes" ("Id", "Name", "Required", "IsStatic", "Regex", "ValueType", "CreationTime", "ExtraProperties", "ConcurrencyStamp")
    values (gen_random_uuid(), 'twice', false, false, ${'(a+)\\1'}, 0, now(), '{}', 'stamp')`)
  const { code, stdout } = await keelWith(
    { ...surroundings(app), KEEL_ENVIRONMENT: 'Production' },
    'doctor',
    '@keel/api-host',
    '--AuthServer:Authority=http://localhost:9',
    '--ConnectionStrings:Pricing=postgres://nobody:wrong@127.0.0.1:9/none',
    '--App:SelfUrl=https://api.example.com',
    '--App:CorsOrigins=https://ui.example.com/start',
  )
  expect(code).toBe(1)
  const findings = stdout.split(/\n(?=[✓!✗])/).filter((finding) => finding.startsWith('✗'))
  const cures = [
    /Forwarded headers .*\n {4}Set App:TrustedProxies/,
    /CORS .*https:\/\/ui.example.com\/start is no origin\n {4}.*App:CorsOrigins/,
    /Hub database, tables .*HubDocuments\n {4}Run the schema command/,
    /Pricing database .*\n {4}Set ConnectionStrings:Pricing/,
    /Auth server, transport .*has no TLS.*\n {4}Set AuthServer:Authority/,
    /Auth server .*localhost:9.*\n {4}Start it, or set AuthServer:Authority/,
  ]
  for (const cure of cures) expect(findings).toContainEqual(expect.stringMatching(cure))
  expect(findings).toHaveLength(cures.length)
  expect(stdout).toMatch(
    /! +Claim types +no value is compared with the regular expressions of twice, nor taken\n/,
  )
})

test('keel doctor tells in a sentence where the tables of Hub differ from its entity classes', async () => {
  const app = await startApp()
  onTestFinished(() => app.close())
  const hub = app.host.get(Databases).named('Hub')
  await hub.execute(sql`alter table "HubPorts" alter column "Name" type varchar(90)`)
  await hub.execute(sql`drop index "IX_HubOrders_ShipmentId"`)
  const { code, stdout } = await keelWith(surroundings(app), 'doctor', '@keel/api-host')
  expect(code).toBe(0)
  expect(stdout).toMatch(/✓ +Pricing database, schema +as the entity classes declare\n/)
  const found = [...stdout.matchAll(/! +Hub database, schema +(.*)\n {4}(.*)\n/g)].map(([, text, cure]) => [
    text,
    cure,
  ])
  const cure = expect.stringContaining('npm run schema -- add hub what-changes')
  expect(found).toEqual([
    ['HubOrders lacks the index IX_HubOrders_ShipmentId: index ("ShipmentId").', cure],
    ['HubPorts.Name is varchar(90) not null, but the entity class declares varchar(100) not null.', cure],
  ])
})

test('keel doctor names triggers that keep columns, and their functions, that are not those of the scripts, and rows with wrong values; its cures mend them', {
  timeout: 60_000,
}, async () => {
  const app = await startApp()
  onTestFinished(() => app.close())
  const hub = app.host.get(Databases).named('Hub')
  const staff = await app.as({ roles: [OperationsManager] })
  await staff.service(ContainerAppService).create({ containerTypeId: namedGuid('ContainerType:45G1') })
  await hub.execute(sql`drop trigger "KEEP_HubOrders_ReaderIds" on "HubOrders"`)
  await hub.execute(sql`alter table "HubContainers" disable trigger "KEEP_HubContainers_ReaderIds"`)
  await hub.execute(sql`update "HubContainers" set "ReaderIds" = array[gen_random_uuid()]`)
  await hub.execute(
    sql`create or replace trigger "KEEP_ReaderIds" after update of "CreatorId" on "HubShipments"
          for each row execute function keel_hub_readers_of_shipment_changed()`,
  )
  await hub.execute(sql`drop function keel_hub_renew_consols(uuid[])`)
  await hub.execute(
    sql`create or replace function keel_hub_readers_of_consol() returns trigger language plpgsql as 'begin return new; end'`,
  )
  const { code, stdout } = await keelWith(surroundings(app), 'doctor', '@keel/api-host')
  const findings = [...stdout.matchAll(/^✗ +(Hub database, kept columns|Readers in \w+) +(.*)\n {4}(.*)/gm)]
  const found = findings.map(([, subject, told, cure]) => [subject, told, cure?.split('. Then ')[0]])
  const create = 'Run the statement that creates it, of 0027-readers.sql'
  const enable = 'alter table "HubContainers" enable trigger "KEEP_HubContainers_ReaderIds"'
  const renew = `update "HubContainers" set "ReaderIds" = '{}'`
  expect([code, found.sort()]).toEqual([
    1,
    [
      ['The function keel_hub_readers_of_consol() has another body.', create],
      ['The function keel_hub_renew_consols() is missing.', create],
      ['The trigger KEEP_HubContainers_ReaderIds of HubContainers is disabled.', `Run ${enable}`],
      ['The trigger KEEP_HubOrders_ReaderIds of HubOrders is missing.', create],
      [
        'The trigger KEEP_ReaderIds of HubShipments is another one than that of 0027-readers.sql.',
        `Drop it. ${create}`,
      ],
    ]
      .map((finding) => ['Hub database, kept columns', ...finding])
      .concat([
        [
          'Readers in HubContainers',
          'wrong in 1 of 1 rows looked at, which others see than those who may',
          `Once all triggers are there and enabled, run ${renew}: they compute the values.`,
        ],
      ]),
  ])
  await hub.execute(sql`${raw(enable)}`)
  await hub.execute(sql`${raw(renew)}`)
  expect(await hub.query(sql`select "ReaderIds" as readers from "HubContainers"`)).toEqual([{ readers: [] }])
})

test('npm run seed:demo refuses a number of shipments before it writes anything', async () => {
  const app = await startApp()
  onTestFinished(() => app.close())
  const count = async () =>
    (await app.host.get(Databases).named('Default').query(sql`select count(*) as n from "AbpUsers"`))[0]
  const before = await count()
  const demo = fileURLToPath(new URL('../../../hosts/schema/dist/demo.js', import.meta.url))
  const failure = await promisify(execFile)(process.execPath, [demo, '--shipments', '2000000'], {
    env: { ...process.env, KEEL_ENVIRONMENT: 'Development', ...surroundings(app) },
  }).catch((error) => error)
  expect([failure.code, failure.stderr]).toEqual([
    2,
    expect.stringContaining('--shipments must be a whole number from 1 to 1000000, not 2000000'),
  ])
  expect(await count()).toEqual(before)
})

test('keel doctor looks at the clients and the keys of the auth server', async () => {
  const app = await startApp()
  onTestFinished(() => app.close())
  const { stdout } = await keelWith(surroundings(app), 'doctor', '@keel/auth-host')
  expect(stdout).toMatch(/✓ +Client admin +http:\/\/localhost:4002\/authentication\/login-callback/)
  expect(stdout).toMatch(/✓ +Signing key/)
})

/** What a host needs to know to use the databases and tokens of another. */
function surroundings({ host }: App): Record<string, string> {
  return {
    ConnectionStrings__Default: host.databaseUrl('Default'),
    ConnectionStrings__Hub: host.databaseUrl('Hub'),
    ConnectionStrings__Pricing: host.databaseUrl('Pricing'),
    AuthServer__Authority: host.issuer.address,
  }
}

test.for([
  { args: ['--help'], told: /^usage: keel <command>\n[\s\S]*\n {2}keel routes <host> / },
  {
    args: ['routes', '--help'],
    told: /^usage: keel routes <host>\n[\s\S]+example: keel routes @keel\/api-host\n$/,
  },
  {
    args: ['pipeline'],
    told: /^1 +request +correlation id [\s\S]+ route +guard [\s\S]+ operation +unit of work [\s\S]+\(framework\/src\/modularity\/answer-check\.ts\)\n$/,
  },
  { args: ['module', 'new', '-h'], told: /^usage: keel module new <name> <entity> \[--fields/ },
  { args: ['help'], told: /^usage: keel <command>\n/ },
  { args: ['help', 'entity', 'new'], told: /^usage: keel entity new <module> <entity> / },
  { args: ['--version'], told: /^\d+\.\d+\.\d+\S*\n$/ },
])('keel $args ends with 0 and tells', async ({ args, told }) => {
  expect(await keel(...args)).toEqual({ code: 0, stdout: expect.stringMatching(told), stderr: '' })
})

test('keel <command> --help ends with 0 for every command, and for the first word of those that have two', async () => {
  const { stdout: overview } = await keel('--help')
  const lines = overview.split('\n').filter((line) => /^ {2}keel [a-z].* {2}/.test(line))
  const names = lines.map((line) => line.trim().split(' <')[0]?.split(/ {2,}/)[0]?.replace('keel ', '') ?? '')
  expect(names).toEqual(expect.arrayContaining(['doctor', 'entity new', 'pipeline']))
  const answers = await Promise.all(
    names.map(async (name) => [name, await keel(...name.split(' '), '--help')] as const),
  )
  for (const [name, answer] of answers)
    expect([name, answer]).toEqual([
      name,
      { code: 0, stdout: expect.stringMatching(new RegExp(`^usage: keel ${name}[ \\n]`)), stderr: '' },
    ])
  const groups = new Set(names.filter((name) => name.includes(' ')).map((name) => name.split(' ')[0] ?? ''))
  expect([...groups]).toEqual(expect.arrayContaining(['contract', 'entity', 'mail', 'module']))
  for (const group of groups) {
    const { code, stdout, stderr } = await keel(group, '--help')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(new RegExp(`^usage: keel ${group} <command>\n\n  keel ${group} `))
    for (const name of names)
      expect([group, name, stdout.includes(`  keel ${name} `)]).toEqual([
        group,
        name,
        name.startsWith(`${group} `),
      ])
  }
}, 60_000)

test('keel routes of the program that runs a host starts nothing', async () => {
  const { code, stdout, stderr } = await keelWith(
    { ConnectionStrings__Default: 'postgres://nobody:wrong@127.0.0.1:9/none', PORT: '-1' },
    'routes',
    '../hosts/api/dist/main.js',
  )
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/GET +\/api\/hub\/port\/\{id\} +PortService\.get /)
  expect(stdout).not.toContain('"msg"')
})

test('keel doctor beside npm start finds its databases', async () => {
  const app = await startApp()
  const folder = mkdtempSync(join(tmpdir(), 'keel-doctor-'))
  onTestFinished(async () => {
    rmSync(folder, { recursive: true })
    await app.close()
  })
  const { AuthServer__Authority: authority, ...connections } = surroundings(app)
  const lines = Object.entries(connections).map(([key, url]) => `${key}='${url}'\n`)
  mkdirSync(join(folder, '.keel'))
  writeFileSync(join(folder, '.keel/databases.env'), lines.join(''))
  const host = fileURLToPath(new URL('../../../hosts/api/dist/api-host.js', import.meta.url))
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('ConnectionStrings')),
  )
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [bin, 'doctor', host, `--AuthServer:Authority=${authority}`],
    { cwd: folder, env },
  )
  expect(stdout).toMatch(/✓ +Configuration +databases of npm start, from .*\.keel\/databases\.env\n/)
  expect(stdout).toContain('0 problems')
})

test.for([
  { script: 'hosts/api/dist/main.js', told: /^usage: node [\s\S]+ApiHost[\s\S]+\n {2}App:SelfUrl\n/ },
  { script: 'hosts/auth/dist/main.js', told: /^usage: node [\s\S]+\n {2}AuthServer:/ },
  { script: 'hosts/schema/dist/main.js', told: /^usage: npm run schema .*\n[\s\S]+hub, pricing/ },
  { script: 'hosts/schema/dist/demo.js', told: /^usage: npm run seed:demo -- --shipments N/ },
  { script: 'migrator/dist/main.js', told: /^usage: npm run migrate [\s\S]+migrator remove / },
  { script: 'migrator/dist/deploy.js', told: /^usage: node deploy\.js [\s\S]+Ends with 0 / },
  { script: 'hosts/dev/start.mjs', told: /^usage: npm start [\s\S]+Ctrl-C stops it\.\n\n {2}--watch/ },
  { script: 'test/long.mjs', told: /^usage: npm run test:long / },
])('$script --help tells how it is called and does nothing', async ({ script, told }) => {
  const path = fileURLToPath(new URL(`../../../${script}`, import.meta.url))
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [path, '--help'], {
    cwd: tmpdir(),
    env: {},
  })
  // The auth server's library complains of Node 20 whatever it is asked for.
  expect([stdout, stderr.replace(/^oidc-provider WARNING.*\n/, '')]).toEqual([
    expect.stringMatching(told),
    '',
  ])
})

test.for([
  { args: ['doctor'], code: 2, told: /^keel doctor needs <host>\.\n\nusage: keel doctor <host> / },
  {
    args: ['doctor', '@keel/api-host', 'more'],
    code: 2,
    told: /^There is no use for more\./,
  },
  { args: ['doctor', '@keel/api-host', '--json'], code: 2, told: /^There is no option --json\./ },
  { args: ['routes', 'nowhere'], code: 1, told: /^nowhere is neither a file nor a package/ },
  { args: ['routes', '@keel/framework/contracts'], code: 1, told: /exports no module: name a file/ },
  { args: ['routes'], code: 2, told: /^keel routes needs <host>\.\n\nusage: keel routes <host>\n/ },
  {
    args: ['ruotes', '@keel/api-host'],
    code: 2,
    told: /^There is no command ruotes\. Did you mean routes\?\n\nusage: keel /,
  },
  {
    args: ['modul', 'graph', 'x'],
    code: 2,
    told: /^There is no command modul\. Did you mean module graph\?/,
  },
  { args: ['entiy', '--help'], code: 2, told: /^There is no command entiy\. Did you mean entity\?/ },
  {
    args: ['module', 'old'],
    code: 2,
    told: /^There is no command module old, only module graph, module add, module remove, and module new\./,
  },
  {
    args: ['launch', '@keel/api-host'],
    code: 2,
    told: /^There is no command launch\.\n\nusage: keel <command>\n/,
  },
  { args: [], code: 2, told: /^A command is needed\.\n\nusage: keel <command>\n/ },
])('keel $args ends with $code and tells why', async ({ args, code, told }) => {
  expect(await keel(...args)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(told) })
})

test.for([
  {
    script: 'hosts/schema/dist/main.js',
    args: ['hbu'],
    told: /^There is no schema of hbu, only of hub and pricing\. --help tells more\.\n$/,
  },
  {
    script: 'hosts/schema/dist/main.js',
    args: ['add', 'hub'],
    told: /^add takes a module and what changes\n\nusage: /,
  },
  {
    script: 'hosts/schema/dist/main.js',
    args: ['add', 'hub', 'names', '--renam', 'A=B'],
    told: /^There is no option --renam\. Did you mean --rename\?\n\nusage: npm run schema /,
  },
  {
    script: 'hosts/schema/dist/demo.js',
    args: ['--shipment', '5'],
    told: /^There is no option --shipment\. Did you mean --shipments\?\n\nusage: npm run seed:demo /,
  },
  { script: 'hosts/schema/dist/demo.js', args: ['5'], told: /^There is no use for 5\.\n\nusage: / },
  {
    script: 'hosts/create/dist/main.js',
    args: ['--without-hubs'],
    told: /^There is no option --without-hubs\. Did you mean --without-hub\?/,
  },
  {
    script: 'migrator/dist/deploy.js',
    args: ['--timeout', 'long'],
    told: /^--timeout and --poll take seconds\n/,
  },
])('$script $args ends with 2 and tells why', async ({ script, args, told }) => {
  const path = fileURLToPath(new URL(`../../../${script}`, import.meta.url))
  const ended = promisify(execFile)(process.execPath, [path, ...args], { cwd: tmpdir(), env: {} })
  await expect(ended).rejects.toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(told) })
})
