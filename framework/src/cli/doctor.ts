import { createApplication } from '../modularity/application.js'
import { type Finding, healthy, problem } from '../modularity/diagnosis.js'
import { StartupError } from '../modularity/startup-error.js'
import { columns } from './columns.js'
import { hostToCompose } from './root-module.js'

const marks = { fine: '✓', warning: '!', problem: '✗' } as const

/** Examines the surroundings that a host would find if it started now. Starts nothing and changes nothing. */
export async function diagnose(
  host: string,
  directory: string,
  argv: readonly string[],
): Promise<{ report: string; isWell: boolean }> {
  return reportOf(await examine(host, directory, argv))
}

/** Findings as a text with their remedies, and whether none of them is a problem. */
export function reportOf(findings: readonly Finding[]): { report: string; isWell: boolean } {
  const lines = columns(findings.map(({ severity, subject, found }) => [marks[severity], subject, found]))
    .trimEnd()
    .split('\n')
  const cures = findings.map(({ cure }) => (cure ? `\n    ${cure}` : ''))
  const count = (severity: 'problem' | 'warning') => {
    const number = findings.filter((finding) => finding.severity === severity).length
    return `${number} ${severity}${number === 1 ? '' : 's'}`
  }
  const summary = `${count('problem')}, ${count('warning')}`
  return {
    report: `${lines.map((line, index) => line + (cures[index] ?? '')).join('\n')}\n\n${summary}\n`,
    isWell: !findings.some(({ severity }) => severity === 'problem'),
  }
}

async function examine(
  host: string,
  directory: string,
  argv: readonly string[],
): Promise<readonly Finding[]> {
  const { root, configuration, databasesFile } = await hostToCompose(host, directory, argv)
  const note = databasesFile && healthy('Configuration', `databases of npm start, from ${databasesFile}`)
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
