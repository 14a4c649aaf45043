import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type HostProcess, startApiProcess } from '../support/host-process.js'
import { copyDatabases, type DatabaseCopies } from '../support/spare-databases.js'

let databases: DatabaseCopies
beforeAll(async () => {
  databases = await copyDatabases()
})
afterAll(() => databases?.drop())

const { peerDependencies, peerDependenciesMeta, dependencies } = JSON.parse(
  readFileSync(new URL('../../../framework/package.json', import.meta.url), 'utf8'),
) as {
  peerDependencies: Readonly<Record<string, string>>
  peerDependenciesMeta: Readonly<Record<string, { optional: boolean }>>
  dependencies: Readonly<Record<string, string>>
}
const drivers = Object.keys(peerDependencies)

/** The API host where none of the drivers is installed. */
function startWithoutDrivers(env: Readonly<Record<string, string>>): HostProcess {
  const host = startApiProcess({
    ...databases.env,
    NODE_OPTIONS: `--import=${new URL('../support/hidden-packages.mjs', import.meta.url).href}`,
    KEEL_TEST_HIDDEN_PACKAGES: drivers.join(','),
    ...env,
  })
  onTestFinished(async () => {
    host.child.kill('SIGKILL')
    await host.exitCode
  })
  return host
}

test('the drivers of Redis, RabbitMQ, S3 and OpenTelemetry come along with no package', () => {
  expect(drivers.filter((name) => !peerDependenciesMeta[name]?.optional)).toEqual([])
  const scopes = /^(@aws-sdk\/|@redis\/|redis$|rabbitmq-client$|amqplib$|@opentelemetry\/(?!api$))/
  expect(Object.keys(dependencies).filter((name) => scopes.test(name))).toEqual([])
  expect(drivers.length).toBeGreaterThanOrEqual(10)
})

test('a host that is configured for none of the drivers starts and serves where none is installed', async () => {
  const host = startWithoutDrivers({})
  const { status } = await fetch(`${await host.url}/health/ready`)
  expect(status).toBe(200)
})

const telemetry = [
  '@opentelemetry/exporter-metrics-otlp-http',
  '@opentelemetry/exporter-prometheus',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/sdk-trace-base',
]

test.each<[string, string, Record<string, string>, string[]]>([
  ['Redis', 'Redis:IsEnabled', { Redis__IsEnabled: 'true' }, ['@redis/client']],
  [
    'RabbitMQ',
    'RabbitMQ:Connections:Default:HostName',
    { RabbitMQ__Connections__Default__HostName: 'localhost' },
    ['rabbitmq-client'],
  ],
  ['S3', 'Blobs:S3:Bucket', { Blobs__S3__Bucket: 'files' }, ['@aws-sdk/client-s3', '@aws-sdk/lib-storage']],
  ['OpenTelemetry', 'OTEL_METRICS_EXPORTER', { OTEL_METRICS_EXPORTER: 'prometheus' }, telemetry],
])(
  'a host that is configured for %s does not start without its driver, told with the setting and the command',
  async (_, setting, env, packages) => {
    const host = startWithoutDrivers(env)
    expect(await host.exitCode).toBe(1)
    const command = packages.map((name) => `"${name}@${peerDependencies[name]}"`).join(' ')
    expect(host.said()).toContain(
      'ApiHost did not start.\n' +
        `${setting} is set (from environment variable ${Object.keys(env)[0]}), but ${packages.join(', ')} ${packages.length > 1 ? 'are' : 'is'} not installed.\n` +
        `  Install with: npm install ${command}\n` +
        '  Or remove the setting.\n',
    )
  },
)
