import { formatLogLine } from './log-lines.js'
import { AlreadyRunningError } from './process-record.js'
import { ChildFailedError } from './supervisor.js'
import type { Terminal } from './terminal.js'

/** Why the platform ended, in lines for the terminal. */
export function explainFailure(error: unknown, terminal: Terminal): string[] {
  const [first = '', ...more] = linesAbout(error, terminal)
  return [terminal.paint(first, '31'), ...more]
}

function linesAbout(error: unknown, terminal: Terminal): string[] {
  if (error instanceof AlreadyRunningError) {
    const { addresses, owner } = error.running
    const where = Object.entries(addresses).map(([name, url]) => `  ${name.padEnd(5)} ${url}`)
    return [
      `${error.message}.`,
      ...where,
      `To stop it, press Ctrl-C where it runs, or: ${stopCommand(owner.pid)}`,
    ]
  }
  if (error instanceof ChildFailedError && error.child.lastLines.length > 0) {
    const lines = error.child.lastLines.flatMap((line) => formatLogLine(line, terminal.colours).split('\n'))
    return [`${error.message}. Its last lines:`, ...lines.map((line) => `  ${line}`)]
  }
  return (error instanceof Error ? error.message : String(error)).split('\n')
}

function stopCommand(pid: number): string {
  return process.platform === 'win32' ? `taskkill /pid ${pid} /f` : `kill ${pid}`
}
