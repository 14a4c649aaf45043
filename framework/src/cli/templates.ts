import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../templates/', import.meta.url))
const suffix = '.template'

/** Values for `{{name}}` in the texts and the paths of templates. */
export type TemplateValues = Readonly<Record<string, string>>

/**
 * The files that a folder of `templates/` makes, by their paths. A line that holds `{{name}}` alone gets all
 * lines of the value, with the same indentation; it is left out when the value is empty.
 */
export function renderTemplates(name: string, values: TemplateValues): Readonly<Record<string, string>> {
  const files = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
  const templates = files.filter((file) => file.endsWith(suffix)).sort()
  return Object.fromEntries(
    templates.map((file) => {
      const path = file.slice(0, -suffix.length).split(sep).join('/')
      return [fill(path, values, file), fill(readFileSync(join(folder, name, file), 'utf8'), values, file)]
    }),
  )
}

/** A part of a file, of `templates/parts/`. */
export function renderPart(name: string, values: TemplateValues): string {
  const file = join('parts', name + suffix)
  return fill(readFileSync(join(folder, file), 'utf8'), values, file)
}

function fill(text: string, values: TemplateValues, file: string): string {
  const valueFor = (name: string): string => {
    const value = values[name]
    if (value === undefined) throw new Error(`The template ${file} needs a value for {{${name}}}`)
    return value
  }
  const linesOf = (name: string): string[] =>
    valueFor(name)
      .split('\n')
      .slice(valueFor(name) === '' ? 1 : 0)
  return text
    .replace(/^([ \t]*)\{\{(\w+)\}\}\n/gm, (_, indentation: string, name: string) =>
      linesOf(name)
        .map((line) => `${line && indentation}${line}\n`)
        .join(''),
    )
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => valueFor(name))
}
