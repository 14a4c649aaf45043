// node hosts/admin/build.mjs [--check]: builds the admin UI into hosts/admin/ui/dist, unless nothing has changed since it was built. With --check
// its types are checked too, which needs the compiled packages of the repository (`tsc -b`).
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(here))
const ui = join(here, 'ui')
const target = join(ui, 'dist')
/** Says which files the bundle was made of, and their hash. */
const mark = join(target, '.fingerprint')
const typesMark = join(ui, '.types-fingerprint')

const isBuilt = isSame(mark)
const isChecked = !process.argv.includes('--check') || isSame(typesMark)
if (!isBuilt || !isChecked) {
  run([join(root, '.ci', 'install.mjs'), 'hosts/admin/ui'])
  if (!isBuilt) await build()
  if (!isChecked) {
    run([join(root, 'node_modules/@typescript/native/bin/tsc'), '-p', ui])
    copyFileSync(mark, typesMark)
  }
}

async function build() {
  // A test's NODE_ENV would bundle the development build of React.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  const { output } = await build({
    root: ui,
    configFile: join(ui, 'vite.config.mjs'),
    logLevel: 'warn',
    mode: 'production',
  })
  await Promise.all(readdirSync(target, { recursive: true }).map((name) => compress(join(target, name))))
  const modules = output.flatMap(({ moduleIds }) => moduleIds ?? [])
  const bundled = modules
    .map((id) => relative(root, id.split('?')[0]))
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules'))
  const files = [...new Set([...bundled, ...ownFiles()])].sort()
  writeFileSync(mark, JSON.stringify({ files, hash: hashOf(files) }))
}

/** True when the files that a mark names are what they were, and the UI has no others. */
function isSame(file) {
  try {
    const { files, hash } = JSON.parse(readFileSync(file, 'utf8'))
    return ownFiles().every((own) => files.includes(own)) && hashOf(files) === hash
  } catch {
    return false
  }
}

/** The files of the UI itself, and what builds it. */
function ownFiles() {
  const sources = ['src', 'public'].flatMap((folder) =>
    readdirSync(join(ui, folder), { recursive: true }).map((name) => join(ui, folder, name)),
  )
  const single = ['index.html', 'package-lock.json', 'tsconfig.json', 'vite.config.mjs'].map((name) =>
    join(ui, name),
  )
  return [...sources, ...single, fileURLToPath(import.meta.url)]
    .filter((path) => statSync(path).isFile())
    .map((path) => relative(root, path))
}

function hashOf(files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function run(args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

async function compress(file) {
  if (!['.html', '.js', '.css', '.svg', '.json'].includes(extname(file))) return
  const plain = readFileSync(file)
  if (plain.length < 1000) return
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length }
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(plain, { params }))
  writeFileSync(`${file}.gz`, await promisify(gzip)(plain, { level: 9 }))
}
