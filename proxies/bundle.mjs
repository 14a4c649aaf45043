// Makes every proxy self-contained: proxies/*/bundle/ gets the compiled files that the proxy reaches, with
// `@keel/…` rewritten to relative paths, so that an installed proxy needs zod alone, and @keel/react its peers. Runs after `tsc -b` and
// does nothing when nothing changed.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const thisFile = fileURLToPath(import.meta.url)

for (const proxy of packagesIn('proxies')) {
  // Outside of bundle/, which is published whole.
  const record = join(proxy.folder, 'dist', 'bundle.json')
  if (isFresh(record)) continue
  const files = await bundle(proxy)
  const inputs = Object.fromEntries(
    [thisFile, ...files.keys()].map((file) => [fromRoot(file), stampOf(file)]),
  )
  writeFileSync(record, JSON.stringify({ inputs, outputs: [...files.values()].map(fromRoot) }))
  console.log(`${proxy.name}: ${files.size} files in ${fromRoot(proxy.folder)}/bundle`)
}

function isFresh(record) {
  if (!existsSync(record)) return false
  const { inputs, outputs } = JSON.parse(readFileSync(record, 'utf8'))
  return (
    Object.entries(inputs).every(([file, stamp]) => stampOf(join(root, file)) === stamp) &&
    outputs.every((file) => existsSync(join(root, file)))
  )
}

function fromRoot(file) {
  return relative(root, file)
}

function stampOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs
}

/** Writes the bundle; gives back its files by the files they were made of. */
async function bundle(proxy) {
  const target = join(proxy.folder, 'bundle')
  const packages = [...packagesIn('.', 'framework'), ...packagesIn('modules')]
  const outputs = new Map()
  const texts = new Map()
  const queue = [join(proxy.folder, 'dist', 'index.js'), join(proxy.folder, 'dist', 'index.d.ts')]
  for (const file of queue) {
    if (outputs.has(file)) continue
    outputs.set(file, outputOf(file))
    texts.set(file, await rewrite(file))
  }
  rmSync(target, { recursive: true, force: true })
  for (const [file, output] of outputs) {
    mkdirSync(dirname(output), { recursive: true })
    writeFileSync(output, texts.get(file))
  }
  return outputs

  /** The text of a file with its imports pointing into the bundle; what it imports joins the queue. */
  async function rewrite(file) {
    const { default: typescript } = await import('typescript')
    let text = withPureEnumerations(readFileSync(file, 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, ''))
    const imports = typescript.preProcessFile(text, true, true).importedFiles
    for (const { fileName, pos } of imports.toReversed()) {
      const imported = resolve(file, fileName)
      if (!imported) continue
      queue.push(imported)
      const path = relative(dirname(outputOf(file)), outputOf(imported))
        .split(sep)
        .join(posix.sep)
      const specifier = (path.startsWith('.') ? path : `./${path}`).replace(/\.d\.ts$/, '.js')
      // `pos` is that of the opening quote.
      text = `${text.slice(0, pos + 1)}${specifier}${text.slice(pos + 1 + fileName.length)}`
    }
    return text
  }

  /** The file behind a specifier; undefined for the libraries a proxy may depend on. */
  function resolve(from, specifier) {
    const isTypes = from.endsWith('.d.ts')
    if (specifier.startsWith('.'))
      return join(dirname(from), isTypes ? specifier.replace(/\.js$/, '.d.ts') : specifier)
    const [, name, door] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier)
    const { dependencies, peerDependencies } = proxy.manifest
    if (name in { ...dependencies, ...peerDependencies }) return undefined
    const owner = packages.find((candidate) => candidate.name === name)
    const exported = owner?.manifest.exports[`.${door}`]
    if (!exported) {
      const place = fromRoot(from)
      throw new Error(`${proxy.name} must stay self-contained, but ${place} imports ${specifier}`)
    }
    return join(owner.folder, isTypes ? exported.types : exported.default)
  }

  function outputOf(file) {
    const owner = [proxy, ...packages].find(({ folder }) => file.startsWith(join(folder, 'dist') + sep))
    const path = relative(join(owner.folder, 'dist'), file)
    return owner === proxy ? join(target, path) : join(target, owner.name.replace('@keel/', ''), path)
  }
}

/** Enumerations as values that a page leaves out where it uses none of them: bundlers have to keep the calls that tsc makes of them. */
function withPureEnumerations(text) {
  return text.replace(
    /^export var (\w+);\n\(function \(\1\) \{\n([\s\S]*?)^\}\)\(\1 \|\| \(\1 = \{\}\)\);$/gm,
    'export var $1 = /* @__PURE__ */ (function ($1) {\n$2    return $1;\n})({});',
  )
}

function packagesIn(parent, name) {
  const folders = name ? [name] : readdirSync(join(root, parent))
  return folders
    .map((entry) => join(root, parent, entry))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      return { name: manifest.name, folder, manifest }
    })
}
