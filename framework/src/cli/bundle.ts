import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, SourceMap, type SourceMapPayload } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type * as Rolldown from 'rolldown'
import {
  type BundleRecord,
  type ChunkOrigins,
  isFresh,
  readRecord,
  recordFile,
  stampOf,
  stampOfLibraries,
} from '../modularity/bundled-places.js'
import { InputError } from '../modularity/input-error.js'

/**
 * Writes the bundles of programs: `bundle/main.js` and a few further files beside `dist/main.js`, with everything in them that the program loads. It
 * starts in less than half the time, because Node reads 20 files instead of 2,500. Localization, schema scripts and pages stay where they are.
 * Drivers that a host may do without (S3, Redis, RabbitMQ, OpenTelemetry) are not part of it.
 * @param folders of packages whose program is `dist/main.js`; those whose bundle is newer than all that went into it are left alone
 */
export async function writeBundles(folders: readonly string[], directory: string): Promise<string> {
  const stale = folders.map((folder) => resolve(directory, folder)).filter((folder) => !isFresh(folder))
  const said: string[] = []
  for (const folder of stale) {
    const began = performance.now()
    const files = await writeBundle(folder)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    said.push(`${relative(directory, folder)}/bundle/main.js: ${files} modules in ${seconds} s\n`)
  }
  return said.join('')
}

async function writeBundle(folder: string): Promise<number> {
  const program = join(folder, 'dist', 'main.js')
  if (!existsSync(program)) throw new InputError(`There is no ${program}: compile it first.`)
  const rolldown = await loadRolldown(folder)
  const target = join(folder, 'bundle')
  const build = await rolldown.rolldown({
    input: program,
    platform: 'node',
    cwd: folder,
    // As Node itself looks for packages.
    resolve: { conditionNames: ['node', 'default'] },
    external: optionalPeers(),
    // All that runs when the program loads its files runs, whatever their packages say of themselves.
    treeshake: { moduleSideEffects: true },
    plugins: [scriptOfProgram(program), placesOfModules(target), asciiRawTexts()],
    onLog(level, log) {
      // Libraries are as they are: what they warn of can't be mended here.
      if (level === 'warn' && !log.id?.includes('node_modules')) process.stderr.write(`${log.message}\n`)
    },
  })
  const before = Object.keys(readRecord(target)?.chunks ?? {})
  // A bundle without its record is none: nobody starts it while it is written.
  rmSync(join(target, recordFile), { force: true })
  const { output } = await build.write({
    dir: target,
    format: 'cjs',
    // In Node 20 a script that comes from a code cache imports nothing while it runs.
    dynamicImportInCjs: false,
    exports: 'named',
    // The hash stands for the text: a code cache never meets another one.
    entryFileNames: '[name]-[hash].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    keepNames: true,
    // V8 keeps a text with other characters in two bytes for each.
    charset: 'ascii',
    comments: { legal: true, annotation: false, jsdoc: false },
    // Read below, and not kept: Node would hold hundreds of megabytes of it.
    sourcemap: true,
  })
  // Also files of which nothing is left in the bundle, as those that only export again.
  const modules = (await build.watchFiles).filter((file) => existsSync(file))
  await build.close()
  const chunks = output.filter((file) => file.type === 'chunk')
  for (const file of output)
    if (file.type === 'asset' && file.fileName.endsWith('.map')) rmSync(join(target, file.fileName))
  for (const { fileName, code } of chunks) writeFileSync(join(target, fileName), scriptOf(code), 'latin1')
  const starters = writeStarters(target, program, chunks)
  writeCodeCache(
    target,
    chunks.map(({ fileName }) => fileName),
  )
  const ownFiles = [fileURLToPath(import.meta.url), loader, ...modules].filter(
    (file) => !file.includes(`${sep}node_modules${sep}`),
  )
  const record: BundleRecord = {
    inputs: Object.fromEntries(ownFiles.map((file) => [relative(folder, file), stampOf(file)])),
    libraries: stampOfLibraries(folder),
    chunks: Object.fromEntries(chunks.map((chunk) => [chunk.fileName, originsOf(chunk)])),
  }
  const kept = [...before, ...Object.keys(record.chunks)]
  forget(target, [...kept, ...kept.map((name) => `${name}.cache`), ...starters, recordFile])
  // In one step: a program may be about to start, and reads it.
  writeFileSync(join(target, `${recordFile}.new`), JSON.stringify(record))
  renameSync(join(target, `${recordFile}.new`), join(target, recordFile))
  return modules.length
}

/**
 * The script of a chunk, an expression of the function that the loader calls, in ASCII. Lines stay where they are.
 * The bundler leaves other characters in comments and in templates with a tag. {@link asciiRawTexts} refuses the
 * tag `String.raw`, which would see the escapes.
 */
function scriptOf(code: string): string {
  const text = code
    .replace(/^\/\/# sourceMappingURL=.*\n?/m, '')
    .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `(function(exports,require,module,bundleFile,bundleFolder,bundleUrl){"use strict";${text}\n})`
}

/** Removes all but these files: those of the last bundle stay, because a host that runs may still load one. */
function forget(target: string, kept: readonly string[]): void {
  for (const name of readdirSync(target)) if (!kept.includes(name)) rmSync(join(target, name))
}

const loader = fileURLToPath(new URL('./bundle-loader.js', import.meta.url))

/**
 * Writes what is no chunk, and answers the names: `main.js` runs the program, and `preload.js` loads, for a process that waits, what the program
 * imports.
 */
function writeStarters(target: string, program: string, chunks: readonly Rolldown.OutputChunk[]): string[] {
  const main = chunks.find(({ isEntry }) => isEntry) as Rolldown.OutputChunk
  const later = importedLater(program).map((file) => chunks.find(({ moduleIds }) => moduleIds.includes(file)))
  const first = new Set([main, ...later].map((chunk) => chunk?.fileName).filter((name) => name !== undefined))
  const texts = {
    'load.js': readFileSync(loader, 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, ''),
    'main.js': `import { load } from './load.js'\n\nawait load(${JSON.stringify(main.fileName)}).${runProgram}()\n`,
    'preload.js': `import { load } from './load.js'\n\nfor (const name of ${JSON.stringify([...first])}) load(name)\n`,
  }
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(target, name), text)
  return Object.keys(texts)
}

/** The files beside it that a program imports while it runs. */
function importedLater(program: string): string[] {
  const found = readFileSync(program, 'utf8').matchAll(/\bimport\(\s*['"](\.[^'"]+)['"]/g)
  return [...found].map(([, name = '']) => join(dirname(program), name))
}

/** Has a process load all chunks, without running the program, and write their code cache. Without it a bundle starts more slowly, and that is all. */
function writeCodeCache(target: string, chunks: readonly string[]): void {
  const url = (name: string): string => JSON.stringify(pathToFileURL(join(target, name)).href)
  const script = `
const { load, writeCodeCache } = await import(${url('load.js')})
await import(${url('preload.js')})
// What the program does without may be missing.
for (const name of ${JSON.stringify(chunks)}) try { load(name) } catch {}
writeCodeCache()
process.exit(0)`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  if (status !== 0) process.stderr.write(`${target} has no code cache: ${stderr}\n`)
}

/** The name of the function that a program becomes. */
const runProgram = 'runBundledProgram'

/**
 * Makes a function of what a program does behind its imports. A script can't wait at its top, and a process that waits for its turn loads the program before it
 * runs it.
 */
function scriptOfProgram(program: string): Rolldown.Plugin {
  return {
    name: 'keel-script-of-program',
    transform(code, id) {
      if (id !== program) return null
      const { body } = this.parse(code)
      const first = body.findIndex(({ type }) => type !== 'ImportDeclaration')
      const rest = first < 0 ? [] : body.slice(first)
      if (rest.some(({ type }) => /^(Import|Export)\w*Declaration$/.test(type)))
        throw new InputError(
          `${program} exports something, or imports it behind its first statement: a program does neither.`,
        )
      const start = rest[0]?.start ?? code.length
      // On the line of the first statement, so that no line moves.
      return {
        code: `${code.slice(0, start)}export async function ${runProgram}() {${code.slice(start)}\n}\n`,
        map: null,
      }
    },
  }
}

/** Packages that a program may do without: drivers, which a host loads when it is configured to use them. */
function optionalPeers(): string[] {
  const { peerDependenciesMeta } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { peerDependenciesMeta: Record<string, { optional?: boolean }> }
  // `pg` looks for its native part, and does without.
  return [...Object.keys(peerDependenciesMeta), 'pg-native']
}

async function loadRolldown(folder: string): Promise<typeof Rolldown> {
  let file: string
  try {
    file = createRequire(join(folder, 'package.json')).resolve('rolldown')
  } catch {
    throw new InputError(
      'Bundles are made by rolldown, which is not installed: npm install --save-dev rolldown',
    )
  }
  return import(pathToFileURL(file).href) as Promise<typeof Rolldown>
}

/**
 * Lets modules find the files beside them: `import.meta.url` is the address of the original file.
 * `import.meta.filename` stays that of the bundle, which is how a program notices that it is one.
 */
function placesOfModules(target: string): Rolldown.Plugin {
  return {
    name: 'keel-places-of-modules',
    transform(code, id) {
      const path = relative(target, id).split(sep).join('/')
      // In front of the first line, so that no line moves.
      if (
        /\b__(?:dirname|filename)\b/.test(code) &&
        !/\b(?:const|let|var) __(?:dirname|filename)\b/.test(code)
      )
        return {
          code: `var __dirname = bundleFolder + ${JSON.stringify(`/${dirname(path)}`)}, __filename = bundleFolder + ${JSON.stringify(`/${path}`)};${code}`,
          map: null,
        }
      if (!code.includes('import.meta.')) return null
      const url = `new URL(${JSON.stringify(path)}, bundleUrl)`
      const places = {
        url: `${url}.href`,
        dirname: `new URL('.', ${url}).pathname.slice(0, -1)`,
        filename: 'bundleFile',
      }
      let text = code
      for (const { start, end, name } of metaMembers(this.parse(code)).toSorted((a, b) => b.start - a.start))
        if (name in places)
          text = text.slice(0, start) + places[name as keyof typeof places] + text.slice(end)
      return text === code ? null : { code: text, map: null }
    },
  }
}

/** Refuses `String.raw` of a text that is not ASCII: in the bundle the text would hold escapes instead of its characters. */
function asciiRawTexts(): Rolldown.Plugin {
  return {
    name: 'keel-ascii-raw-texts',
    transform(code, id) {
      if (!code.includes('String.raw') || !nonAscii.test(code)) return null
      const templates = nodesOf(this.parse(code)).filter(isRawTemplate)
      const faulty = templates.find(({ start, end }) => nonAscii.test(code.slice(start, end)))
      if (!faulty) return null
      const line = code.slice(0, faulty.start).split('\n').length
      throw new InputError(
        `${id}:${line} has a String.raw with characters that are not ASCII, which a bundle can't keep: write them as \\u escapes in a text without String.raw.`,
      )
    },
  }
}

const nonAscii = /[^\0-\x7f]/

/** What we look at of a node of a syntax tree (ESTree). */
interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly object?: { readonly type?: string; readonly name?: string }
  readonly property?: { readonly name?: string }
  readonly tag?: SyntaxNode
}

/** A node of a syntax tree and all nodes below it. */
function nodesOf(node: unknown): SyntaxNode[] {
  if (Array.isArray(node)) return node.flatMap(nodesOf)
  if (typeof node !== 'object' || node === null) return []
  const below = Object.values(node).flatMap(nodesOf)
  return 'type' in node ? [node as SyntaxNode, ...below] : below
}

function isRawTemplate({ type, tag }: SyntaxNode): boolean {
  return type === 'TaggedTemplateExpression' && tag?.object?.name === 'String' && tag.property?.name === 'raw'
}

/** Where a program says `import.meta.<name>`. */
function metaMembers(program: unknown): { start: number; end: number; name: string }[] {
  return nodesOf(program)
    .filter(({ type, object }) => type === 'MemberExpression' && object?.type === 'MetaProperty')
    .map(({ start, end, property }) => ({ start, end, name: property?.name ?? '' }))
}

/** From where the lines of a chunk come, of files of ours: libraries are found by their names in the bundle. */
function originsOf(chunk: Rolldown.OutputChunk): ChunkOrigins {
  if (!chunk.map) return { files: [], runs: [] }
  const map = new SourceMap(chunk.map as unknown as SourceMapPayload)
  const files = new Map<string, number>()
  const fileOf = (source: string | undefined): number => {
    // What the bundler wrote itself has no source.
    if (!source || source.includes('/node_modules/')) return -1
    const known = files.get(source) ?? files.size
    files.set(source, known)
    return known
  }
  const runs: (readonly [line: number, file: number, line: number])[] = []
  let last: (typeof runs)[number] | undefined
  chunk.code.split('\n').forEach((text, index) => {
    const entry = map.findEntry(index, text.length)
    if (!('originalSource' in entry) || entry.generatedLine !== index) return
    const line = index + 1
    const file = fileOf(entry.originalSource)
    const origin = file < 0 ? 0 : entry.originalLine + 1
    if (last && last[1] === file && (file < 0 || origin - last[2] === line - last[0])) return
    last = [line, file, origin]
    runs.push(last)
  })
  return { files: [...files.keys()], runs }
}
