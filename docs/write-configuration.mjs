// Writes docs/configuration.md from the sections of settings in the code: `configurationSection(…)` and the comments in it. Needs `npm run build`.
// With `--check` nothing is written: the exit code is 1 when the page is not what the code says.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { declarationsOf } from '../framework/dist/modularity/documented-code.js'
import { parseTsdoc, wholeText } from '../framework/dist/modularity/tsdoc.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = `${root}docs/configuration.md`
const packages = ['framework', ...readdirSync(`${root}modules`).map((name) => `modules/${name}`), 'migrator']

const text = await reference()
if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  console.error('docs/configuration.md is stale: run `npm run build && node docs/write-configuration.mjs`.')
  process.exitCode = 1
}

async function reference() {
  const sections = (await Promise.all(packages.map(sectionsOf))).flat()
  const paths = [...new Set(sections.map(({ path }) => path))].sort()
  return `# Configuration

Every section of settings, with what the code says of it; \`node docs/write-configuration.mjs\` writes this page. Where settings come from, and
the keys that are no section (\`ConnectionStrings\`, \`PORT\`, \`Log:Level\` and so on), stand in the [README](../README.md#configuration). A value
that does not fit stops the start. A key without a default may be left out, unless it is marked as required.
${paths.map((path) => pageOf(path, sections)).join('')}`
}

/** The exported sections of a package, each with its source. */
async function sectionsOf(folder) {
  const sources = readdirSync(`${root}${folder}/src`, { recursive: true })
    .filter((name) => /(?<!\.test|\.d)\.ts$/.test(name))
    .sort()
  const found = []
  for (const name of sources) {
    const source = readFileSync(`${root}${folder}/src/${name}`, 'utf8')
    const names = [...source.matchAll(/^export const (\w+) = configurationSection\(/gm)].map(([, one]) => one)
    if (!names.length) continue
    const compiled = await import(`${root}${folder}/dist/${name.replace(/\.ts$/, '.js')}`)
    const declarations = declarationsOf(source)
    for (const one of names) {
      const { doc, members } = declarations.find((declaration) => declaration.name === one)
      const { path, schema } = compiled[one]
      found.push({ path, doc, members, schema, comments: commentsIn(folder, source) })
    }
  }
  return found
}

/** Comments of members by their names: of objects inside sections, and of the interface that a section satisfies. */
function commentsIn(folder, source) {
  const [, name] = /satisfies Record<keyof (\w+)/.exec(source) ?? []
  const [, from = ''] = new RegExp(`import [^;]*?\\b${name}\\b[^;]*? from '([^']+)'`).exec(source) ?? []
  const ending = from.replace(/^[./]+/, '/').replace(/\.js$/, '.ts')
  const path =
    from && readdirSync(`${root}${folder}/src`, { recursive: true }).find((one) => one.endsWith(ending))
  const sources = [path ? readFileSync(`${root}${folder}/src/${path}`, 'utf8') : '', source]
  return new Map(
    sources.flatMap((text) =>
      [...text.matchAll(/(\/\*\*(?:[^*]|\*(?!\/))*\*\/)\s*(?:readonly )?(\w+)\??:/g)].map(
        ([, comment, member]) => [member, textOf(parseTsdoc(comment))],
      ),
    ),
  )
}

function pageOf(path, sections) {
  const own = sections.filter((section) => section.path === path)
  const rows = new Map()
  for (const { schema, members, comments } of own)
    for (const row of rowsOf(path, schema, (name) => textOf(members.get(name)) || comments.get(name)))
      if (!rows.get(row.key)?.text) rows.set(row.key, row)
  const silent = [...rows.values()].filter(({ text }) => !text).map(({ key }) => key)
  if (silent.length) throw new Error(`No comment in the code says what these are for: ${silent.join(', ')}`)
  const lines = [...rows.values()].map(
    ({ key, kind, usual, text }) => `| \`${key}\` | ${kind} | ${usual} | ${text} |`,
  )
  // Sections that share a path have no comment in common.
  const intro = own.length === 1 ? `${textOf(own[0].doc)}\n\n` : ''
  return `
## ${path}

${intro}| Key | Value | Default | |
| --- | --- | --- | --- |
${lines.join('\n')}
`
}

/** The keys of an object; those of objects inside it below their own key. */
function rowsOf(path, schema, textFor) {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return Object.entries(json.properties).flatMap(([name, member]) => {
    const key = `${path}:${name[0].toUpperCase()}${name.slice(1)}`
    const nested = member.properties && inner(schema.shape[name])
    if (nested) return rowsOf(key, nested, textFor)
    const isRequired = json.required?.includes(name)
    return [
      { key, kind: kindOf(member), usual: isRequired ? 'required' : defaultOf(member), text: textFor(name) },
    ]
  })
}

/** The object behind optional and default wrappers. */
function inner(schema) {
  return schema.shape ? schema : schema.def.innerType && inner(schema.def.innerType)
}

function kindOf({ type, enum: values, minimum, maximum, exclusiveMinimum, minLength, format }) {
  if (values) return values.map((value) => `\`${value}\``).join(', ')
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : `more than ${exclusiveMinimum}`)
  const most = maximum === undefined || maximum > 1e15 ? undefined : maximum
  const range = [
    least !== undefined && least > -1e15 ? `from ${least}` : typeof least === 'string' ? least : '',
    most === undefined ? '' : `to ${most}`,
  ]
  const length = minLength > 1 ? `${minLength} characters or more` : ''
  const kinds = {
    integer: 'whole number',
    string: format === 'uri' ? 'address' : 'text',
    array: 'list',
    object: 'map',
  }
  return [kinds[type] ?? type ?? 'any', ...range, length].filter(Boolean).join(' ')
}

function defaultOf({ default: usual }) {
  return usual === undefined || usual === '' || (typeof usual === 'object' && !Object.keys(usual).length)
    ? ''
    : `\`${typeof usual === 'object' ? JSON.stringify(usual) : usual}\``
}

function textOf(doc) {
  return doc ? wholeText(doc).replace(/\s+/g, ' ').replaceAll('|', '\\|') : ''
}
