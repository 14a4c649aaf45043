// Checks who imports whom (.dependency-cruiser.cjs), that every package names the libraries it imports in its package.json, that modules
// ask the clock they are given for the time, and that their services hold no SQL.
// dependency-cruiser reads TypeScript through version 6 of its API: without it, it sees nothing and finds no fault, so we count.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise } from 'dependency-cruiser'
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config'

const fewestModules = 250
const folders = [
  'framework',
  'modules',
  'proxies',
  'hosts',
  'migrator',
  'test',
  'test/third-party',
  'hosts/admin/ui',
]
/** Needed without an import in our sources: sequelize loads pg-hstore by name, and the emitted types of contracts name zod. */
const neededUnseen = ['pg-hstore', 'zod']
/** Modules whose time is the system's: the protocol library of the auth server goes by it, and the log writer only measures its own pauses. */
const bySystemTime = [
  /^modules\/openid\/src\/(server\/|persistence\/revoked-token-list)/,
  /^modules\/audit-logging\/src\/persistence\/audit-log-writer/,
]

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))))
const sources = folders.flatMap((folder) => sourceFolders(folder))
const { output } = await cruise(sources, await extractOptions('./.dependency-cruiser.cjs'), undefined, {
  tsConfig: extractTsConfig('tsconfig.base.json'),
})

const faults = [
  ...output.summary.violations.map(describe),
  ...undeclared(output.modules),
  ...readingSystemTime(output.modules),
  ...holdingSql(output.modules),
]
const seen = output.modules.filter(({ source }) => packageOf(source)).length
if (seen < fewestModules)
  faults.push(
    `Only ${seen} modules of ours were seen, ${fewestModules} at least were expected: is the check blind?`,
  )
for (const fault of faults) console.error(fault)
console.log(`${seen} modules, ${output.summary.totalDependenciesCruised} imports, ${faults.length} faults`)
process.exitCode = faults.length ? 1 : 0

function sourceFolders(folder) {
  const packages = existsSync(join(folder, 'package.json'))
    ? [folder]
    : readdirSync(folder).map((name) => `${folder}/${name}`)
  return packages.map((path) => `${path}/src`).filter((path) => existsSync(path))
}

function describe({ rule, from, to, cycle }) {
  const way = cycle ? [from, ...cycle.map(({ name }) => name)] : [from, to]
  return `${rule.name}: ${way.join(' → ')}`
}

/** Imports of what a package does not depend on, and dependencies that it does not import. */
function undeclared(modules) {
  const used = new Map()
  const found = []
  for (const { source, dependencies } of modules) {
    const folder = packageOf(source)
    if (!folder) continue
    const names = used.get(folder) ?? used.set(folder, new Set()).get(folder)
    for (const { module } of dependencies) {
      const name = libraryOf(module)
      if (!name) continue
      if (!isTest(source)) names.add(name)
      if (!allowed(folder, source).has(name))
        found.push(`undeclared: ${source} imports ${name}, which ${folder}/package.json does not name`)
    }
  }
  for (const [folder, names] of used) {
    for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
      if (
        names.has(name) ||
        neededUnseen.includes(name) ||
        name.startsWith('@types/') ||
        folder.startsWith('test')
      )
        continue
      found.push(`unused: ${folder}/package.json names ${name}, which nothing in ${folder}/src imports`)
    }
  }
  return found
}

/** Files of modules that ask the system for the time: nobody could set it in a test. */
function readingSystemTime(modules) {
  return modules
    .map(({ source }) => source)
    .filter((source) => /^modules\/[^/]+\/src\//.test(source) && !isTest(source))
    .filter((source) => !bySystemTime.some((place) => place.test(source)))
    .filter((source) => /\bnew Date\(\)|\bDate\.now\(\)/.test(readFileSync(source, 'utf8')))
    .map((source) => `system-time: ${source} asks the system for the time: inject Clock and ask that`)
}

/** Services that write SQL: it belongs into `persistence/`, under a name. */
function holdingSql(modules) {
  return modules
    .map(({ source }) => source)
    .filter((source) => /^modules\/[^/]+\/src\/application\//.test(source))
    .filter((source) => /\bsql`|\braw\(/.test(readFileSync(source, 'utf8')))
    .map(
      (source) =>
        `sql-in-application: ${source} writes SQL: move it to persistence/, as a function with a name`,
    )
}

function allowed(folder, source) {
  const {
    dependencies,
    optionalDependencies,
    peerDependencies,
    devDependencies,
    private: isPrivate,
  } = manifestOf(folder)
  const needed = { ...dependencies, ...optionalDependencies, ...peerDependencies }
  // A proxy brings its dev dependencies along in its bundle.
  const atHand = isPrivate || isTest(source) || folder.startsWith('proxies/') ? devDependencies : {}
  const ofRoot = isTest(source) || folder.startsWith('test') ? manifestOf('.').devDependencies : {}
  const ofTests = folder === 'test/third-party' ? manifestOf('test').dependencies : {}
  // The UI is no workspace: what it bundles of the repository is named by its host.
  const ofHost = folder === 'hosts/admin/ui' ? manifestOf('hosts/admin').devDependencies : {}
  return new Set(Object.keys({ ...needed, ...atHand, ...ofRoot, ...ofTests, ...ofHost }))
}

function isTest(source) {
  return source.endsWith('.test.ts')
}

function packageOf(source) {
  return /^(hosts\/admin\/ui|(modules|proxies|hosts)\/[^/]+|framework|migrator|test(\/third-party)?)(?=\/src\/)/.exec(
    source,
  )?.[0]
}

/** The package behind a specifier; undefined for our own files and for Node's modules. */
function libraryOf(specifier) {
  if (specifier.startsWith('.') || specifier.startsWith('node:') || builtinModules.includes(specifier))
    return undefined
  return /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0]
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
