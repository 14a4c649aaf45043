import { Configuration, createApplication, KeelModule, Module } from '@keel/framework'
import { HttpHost, HttpModule } from '@keel/framework/http'
import { expect, onTestFinished, test } from 'vitest'

@Module({ dependsOn: [HttpModule] })
class PlainHost extends KeelModule {}

/** Starts a host with these settings and answers its address. */
async function start(settings: Record<string, string>): Promise<string> {
  const configuration = new Configuration('Production').add(
    { 'App:SelfUrl': 'http://localhost:4000', PORT: '0', 'Log:Level': 'fatal', ...settings },
    'test',
  )
  const application = createApplication(PlainHost, configuration)
  onTestFinished(() => application.stop())
  await application.start()
  return `${application.get(HttpHost).address}/.well-known/security.txt`
}

test('a host tells where weaknesses are reported, until when that holds, and by which policy', async () => {
  const response = await fetch(
    await start({
      'App:SecurityContact': 'mailto:security@example.com, https://example.com/report',
      'App:SecurityPolicyUrl': 'https://example.com/policy',
    }),
  )
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  const lines = (await response.text()).split('\n')
  expect(lines).toEqual([
    'Contact: mailto:security@example.com',
    'Contact: https://example.com/report',
    expect.stringMatching(/^Expires: \d{4}-\d\d-\d\dT00:00:00\.000Z$/),
    'Preferred-Languages: en',
    'Policy: https://example.com/policy',
    '',
  ])
  const days = (Date.parse(lines[2]?.slice('Expires: '.length) ?? '') - Date.now()) / 86_400_000
  // RFC 9116 wants less than a year.
  expect(days).toSatisfy((left: number) => left > 30 && left < 365)
})

test('a host without a contact says nothing', async () => {
  expect((await fetch(await start({}))).status).toBe(404)
})

test.each(['security@example.com', 'http://example.com', 'mailto:a@example.com, b'])(
  'a host does not start with a contact that is none: %s',
  async (contact) => {
    await expect(start({ 'App:SecurityContact': contact })).rejects.toThrow(/SecurityContact.*mailto:/i)
  },
)
