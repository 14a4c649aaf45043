import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/**
 * The requirements of ASVS 5.0.0 of levels 1 and 2: in a section the first are of level 1, those up to the second number of level 2. Sections
 * that are of level 3 alone have none.
 */
const sections: Readonly<Record<string, readonly [level1: number, level2: number]>> = {
  '1.1': [0, 2],
  '1.2': [5, 9],
  '1.3': [2, 11],
  '1.4': [0, 3],
  '1.5': [1, 2],
  '2.1': [1, 3],
  '2.2': [2, 3],
  '2.3': [1, 4],
  '2.4': [0, 1],
  '3.2': [2, 2],
  '3.3': [1, 4],
  '3.4': [2, 6],
  '3.5': [3, 5],
  '3.7': [0, 2],
  '4.1': [1, 3],
  '4.2': [0, 1],
  '4.3': [0, 2],
  '4.4': [1, 4],
  '5.1': [0, 1],
  '5.2': [2, 3],
  '5.3': [2, 2],
  '5.4': [0, 3],
  '6.1': [1, 3],
  '6.2': [8, 12],
  '6.3': [2, 4],
  '6.4': [2, 4],
  '6.5': [0, 5],
  '6.6': [0, 3],
  '6.8': [0, 4],
  '7.1': [0, 3],
  '7.2': [4, 4],
  '7.3': [0, 2],
  '7.4': [2, 5],
  '7.5': [0, 2],
  '7.6': [0, 2],
  '8.1': [1, 2],
  '8.2': [2, 3],
  '8.3': [1, 1],
  '8.4': [0, 1],
  '9.1': [3, 3],
  '9.2': [1, 4],
  '10.1': [0, 2],
  '10.2': [0, 2],
  '10.3': [0, 4],
  '10.4': [5, 11],
  '10.5': [0, 5],
  '10.6': [0, 2],
  '10.7': [0, 3],
  '11.1': [0, 2],
  '11.2': [0, 3],
  '11.3': [2, 3],
  '11.4': [1, 4],
  '11.5': [0, 1],
  '11.6': [0, 1],
  '12.1': [1, 3],
  '12.2': [2, 2],
  '12.3': [0, 4],
  '13.1': [0, 1],
  '13.2': [0, 5],
  '13.3': [0, 2],
  '13.4': [1, 5],
  '14.1': [0, 2],
  '14.2': [1, 4],
  '14.3': [1, 3],
  '15.1': [1, 3],
  '15.2': [1, 3],
  '15.3': [1, 7],
  '16.1': [0, 1],
  '16.2': [0, 5],
  '16.3': [0, 4],
  '16.4': [0, 3],
  '16.5': [0, 3],
  '17.1': [0, 1],
  '17.2': [0, 4],
  '17.3': [0, 2],
}

const allOfTheStandard = Object.entries(sections).flatMap(([section, [level1, level2]]) =>
  Array.from({ length: level2 }, (_, index) => `${section}.${index + 1} L${index < level1 ? 1 : 2}`),
)

interface Row {
  readonly number: string
  readonly level: string
  readonly state: string
  readonly where: string
  readonly tests: string
}

function rowsOf(page: string): Row[] {
  return [
    ...page.matchAll(/^\| (\d+\.\d+\.\d+) \| ([123]) \| [^|]+ \| ([^|]+) \| ([^|]*) \| ([^|]*) \|$/gm),
  ].map(([, number = '', level = '', state = '', where = '', tests = '']) => ({
    number,
    level,
    state,
    where: where.trim(),
    tests: tests.trim(),
  }))
}

/** Names of files in backticks; settings, addresses and code are none. */
const filesIn = (text: string): string[] =>
  [...text.matchAll(/`([\w@.-]+(?:\/[\w@.-]+)+\.\w+|[A-Z]+\.md|[\w-]+\.json)`/g)].map(([, file = '']) => file)

const page = read('docs/security-asvs.md')
const rows = rowsOf(page)

test('the table has every requirement of ASVS 5.0.0 level 2 once, with its level', () => {
  expect(allOfTheStandard).toHaveLength(253)
  expect(rows.map(({ number, level }) => `${number} L${level}`)).toEqual(allOfTheStandard)
})

test('what is met names a file that does it or a test that shows it, and what is not says why', () => {
  const wordless = rows.filter(({ state, where, tests }) =>
    state === 'met' ? filesIn(where + tests).length === 0 : where.replace(/`[^`]*`|[^a-z]/gi, '').length < 10,
  )
  expect(wordless).toEqual([])
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['met', 'in part', 'not', 'n/a']))
})

test('the tests of the table are tests', () => {
  const others = rows.flatMap(({ tests }) => filesIn(tests)).filter((file) => !file.endsWith('.test.ts'))
  expect(others).toEqual([])
})

test('the sums above the table are right', () => {
  const count = (level: string, state: string): number =>
    rows.filter((row) => row.level === level && row.state === state).length
  for (const level of ['1', '2']) {
    const sums = ['met', 'in part', 'not', 'n/a'].map((state) => count(level, state))
    const all = sums.reduce((sum, one) => sum + one)
    expect(page).toContain(`| level ${level} | ${[...sums, all].join(' | ')} |`)
  }
})

test.each(['docs/security.md', 'docs/security-asvs.md', 'docs/dependencies.md', 'SECURITY.md'])(
  'every file that %s names is there',
  (name) => {
    const text = read(name)
    const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, target = '']) => target)
    const missing = [
      ...filesIn(text).filter((file) => !existsSync(new URL(file, root))),
      ...linked.filter((target) => !existsSync(new URL(target, new URL(name, root)))),
    ]
    expect(missing).toEqual([])
  },
)

test('the packages of docs/dependencies.md are installed in the versions that it speaks of', () => {
  const installed = new Set(
    ['package-lock.json', 'test/third-party/package-lock.json', '.ci/release/package-lock.json'].flatMap(
      (lock) => {
        const { packages } = JSON.parse(read(lock)) as { packages: Record<string, { version?: string }> }
        return Object.entries(packages).map(
          ([path, { version }]) => `${path.split('node_modules/').at(-1)} ${version}`,
        )
      },
    ),
  )
  const named = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \| ([\w.-]+) \|/gm)].map(
    ([, name, version]) => `${name} ${version}`,
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((one) => !installed.has(one))).toEqual([])
})
