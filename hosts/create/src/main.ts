import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { InputError, readArguments, StartupError } from '@keel/framework'
import { biomeVersion, writeSolution } from '@keel/framework/cli'

const usage = `usage: npm create keel [folder] [-- --without-hub] [-- --without-pricing]

Writes a solution of one's own into an empty folder, this one when none is named: an API host, an auth server, a migrator, two modules with
tables, typed clients and tests. The name of the folder, in kebab-case, is the name of the solution.

  --without-hub      without Hub (shipments, documents, organizations), Pricing and Core
  --without-pricing  without Pricing (quotes, rate cards)

example: npm create keel acme
`

try {
  const { values, positionals } = readCommandLine()
  if (values.help) process.stdout.write(usage)
  else {
    const folder = resolve(positionals[0] ?? '.')
    const hub = !values['without-hub']
    writeSolution({ name: basename(folder), hub, pricing: hub && !values['without-pricing'] }, folder)
    const steps = [
      ...(folder === process.cwd() ? [] : [`cd ${relative(process.cwd(), folder)}`]),
      'npm install',
      ...(format(folder) ? [] : ['npm run format']),
      'npm start',
      'npm test',
    ]
    process.stdout.write(
      `${basename(folder)} is written. Next:\n\n${steps.map((step) => `  ${step}\n`).join('')}\nREADME.md tells what is where.\n`,
    )
  }
} catch (error) {
  process.stderr.write(`${error instanceof StartupError ? error.message : (error as Error).stack}\n`)
  process.exitCode = error instanceof InputError ? 2 : 1
}

function readCommandLine() {
  const options = {
    'without-hub': { type: 'boolean' },
    'without-pricing': { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { values, positionals } = readArguments({ options, allowPositionals: true }, usage)
  if (positionals.length > 1) throw new InputError(`One folder can be named\n\n${usage}`)
  return { values, positionals }
}

/**
 * Lays the files out as the solution's own formatter does: what is generated is not laid out yet. False when the formatter can't be had, e.g. without
 * a network.
 */
function format(folder: string): boolean {
  const [program = '', ...words] = formatter()
  const { status } = spawnSync(program, [...words, 'check', '--write', '.'], { cwd: folder, stdio: 'ignore' })
  return status === 0
}

/** The formatter: the one that is installed here, else the one that npm fetches. It is no dependency, which hosts would carry along. */
function formatter(): string[] {
  try {
    const biome = dirname(createRequire(import.meta.url).resolve('@biomejs/biome/package.json'))
    return [process.execPath, join(biome, 'bin', 'biome')]
  } catch {
    const { npm_execpath: npm } = process.env
    const exec = ['exec', '--yes', `--package=@biomejs/biome@${biomeVersion}`, '--', 'biome']
    return npm ? [process.execPath, npm, ...exec] : ['npm', ...exec]
  }
}
