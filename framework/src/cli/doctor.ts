import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createApplication } from '../modularity/application.js'
import { loadConfiguration } from '../modularity/configuration.js'
import { type Finding, healthy, problem } from '../modularity/diagnosis.js'
import { StartupError } from '../modularity/startup-error.js'
import { columns } from './columns.js'
import { loadRoot } from './root-module.js'

const marks = { fine: '✓', warning: '!', problem: '✗' } as const

/** Examines the surroundings that a host would find if it started now. Starts nothing and changes nothing. */
export async function diagnose(
  host: string,
  directory: string,
  argv: readonly string[],
): Promise<{ report: string; isWell: boolean }> {
  const findings = await examine(host, directory, argv)
  const lines = columns(findings.map(({ severity, subject, found }) => [marks[severity], subject, found]))
    .trimEnd()
    .split('\n')
  const cures = findings.map(({ cure }) => (cure ? `\n    ${cure}` : ''))
  const count = (severity: Finding['severity']) =>
    findings.filter((finding) => finding.severity === severity).length
  const summary = `${count('problem')} problems, ${count('warning')} warnings`
  return {
    report: `${lines.map((line, index) => line + (cures[index] ?? '')).join('\n')}\n\n${summary}\n`,
    isWell: count('problem') === 0,
  }
}

/**
 * The databases of an `npm start` in this folder or one above, which the hosts get from it alone; undefined
 * where there are none, and where others are configured.
 */
function runningDatabases(
  directory: string,
  argv: readonly string[],
): { file: string; env: Record<string, string> } | undefined {
  const isConfigured = (key: string): boolean => /^(--)?connectionstrings(__|:)/i.test(key)
  if ([...Object.keys(process.env), ...argv].some(isConfigured)) return undefined
  const file = join(directory, '.keel', 'databases.env')
  if (!existsSync(file))
    return dirname(directory) === directory ? undefined : runningDatabases(dirname(directory), argv)
  const lines = readFileSync(file, 'utf8').matchAll(/^(\w+)='(.*)'$/gm)
  return { file, env: Object.fromEntries([...lines].map(([, key = '', value = '']) => [key, value])) }
}

async function examine(
  host: string,
  directory: string,
  argv: readonly string[],
): Promise<readonly Finding[]> {
  const { root, file } = await loadRoot(host, directory)
  const running = runningDatabases(directory, argv)
  const env = { ...running?.env, ...process.env }
  const configuration = loadConfiguration({ directory: join(dirname(file), '..'), env, argv })
  const note = running && healthy('Configuration', `databases of npm start, from ${running.file}`)
  try {
    const application = createApplication(root, configuration)
    await application.compose()
    const diagnoses = application.modules.flatMap(({ options }) => options.diagnoses ?? [])
    const found = await Promise.all(diagnoses.map((diagnosis) => application.get(diagnosis).examine()))
    await application.stop()
    return [...(note ? [note] : []), ...found.flat()]
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    return [
      problem('Composition', error.message, 'See above; the host does not start before this is put right.'),
    ]
  }
}
