import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

/**
 * A text that is another one as soon as a file changes from which programs are made or which they read: sources, texts, schema scripts, settings and
 * configurations of the compiler in all packages of the solution, and the list of the packages from npm. Read from sizes and change times, not
 * from contents. Undefined where a package compiles files of other folders: then nobody knows them all.
 * @param {string} root the folder of the solution
 * @param {readonly string[]} programs folders of packages
 */
export function fingerprintOf(root, programs) {
  const folders = packagesOf(root, programs)
  if (folders.some(compilesOthers)) return undefined
  const hash = createHash('sha256').update(process.version)
  const files = [
    join(root, 'node_modules', '.package-lock.json'),
    ...readdirSync(root)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(root, name)),
    ...folders.flatMap(filesBelow),
  ]
  for (const file of files) hash.update(`${relative(root, file)}\0${stampOf(file)}\n`)
  return hash.digest('hex')
}

/**
 * True when the compiler has been run on the very sources that have this fingerprint, and what it wrote is there.
 * @param {string} root
 * @param {readonly string[]} programs
 * @param {string | undefined} fingerprint
 */
export function isCompiled(root, programs, fingerprint) {
  if (fingerprint === undefined) return false
  try {
    const { sources, outputs } = JSON.parse(readFileSync(recordFile(root), 'utf8'))
    return sources === fingerprint && outputs !== undefined && outputs === outputsOf(root, programs)
  } catch {
    return false // there is none yet
  }
}

/** Notes that the compiler has been run on the sources with this fingerprint. */
export function noteCompiled(root, programs, fingerprint) {
  if (fingerprint === undefined) return
  const file = recordFile(root)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, JSON.stringify({ sources: fingerprint, outputs: outputsOf(root, programs) }))
  renameSync(`${file}.new`, file)
}

const recordFile = (root) => join(root, '.keel', 'compiled.json')

/** The stamps of the notes by which the compiler knows what it has to do; undefined when a package has none, because it was never compiled or is cleaned. */
function outputsOf(root, programs) {
  const stamps = packagesOf(root, programs)
    .filter((folder) => configurationOf(folder))
    .map((folder) => join(folder, 'dist', '.tsbuildinfo'))
    .map((file) => existsSync(file) && `${relative(root, file)} ${stampOf(file)}`)
  return stamps.includes(false) ? undefined : stamps.join('\n')
}

/** Programs, and all packages of the solution that they use or are compiled with, themselves or through others; sorted. */
function packagesOf(root, programs) {
  const found = new Set(programs.map((program) => realpathSync(program)))
  // A set goes on to what is added to it meanwhile.
  for (const folder of found)
    for (const used of [...linked(root, folder), ...references(folder)]) found.add(used)
  return [...found].sort()
}

/** Dependencies that are folders of the solution: npm installs them as links. */
function linked(root, folder) {
  const { dependencies, devDependencies, peerDependencies } = json(join(folder, 'package.json'))
  return Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })
    .map((name) => join(root, 'node_modules', name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    .map((path) => realpathSync(path))
    .filter((path) => !path.includes(`${sep}node_modules${sep}`))
}

function references(folder) {
  const paths = [...configurationOf(folder).matchAll(/"path"\s*:\s*"([^"]+)"/g)].map(([, path]) => path)
  return paths
    .map((path) => resolve(folder, path.endsWith('.json') ? dirname(path) : path))
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
}

const compilesOthers = (folder) =>
  /"(?:include|files|rootDirs|paths)"\s*:\s*[[{][^\]}]*"\.\.\//.test(configurationOf(folder))

/** Text of `tsconfig.json`, which may hold comments; empty where there is none. */
function configurationOf(folder) {
  const file = join(folder, 'tsconfig.json')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

const json = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {})

/** In a package: what is written by programs rather than by people. */
const written = new Set(['dist', 'bundle'])

function filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true })
  const isPackage = entries.some(({ name }) => name === 'package.json')
  return entries
    .filter(
      ({ name }) => name !== 'node_modules' && !name.startsWith('.') && !(isPackage && written.has(name)),
    )
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesBelow(path) : [path]
    })
}

function stampOf(file) {
  const { ctimeMs, mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? {}
  return `${ctimeMs} ${mtimeMs} ${size}`
}
