import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Class } from './class.js'
import { fileOf, programFilesBelow } from './source-place.js'

interface Package {
  readonly name: string
  readonly folder: string
  /** Its doors, with the source or the program behind each. */
  readonly doors: readonly (readonly [door: string, file: string])[]
}

/**
 * The modules of installed packages that would bind a token, e.g. `HubModule from '@keel/hub'`. For messages
 * of faults alone: it reads the files of every package that depends on the framework.
 * @param near classes whose files tell where packages are looked for, beside the working directory
 */
export function modulesProviding(token: Class, ...near: readonly (Class | undefined)[]): string[] {
  const places = near.map((type) => type && fileOf(type)).filter((file) => file !== undefined)
  const found = keelPackages([process.cwd(), ...places.map(dirname)]).flatMap((each) => provided(token, each))
  return [...new Set(found)].sort()
}

function provided(token: Class, { name, folder, doors }: Package): string[] {
  const source = join(folder, 'src')
  const texts = programFilesBelow(existsSync(source) ? source : join(folder, 'dist')).map(
    (file) => [file, readFileSync(file, 'utf8')] as const,
  )
  const classes = [token.name, ...texts.flatMap(([file, text]) => implementing(token.name, file, text))]
  return texts
    .filter(([file]) => /\.module\.[jt]s$/.test(file))
    .flatMap(([file, text]) => {
      const door = doors.find(([, behind]) => behind === file || leadsTo(behind, file))?.[0]
      if (door === undefined) return []
      return modulesNaming(classes, text).map((module) => `${module} from '${join(name, door)}'`)
    })
}

/** The classes of a file that are bound to a token. Compiled, decorators stand below their class. */
function implementing(token: string, file: string, text: string): string[] {
  const decorator = new RegExp(`\\b(?:AutoApiController|Provides)\\(${token}\\)`)
  const at = decorator.exec(text)?.index
  if (at === undefined) return []
  const found = file.endsWith('.ts')
    ? /\bclass (\w+)/.exec(text.slice(at))?.[1]
    : text
        .slice(0, at)
        .match(/\bclass \w+/g)
        ?.at(-1)
        ?.slice('class '.length)
  return found ? [found] : []
}

/** The modules of a file that list one of the classes, or bind it while configuring. */
function modulesNaming(classes: readonly string[], text: string): string[] {
  const listed = new RegExp(`\\b(?:${classes.join('|')})\\b`)
  const withoutImports = text.replace(/^import\b[\s\S]*?from\s*['"][^'"]+['"];?$/gm, '')
  // One part for each module of the file, from its list to the next.
  return withoutImports
    .split(/^(?=@Module\()/m)
    .filter((part) => listed.test(part.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')))
    .flatMap((part) => /\bclass (\w+) extends KeelModule/.exec(part)?.[1] ?? [])
}

/** True when a door of a package re-exports a file. */
function leadsTo(door: string, file: string): boolean {
  return readFileSync(door, 'utf8').includes(`/${basename(file).replace(/\.ts$/, '.js')}'`)
}

/** The packages that can be found from some folders and depend on the framework, and the framework itself. */
function keelPackages(folders: readonly string[]): Package[] {
  const framework = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '')
  const found = new Map<string, Package>()
  for (const folder of [framework, ...folders.flatMap(packagesFrom)]) {
    const known = readPackage(folder)
    if (known && !found.has(known.name)) found.set(known.name, known)
  }
  return [...found.values()]
}

/** The folders of the packages that a program in a folder can import. */
function packagesFrom(folder: string): string[] {
  const modules = join(folder, 'node_modules')
  const here = listed(modules).flatMap((name) =>
    name.startsWith('@')
      ? listed(join(modules, name)).map((own) => join(modules, name, own))
      : [join(modules, name)],
  )
  return dirname(folder) === folder ? here : [...here, ...packagesFrom(dirname(folder))]
}

const listed = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

function readPackage(folder: string): Package | undefined {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return undefined
  const { name, dependencies, peerDependencies, exports } = JSON.parse(readFileSync(file, 'utf8')) as {
    name?: string
    dependencies?: Record<string, string>
    peerDependencies?: Record<string, string>
    exports?: Record<string, { source?: string; default?: string } | string>
  }
  const leansOn = { ...dependencies, ...peerDependencies }
  if (!name || (name !== '@keel/framework' && !leansOn['@keel/framework'])) return undefined
  const doors = Object.entries(exports ?? {}).flatMap(([door, behind]) => {
    const ways = typeof behind === 'string' ? [behind] : [behind.source, behind.default]
    const way = ways.map((path) => path && join(folder, path)).find((path) => path && existsSync(path))
    return way ? [[door, way] as const] : []
  })
  return { name, folder, doors }
}
