// `npm run test:long [-- --only attacks]`: the tests that take too long for every change, one step after the other. Writes docs/test-long.md; the
// rows and failures of steps that did not run stay as they are. Ends with 1 when a step failed.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('../', import.meta.url))
const report = join(root, 'docs/test-long.md')
const longVariable = 'KEEL_TEST_LONG'

/** A step is vitest with some variables, or a program that ends with 0 when all is well. */
const steps = [
  {
    name: 'attacks',
    what: 'generated attacks and searches in their full size',
    env: { [longVariable]: '1' },
    files: () =>
      longTests().filter((name) => !standsInFaults(name) && !isOfSolutions(name) && !needsBrowser(name)),
  },
  {
    name: 'faults',
    what: 'killed processes and servers, and large tables',
    env: { [longVariable]: '1' },
    files: () => longTests().filter(standsInFaults),
  },
  {
    name: 'solutions',
    what: 'generated models, solutions of others and killed migrators in their full size',
    env: { [longVariable]: '1' },
    files: () => longTests().filter(isOfSolutions),
  },
  {
    name: 'pages',
    what: 'pages in each size and colour, and without script',
    env: { [longVariable]: '1' },
    files: () => longTests().filter(needsBrowser),
  },
  { name: 'copies', what: 'every API host as two copies', env: { KEEL_TEST_COPIES: '2' } },
  {
    name: 'pgbouncer',
    what: 'every host behind PgBouncer in transaction mode',
    env: { KEEL_TEST_PGBOUNCER: '1' },
  },
  {
    name: 'remote',
    what: 'Hub and Pricing on another host, which is called through their contracts',
    env: { KEEL_TEST_REMOTE: '1' },
    files: () => ['test/src/hub/', 'test/src/pricing/'],
  },
  {
    name: 'pricing',
    what: 'Pricing on a host of its own, which calls Hub on the API host',
    env: { KEEL_TEST_REMOTE: 'pricing' },
    files: () => ['test/src/pricing/'],
  },
  {
    name: 'soak',
    what: '30 minutes at 70 % of what a host can do, in the memory of its fifth minute',
    program: ['test/dist/bench/soak.js', '--minutes', '30', '--load', '0.7'],
  },
]

const { values } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help) {
  console.log(`usage: npm run test:long [-- --only <step>]

The tests that take too long for every change, one step after the other; writes docs/test-long.md.

${steps.map(({ name, what }) => `  ${name.padEnd(10)} ${what}`).join('\n')}`)
  process.exit(0)
}
const wanted = steps.filter(({ name }) => values.only === undefined || name === values.only)
if (wanted.length === 0) {
  console.error(`There is no step ${values.only}: ${steps.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
const results = []
for (const step of wanted) {
  console.log(`── ${step.name}: ${step.what}`)
  const began = Date.now()
  const result = step.program ? await runProgram(step) : await runTests(step)
  results.push({ ...step, ...result, minutes: (Date.now() - began) / 60_000 })
  writeReport()
}
process.exit(results.every(({ isFine }) => isFine) ? 0 : 1)

async function runProgram({ program }) {
  const code = await run([join(root, program[0]), ...program.slice(1)], {})
  return {
    isFine: code === 0,
    passed: code === 0 ? 1 : 0,
    failed: code === 0 ? 0 : 1,
    skipped: 0,
    failures: [],
  }
}

async function runTests({ env, files }) {
  const some = files?.() ?? []
  if (files && some.length === 0)
    return { isFine: false, passed: 0, failed: 1, skipped: 0, failures: [`no test honours ${longVariable}`] }
  const project = files ? [] : ['--project', 'e2e', '--project', 'third-party']
  const first = await runVitest(env, [...project, ...some])
  // As `.ci/run` does: a few files that failed run once more by themselves; what passes only then is named as unsteady.
  if (first.isFine || first.failedFiles.length === 0 || first.failedFiles.length > 5) return first
  console.log(`── once more: ${first.failedFiles.join(', ')}`)
  const again = await runVitest(env, first.failedFiles)
  const unsteady = first.failures.filter((failure) => !again.failures.includes(failure))
  return {
    isFine: again.isFine,
    passed: first.passed + unsteady.length,
    failed: again.failed,
    skipped: first.skipped,
    failures: [...again.failures, ...unsteady.map((failure) => `${failure} (unsteady: passed alone)`)],
  }
}

/** One run of vitest; `failures` holds the names of failed tests, or of files that failed without a test of their own. */
async function runVitest(env, args) {
  const folder = mkdtempSync(join(tmpdir(), 'keel-long-'))
  const output = join(folder, 'report.json')
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`]
  try {
    const code = await run([vitest, 'run', ...reporters, ...args], env)
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
      readFileSync(output, 'utf8'),
    )
    const failedFiles = testResults.filter(({ status }) => status === 'failed')
    const failures = failedFiles.flatMap(({ name, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed')
      const file = name.replace(root, '')
      return failed.length ? failed.map(({ fullName }) => `${file}: ${fullName.trim()}`) : [file]
    })
    return {
      isFine: code === 0 && numPassedTests > 0,
      passed: numPassedTests,
      failed: numFailedTests,
      skipped: numPendingTests,
      failedFiles: failedFiles.map(({ name }) => name.replace(root, '')),
      failures,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function run(args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: 'inherit',
    })
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
}

/** Tells the long tests of what breaks by itself from those of people who attack. */
function standsInFaults(name) {
  return /^test\/src\/(core|data|events|hub|pricing)\//.test(name)
}

/** Tells those of what a team builds on the framework, and of the migrator that runs it. */
function isOfSolutions(name) {
  return /^test\/src\/(hosts|migrator)\//.test(name)
}

/** The test files that grow with the variable, themselves or through what they import beside them. */
function longTests() {
  const sources = ['framework/src', 'migrator/src', 'modules', 'test/src', 'test/third-party/src'].flatMap(
    (folder) =>
      readdirSync(join(root, folder), { recursive: true })
        .filter((name) => name.endsWith('.ts') && !/node_modules|dist|\.d\.ts$/.test(name))
        .map((name) => join(folder, name)),
  )
  const texts = new Map(sources.map((name) => [name, readFileSync(join(root, name), 'utf8')]))
  const growing = new Set([...texts].filter(([, text]) => text.includes(longVariable)).map(([name]) => name))
  // A set goes on to what is added to it meanwhile.
  for (const name of growing) {
    if (name.endsWith('.test.ts')) continue
    const imported = `/${basename(name, '.ts')}.js'`
    for (const [other, text] of texts) if (text.includes(imported)) growing.add(other)
  }
  return [...growing].filter((name) => name.endsWith('.test.ts'))
}

/** Tells those that look at pages of the auth server and the admin UI. */
function needsBrowser(name) {
  return name.startsWith('test/third-party/')
}

function writeReport() {
  const known = resultsBefore()
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const date = new Date().toISOString().slice(0, 10)
  for (const { name, what, isFine, passed, failed, skipped, minutes, failures } of results) {
    const state = isFine ? 'passed' : '**failed**'
    const row = `| ${name} | ${what} | ${state} | ${passed} | ${failed} | ${skipped} | ${minutes.toFixed(1)} min | ${date} | ${commit} |`
    known.set(name, { row, failures: failures.map((failure) => `- ${name}: ${failure}`) })
  }
  const all = steps.flatMap(({ name }) => known.get(name) ?? [])
  const failures = all.flatMap((entry) => entry.failures)
  writeFileSync(
    report,
    [
      '# The long tests',
      '',
      'Written by `npm run test:long`, which runs what takes too long for every change; `-- --only pgbouncer` runs one step. Skipped tests say why when they run.',
      '',
      '| Step | What it runs | Result | Passed | Failed | Skipped | Took | Date | Commit |',
      '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
      ...all.map(({ row }) => row),
      ...(failures.length ? ['', '## Failed or unsteady', '', ...failures] : []),
      '',
    ].join('\n'),
  )
}

/** The rows of earlier runs by step, with the lines of their failures. A step that runs again replaces both. */
function resultsBefore() {
  let text = ''
  try {
    text = readFileSync(report, 'utf8')
  } catch {
    return new Map()
  }
  const results = new Map()
  for (const line of text.split('\n')) {
    const [, ofRow] = /^\| ([a-z]+) \|/.exec(line) ?? []
    const [, ofFailure] = /^- ([a-z]+): /.exec(line) ?? []
    if (ofRow) results.set(ofRow, { row: line, failures: [] })
    if (ofFailure) results.get(ofFailure)?.failures.push(line)
  }
  return results
}
