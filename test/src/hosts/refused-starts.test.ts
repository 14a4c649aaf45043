import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDatabase, dropDatabase } from '@keel/framework/data'
import pg from 'pg'
import ts from 'typescript'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { testOfDirectConnections } from '../support/direct-connections.js'
import { type HostProcess, startApiProcess } from '../support/host-process.js'
import { copyDatabases, type DatabaseCopies } from '../support/spare-databases.js'
import { testServer } from '../support/test-databases.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
let folder: string
let databases: DatabaseCopies

beforeAll(async () => {
  // Beside the tests, so that package names resolve from there.
  mkdirSync(join(root, 'test/.generated'), { recursive: true })
  folder = mkdtempSync(join(root, 'test/.generated/refused-starts-'))
  databases = await copyDatabases()
})
afterAll(async () => {
  await databases?.drop()
  rmSync(folder, { recursive: true, force: true })
})

/** The files of a host with one service, which starts. */
const sound: Readonly<Record<string, string>> = {
  'contracts.ts': `import { AppService, Dto, op, remoteService, z } from '@keel/framework/contracts'
export class GaugeDto extends Dto({ level: z.int() }) {}
export abstract class GaugeAppService extends AppService(remoteService('Yard', 'yard'), 'GaugeAppService', {
  get: op().returns(GaugeDto),
}) {}
`,
  'domain/gauge.ts': `import { Injectable } from '@keel/framework'
@Injectable()
export class Gauge {
  readonly level = 7
}
`,
  'application/gauge-service.ts': `import { AutoApiController } from '@keel/framework'
import { AllowAnonymous } from '@keel/framework/security'
import { GaugeAppService, type GaugeDto } from '../contracts.js'
import { Gauge } from '../domain/gauge.js'

@AutoApiController(GaugeAppService)
@AllowAnonymous()
export class GaugeService implements GaugeAppService {
  constructor(private readonly gauge: Gauge) {}

  async get(): Promise<GaugeDto> {
    return { level: this.gauge.level }
  }
}
`,
  'yard.module.ts': `import { KeelModule, Module } from '@keel/framework'
import { HttpModule } from '@keel/framework/http'
import { GaugeService } from './application/gauge-service.js'
import { Gauge } from './domain/gauge.js'

@Module({ dependsOn: [HttpModule], services: [Gauge, GaugeService] })
export class YardModule extends KeelModule {}
`,
  'main.ts': `import { KeelModule, Module, runHost } from '@keel/framework'
import { YardModule } from './yard.module.js'

@Module({ dependsOn: [YardModule] })
class YardHost extends KeelModule {}
await runHost(YardHost, import.meta.url)
`,
}

interface Ended {
  /** `listening` for a host that started; it is ended then. */
  readonly code: number | null | 'listening'
  readonly said: string
}

/** Compiles a host whose files differ from the sound one's, and runs it until it listens or ends. */
async function run(
  changes: Readonly<Record<string, string>> = {},
  options: ts.CompilerOptions = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const host = join(folder, randomUUID().slice(0, 8))
  for (const [path, text] of Object.entries({ ...sound, ...changes })) {
    const compiled = ts.transpileModule(text, {
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.ESNext,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        useDefineForClassFields: false,
        ...options,
      },
    })
    write(join(host, 'src', path), text)
    write(join(host, 'dist', path.replace(/\.ts$/, '.js')), compiled.outputText)
  }
  write(join(host, 'package.json'), '{ "name": "yard", "private": true, "type": "module" }')
  const child = spawn(process.execPath, [join(host, 'dist/main.js')], {
    cwd: host,
    env: { KEEL_ENVIRONMENT: 'Development', PORT: '0', ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  return new Promise((resolve) => {
    const take = (text: Buffer): void => {
      said += text
      if (said.includes('"msg":"listening"')) resolve({ code: 'listening', said })
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.on('close', (code) => resolve({ code, said }))
  })
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** A file of the sound host with some texts replaced. */
function changed(
  path: string,
  ...replacements: readonly [text: string, instead: string][]
): Record<string, string> {
  let file = sound[path] ?? ''
  for (const [text, instead] of replacements) {
    if (!file.includes(text)) throw new Error(`${path} has no ${text}`)
    file = file.replace(text, instead)
  }
  return { [path]: file }
}

test('the host that the following tests break one by one starts', async () => {
  expect(await run()).toMatchObject({ code: 'listening' })
})

const service = 'src/application/gauge-service.ts'

test.each<[string, Record<string, string>, string]>([
  [
    'a class without @Injectable',
    {
      'domain/gauge.ts':
        'export class Scale {}\nexport class Gauge {\n  readonly level = 7\n  constructor(readonly scale: Scale) {}\n}\n',
    },
    'The constructor of Gauge (Yard) takes 1 parameter, and no decorator makes the compiler write down their classes: write @Injectable() above the class.\n' +
      '  at src/domain/gauge.ts:2\n',
  ],
  [
    'a service that is not listed',
    changed('yard.module.ts', ['Gauge, GaugeService]', 'Gauge]']),
    'GaugeService implements GaugeAppService, but no module lists it: add it to services of YardModule (src/yard.module.ts:7).\n' +
      `  at ${service}:8\n`,
  ],
  [
    'a service that is not even imported',
    changed(
      'yard.module.ts',
      ["import { GaugeService } from './application/gauge-service.js'\n", ''],
      ['Gauge, GaugeService]', 'Gauge]'],
    ),
    'GaugeService implements GaugeAppService, but no module lists it: add it to services of YardModule (src/yard.module.ts:6).\n' +
      `  at ${service}:8\n`,
  ],
  [
    'a service without @AutoApiController',
    changed(
      'application/gauge-service.ts',
      ['import { AutoApiController }', 'import { Injectable }'],
      ['@AutoApiController(GaugeAppService)', '@Injectable()'],
    ),
    'GaugeService (Yard) implements GaugeAppService, but is not bound to it: write @AutoApiController(GaugeAppService) above the class.\n' +
      `  at ${service}:8\n`,
  ],
  [
    '`import type` of an injected class',
    changed('application/gauge-service.ts', ['import { Gauge }', 'import type { Gauge }']),
    'Parameter 1 (gauge) of GaugeService has no class that can be injected: give it a class as type, import that class without `import type`, and break import circles.\n' +
      '  GaugeService (Yard)\n' +
      `  at ${service}:9\n`,
  ],
  [
    'services in a circle',
    {
      'domain/gauge.ts': `import { Injectable } from '@keel/framework'
export abstract class Scale {}
@Injectable()
export class Gauge {
  readonly level = 7
  constructor(readonly scale: Scale) {}
}
`,
      'domain/bridge.ts': `import { Provides } from '@keel/framework'
import { Gauge, Scale } from './gauge.js'
@Provides(Scale)
export class Bridge extends Scale {
  constructor(readonly gauge: Gauge) {
    super()
  }
}
`,
      ...changed(
        'yard.module.ts',
        ['[Gauge,', '[Bridge, Gauge,'],
        ['import { Gauge }', "import { Bridge } from './domain/bridge.js'\nimport { Gauge }"],
      ),
    },
    'Services need each other in a circle: Bridge → Gauge → Bridge. Move what both need into a third one.\n' +
      '  at src/domain/bridge.ts:5\n  at src/domain/gauge.ts:6\n',
  ],
  [
    'modules that depend on each other',
    {
      'other.module.ts': `import { KeelModule, Module } from '@keel/framework'
import { YardModule } from './yard.module.js'

@Module({ dependsOn: [YardModule] })
export class OtherModule extends KeelModule {}
`,
      ...changed(
        'yard.module.ts',
        ['[HttpModule]', '[HttpModule, OtherModule]'],
        ['import { Gauge }', "import { OtherModule } from './other.module.js'\nimport { Gauge }"],
      ),
    },
    "YardModule is used before its file has run: files import each other in a circle. Let one side use the other's contracts only, or move what both need into a third file.\n" +
      '  at src/other.module.ts:4\n',
  ],
  [
    'a dependency whose module is left out',
    {
      'domain/gauge.ts': `import { Injectable } from '@keel/framework'
import { Mailer } from '@keel/framework/mail'
import { PortAppService } from '@keel/hub/contracts'
@Injectable()
export class Gauge {
  readonly level = 7
  constructor(readonly ports: PortAppService, readonly mailer: Mailer) {}
}
`,
    },
    "Nothing provides PortAppService: add HubModule from '@keel/hub' to dependsOn of YardModule, or the contract to remotes.\n" +
      '  Gauge (Yard) → PortAppService\n  at src/domain/gauge.ts:7\n',
  ],
  [
    'an extension point of the framework whose module is left out',
    {
      'domain/gauge.ts': `import { Injectable } from '@keel/framework'
import { Mailer } from '@keel/framework/mail'
@Injectable()
export class Gauge {
  readonly level = 7
  constructor(readonly mailer: Mailer) {}
}
`,
    },
    "Nothing provides Mailer: add MailModule from '@keel/framework/mail' to dependsOn of YardModule.\n" +
      '  Gauge (Yard) → Mailer\n  at src/domain/gauge.ts:6\n',
  ],
])('%s stops the start, told with place and cure', async (_, changes, told) => {
  const { code, said } = await run(changes)
  expect(code).toBe(1)
  expect(said).toContain(`did not start.\n${told}`)
})

test('emitDecoratorMetadata switched off stops the start, told with the options', async () => {
  const { code, said } = await run({}, { emitDecoratorMetadata: false })
  expect([code, said]).toEqual([
    1,
    'YardHost did not start.\n' +
      'The constructor of GaugeService (Yard) takes 1 parameter, and the compiler did not write down their classes: set "experimentalDecorators" and "emitDecoratorMetadata" to true in tsconfig.json. Programs that only strip types (node --experimental-strip-types, esbuild, tsx) never write them.\n' +
      `  at ${service}:8\n`,
  ])
})

test('decorators of ECMAScript instead of those of TypeScript stop the start, told with the options', async () => {
  const { code, said } = await run({}, { experimentalDecorators: false, emitDecoratorMetadata: false })
  expect(code).toBe(1)
  expect(said).toContain('set "experimentalDecorators" and "emitDecoratorMetadata" to true in tsconfig.json')
})

test('a level of the log that does not exist stops the start, told with those that do', async () => {
  const { code, said } = await run({}, {}, { Log__Level: 'Information' })
  expect([code, said]).toEqual([
    1,
    "YardHost did not start.\nLog:Level is 'information' (from environment variable Log__Level): set it to one of trace, debug, info, warn, error, fatal, silent.\n",
  ])
})

/** The API host as a process that is gone after the test. */
function startApi(env: Readonly<Record<string, string>>): HostProcess {
  const host = startApiProcess({ ...databases.env, ...env })
  onTestFinished(async () => {
    host.child.kill('SIGKILL')
    await host.exitCode
  })
  return host
}

testOfDirectConnections('a database that refuses the password stops the start, told without it', async () => {
  const url = new URL(databases.env.ConnectionStrings__Hub ?? '')
  url.password = 'wrong-hunter2'
  const host = startApi({ ConnectionStrings__Hub: url.href })
  expect(await host.exitCode).toBe(1)
  expect(host.said()).toContain(
    'ApiHost did not start.\n' +
      `The database ${url.pathname.slice(1)} on ${url.hostname}:${url.port} can't be used as ${url.username}: it refuses the password (28P01).\n` +
      '  Check user and password, in ConnectionStrings:Hub (from environment variable ConnectionStrings__Hub).\n',
  )
  expect(host.said()).not.toContain('hunter2')
})

testOfDirectConnections('a database that does not exist stops the start', async () => {
  const host = startApi({ ConnectionStrings__Default: testServer.urlOf('keel_nowhere') })
  expect(await host.exitCode).toBe(1)
  expect(host.said()).toMatch(
    /The database keel_nowhere on \S+ can't be used as \w+: it does not exist \(3D000\)\.\n {2}Create it, or name one that exists, in ConnectionStrings:Default /,
  )
})

/** An address that leads to the test server while it is open. */
class Passage {
  private server: Server | undefined
  private readonly sockets = new Set<{ destroy(): unknown }>()
  port = 0

  async open(): Promise<void> {
    const target = new URL(testServer.urlOf(''))
    this.server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname)
      for (const socket of [near, far]) {
        this.sockets.add(socket)
        socket.on('error', () => undefined)
      }
      near.pipe(far).pipe(near)
    })
    await new Promise<void>((resolve) => this.server?.listen(this.port, '127.0.0.1', resolve))
    this.port = (this.server.address() as { port: number }).port
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await new Promise((resolve) => this.server?.close(resolve) ?? resolve(undefined))
    this.server = undefined
  }
}

test.each([
  ['Pricing', 200, 'Degraded'],
  ['Default', 503, 'Unhealthy'],
] as const)(
  'a host starts while the %s database is away, says so with %i, and recovers',
  { timeout: 60_000 },
  async (connection, status, state) => {
    const passage = new Passage()
    await passage.open()
    await passage.close()
    onTestFinished(() => passage.close())
    const away = new URL(databases.env[`ConnectionStrings__${connection}`] ?? '')
    away.hostname = '127.0.0.1'
    away.port = String(passage.port)
    const host = startApi({ [`ConnectionStrings__${connection}`]: away.href })
    const url = await host.url
    const health = async () => {
      const answer = await fetch(`${url}/health/ready`)
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    }
    expect(await health()).toMatchObject({
      status,
      body: {
        status: state,
        entries: {
          [`${connection} database`]: {
            status: state,
            description: 'The database does not answer: nothing listens at its address (ECONNREFUSED).',
          },
          'Hub database': { status: 'Healthy' },
        },
      },
    })
    await passage.open()
    await expect
      .poll(
        async () =>
          ((await health()).body.entries as Record<string, { status: string }>)[`${connection} database`]
            ?.status,
        { timeout: 30_000, interval: 200 },
      )
      .toBe('Healthy')
  },
)

test('a Default database that lacks a migration of the release, but no column, makes the host Degraded and names it', async () => {
  const name = 'ConnectionStrings__Default'
  const client = new pg.Client({ connectionString: databases.env[name] })
  await client.connect()
  onTestFinished(() => client.end())
  const { rows } = await client.query(
    `delete from "__EFMigrationsHistory" where "MigrationId" = '20261122-open-jobs' returning *`,
  )
  onTestFinished(async () => {
    await client.query('insert into "__EFMigrationsHistory" values ($1, $2)', Object.values(rows[0]))
  })
  const host = startApi({})
  const answer = await fetch(`${await host.url}/health/ready`)
  const description =
    'The schema is not up to date: 1 migration is not applied: 20261122-open-jobs. Run the migrator (npm run migrate).'
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    { status: 'Degraded', entries: { 'Default database': { status: 'Degraded', description } } },
  ])
})

test.each([
  ['Pricing', 'Degraded', '\\(npm run schema -- pricing\\)'],
  ['Default', 'Unhealthy', '\\(npm run migrate\\)'],
] as const)(
  'a %s database without tables makes the host %s, told with the cure',
  async (connection, state, cure) => {
    const name = `keel_empty_${randomUUID().slice(0, 8)}`
    await createDatabase(testServer, name)
    onTestFinished(() => dropDatabase(testServer, name))
    const host = startApi({ [`ConnectionStrings__${connection}`]: testServer.urlOf(name) })
    const answer = await fetch(`${await host.url}/health/ready`)
    const said = `^The schema is not up to date: \\d+ tables are missing: \\w.*\\. Run the .* ${cure}\\.$`
    expect(await answer.json()).toMatchObject({
      status: state,
      entries: {
        [`${connection} database`]: {
          status: state,
          description: expect.stringMatching(new RegExp(said)),
        },
      },
    })
  },
)

test('a Hub database that lacks a column and a script is told by /health/ready and by keel doctor, with the cure', {
  timeout: 60_000,
}, async () => {
  const own = await copyDatabases()
  onTestFinished(() => own.drop())
  const client = new pg.Client({ connectionString: own.env.ConnectionStrings__Hub })
  await client.connect()
  const { rows } = await client
    .query(
      `with last as (select max("Name") as name from "KeelSchemaScripts")
       delete from "KeelSchemaScripts" using last where "Name" = last.name returning "Name" as name`,
    )
    .finally(() => client.query('alter table "HubDocuments" rename column "FileName" to "NameOfFile"'))
    .finally(() => client.end())
  const lacks = `1 column is missing: HubDocuments.FileName; 1 schema script is not applied: ${rows[0].name}`
  const cure = 'Run the schema command (npm run schema -- hub).'
  const host = startApi(own.env)
  const answer = await fetch(`${await host.url}/health/ready`)
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    {
      status: 'Degraded',
      entries: {
        'Hub database': {
          status: 'Degraded',
          description: `The schema is not up to date: ${lacks}. ${cure}`,
        },
        'Pricing database': { status: 'Healthy' },
      },
    },
  ])
  const keel = join(root, 'framework/bin/keel.js')
  const doctor = spawn(process.execPath, [keel, 'doctor', '@keel/api-host'], {
    cwd: join(root, 'test'),
    env: { ...process.env, KEEL_ENVIRONMENT: 'Development', ...own.env },
  })
  let said = ''
  doctor.stdout.on('data', (text) => (said += text))
  await new Promise((resolve) => doctor.once('close', resolve))
  expect(said).toContain(`${lacks}\n    ${cure}`)
})
