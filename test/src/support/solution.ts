import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** An empty folder whose name is that of a solution. */
export function emptyFolder(name: string): string {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'keel-solution-')))
  const folder = join(parent, name)
  mkdirSync(folder)
  // PostgreSQL runs as another user there.
  for (const path of [parent, folder]) chmodSync(path, 0o755)
  return folder
}

/** Gives a solution the packages that `npm install` would: those of this repository, as they are compiled now, and its own. Call it again when it has more. */
export function linkPackages(solution: string): void {
  const packages = join(solution, 'node_modules')
  mkdirSync(packages, { recursive: true })
  for (const library of readdirSync(join(root, 'node_modules')))
    if (library !== '.vite') link(join(root, 'node_modules', library), join(packages, library))
  linkOwnPackages(solution)
}

/** Gives a solution inside of this repository, which finds its libraries above it, the packages of its own. */
export function linkOwnPackages(solution: string): void {
  const packages = join(solution, 'node_modules')
  const parts = ['modules', 'proxies', 'hosts'].flatMap((part) =>
    readdirSync(join(solution, part)).map((name) => `${part}/${name}`),
  )
  for (const part of [...parts, 'migrator', 'test']) {
    const { name } = JSON.parse(readFileSync(join(solution, part, 'package.json'), 'utf8')) as {
      name: string
    }
    link(join(solution, part), join(packages, name))
  }
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  if (!existsSync(path)) symlinkSync(target, path)
}
