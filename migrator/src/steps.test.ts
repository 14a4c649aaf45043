import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { Steps } from './steps.js'

function outputs(format: 'json' | 'text', isTTY = false) {
  const stdout = new PassThrough()
  const stderr = Object.assign(new PassThrough(), { isTTY })
  const steps = new Steps({ format, stdout, stderr, mask: (line) => line.replace('s3cr3t', '***') })
  return { steps, said: () => String(stdout.read() ?? ''), shown: () => String(stderr.read() ?? '') }
}

const times = (text: string): string => text.replace(/\(\d+ ms\)/g, '(… ms)')

test('steps are lines for a person, with what was logged and why they failed, and without secrets', async () => {
  const { steps, said, shown } = outputs('text')
  await steps.run('migrate', '20270101-one', () => undefined)
  await steps.run('seed', 'Identity RoleSeeder', (details) => {
    details.log = ['role added role=admin', 'role added role=guest']
  })
  await steps
    .run('migrate', '20270102-two', () => Promise.reject(new Error('no s3cr3t here')))
    .catch(() => undefined)
  expect(times(said())).toBe(`migrate  20270101-one (… ms)
seed     Identity RoleSeeder (… ms)
         role added role=admin
         role added role=guest
migrate  20270102-two (… ms) failed: no *** here
`)
  expect(shown()).toBe('')
})

test('with --json each step is one line', async () => {
  const { steps, said } = outputs('json')
  await steps.run('migrate', '20270101-one', (details) => {
    details.name = 'one'
  })
  steps.tell({ step: 'lock', state: 'waiting', message: 'for\nsomebody' })
  const lines = said()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([
    { step: 'migrate', state: 'done', message: '20270101-one', name: 'one', durationMs: expect.any(Number) },
    { step: 'lock', state: 'waiting', message: 'for\nsomebody' },
  ])
})

test('on a terminal a bar shows how far the run is, and makes way for the lines', async () => {
  const { steps, said, shown } = outputs('text', true)
  steps.expect(4)
  await steps.run('migrate', 'one', () => undefined)
  await steps.run('migrate', 'two', () => steps.progress('blocks of an index', 5, 10))
  const bar = (filled: number, text: string): string =>
    `\r\u001b[K${'█'.repeat(filled)}${'░'.repeat(40 - filled)} ${text}`
  expect(shown()).toBe(
    [
      bar(0, '  0 % migrate one, step 0 of 4'),
      '\r\u001b[K',
      bar(10, ' 25 % migrate two, step 1 of 4'),
      bar(20, ' 50 % blocks of an index 5 of 10'),
      '\r\u001b[K',
    ].join(''),
  )
  expect(times(said())).toBe('migrate  one (… ms)\nmigrate  two (… ms)\n')
})
