import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { commandOf, isPortFree } from '@keel/embedded-postgres'

/** The port itself, or the next free one that is not `reserved`, told with the name of who has it. */
export async function choosePort(
  what: string,
  wanted: number,
  reserved: readonly number[],
  say: (line: string) => void,
): Promise<number> {
  if (await isPortFree(wanted)) return wanted
  let port = wanted + 1
  while (reserved.includes(port) || !(await isPortFree(port))) port++
  say(`Port ${wanted} is taken by ${portOwner(wanted) ?? 'another program'}: ${what} uses ${port}.`)
  return port
}

/**
 * The process that listens on a port, as `command (process 123)`; undefined when the system does not tell.
 */
export function portOwner(port: number): string | undefined {
  try {
    const pid = process.platform === 'linux' ? listenerOnLinux(port) : listenerByLsof(port)
    if (!pid) return undefined
    const command = commandOf(pid)
    return `\`${command.length > 60 ? `${command.slice(0, 59)}…` : command}\` (process ${pid})`
  } catch {
    return undefined
  }
}

function listenerOnLinux(port: number): number | undefined {
  const inodes = new Set<string>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const row of readFileSync(table, 'utf8').split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/)
      if (state === '0A' && inode && Number.parseInt(local.split(':')[1] ?? '', 16) === port)
        inodes.add(`socket:[${inode}]`)
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => openFiles(pid).some((target) => inodes.has(target)))
}

function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  return orNothing(() => readdirSync(folder)).flatMap((fd) =>
    orNothing(() => [readlinkSync(`${folder}/${fd}`)]),
  )
}

/** Processes end while we look, and those of others are not ours to see. */
function orNothing(read: () => string[]): string[] {
  try {
    return read()
  } catch {
    return []
  }
}

function listenerByLsof(port: number): number | undefined {
  const output = execFileSync('lsof', ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN'], { encoding: 'utf8' })
  return Number(output.split('\n')[0]) || undefined
}
