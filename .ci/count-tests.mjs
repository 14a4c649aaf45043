// node .ci/count-tests.mjs <other failures> <vitest's last exit code> <vitest's JSON report> <report of the files that ran again>: names the
// tests that passed only the second time and prints `N passed, N failed`; ends with 1 when anything failed or nothing ran.
// node .ci/count-tests.mjs --failed-files <report>: prints the test files in which something failed, one a line.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const [, , first, second, ...files] = process.argv
if (first === '--failed-files')
  for (const { name } of failedFiles(read(second))) console.log(relative('', name))
else count(Number(first), Number(second), ...files.map(read))

function count(others, exitCode, report, again) {
  const passed = report?.numPassedTests ?? 0
  const unsteady = again ? failedTests(report).filter((test) => !failedTests(again).includes(test)) : []
  for (const test of unsteady) console.log(`unsteady, failed first and passed alone: ${test}`)
  const failed = others + failures(again ?? report, exitCode, others)
  console.log(`${passed + unsteady.length} passed, ${failed} failed`)
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0
}

/** The report, or undefined when the tests never came to an end. */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function failedFiles(report) {
  return report?.testResults.filter(({ status }) => status === 'failed') ?? []
}

/** A file that could not be loaded fails without a test of its own. */
function failedTests(report) {
  return failedFiles(report).flatMap(({ name, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    return failed.length
      ? failed.map(({ fullName }) => `${relative('', name)}: ${fullName}`)
      : [relative('', name)]
  })
}

/** An error outside every test is seen in the exit code alone. */
function failures(report, exitCode, others) {
  if (!report) return others ? 0 : 1
  return failedTests(report).length || (exitCode ? 1 : 0)
}
