import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether PostgreSQL's own benchmark program is here; it is part of Debian's postgresql-contrib, not of the embedded server. */
export const hasPgbench = spawnSync('pgbench', ['--version']).status === 0

/** Transactions per second of a statement, prepared, with 10 clients. @param values what its $1, $2, … stand for */
export async function pgbench(
  url: string,
  text: string,
  values: readonly unknown[],
  seconds: number,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'keel-bench-'))
  const file = join(folder, 'statement.sql')
  writeFileSync(file, `${inline(text, values).replace(/\s+/g, ' ')};\n`)
  try {
    const out = await run([
      '-n',
      '-M',
      'prepared',
      '-c',
      '10',
      '-j',
      '1',
      '-T',
      String(seconds),
      '-f',
      file,
      url,
    ])
    const tps = Number(/tps = ([\d.]+) \(without/.exec(out)?.[1])
    if (!tps) throw new Error(`pgbench said:\n${out}`)
    return tps
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The statement with its values in it, and no colon inside a literal: pgbench would take `:MI` for one of its variables. */
function inline(text: string, values: readonly unknown[]): string {
  const complete = text.replace(/\$(\d+)/g, (_, number: string) => literal(values[Number(number) - 1]))
  return complete.replace(/'(?:[^']|'')*'/g, (quoted) =>
    quoted.includes(':') ? `e${quoted.replaceAll(':', '\\x3a')}` : quoted,
  )
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `array[${value.map(literal).join(',')}]`
  return `'${String(value).replaceAll("'", "''")}'`
}

function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('pgbench', args)
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
    child.on('error', reject)
    child.on('close', () => resolve(said))
  })
}
