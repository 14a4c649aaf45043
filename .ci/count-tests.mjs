// node .ci/count-tests.mjs <vitest's JSON report> <its exit code> <other failures>: prints `N passed, N failed`; ends with 1 when anything
// failed or nothing ran.
import { readFileSync } from 'node:fs'

const [, , file, exitCode, others] = process.argv
const report = read()
const passed = report?.numPassedTests ?? 0
const failed = Number(others) + failures()
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

/** The report, or undefined when the tests never came to an end. */
function read() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function failures() {
  if (!report) return Number(others) ? 0 : 1
  // A file that could not be loaded fails without a test of its own.
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  )
  // An error outside every test is seen in the exit code alone.
  return report.numFailedTests + brokenFiles.length || (Number(exitCode) ? 1 : 0)
}
