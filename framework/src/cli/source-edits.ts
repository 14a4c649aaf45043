/**
 * A program with more named imports of a source: in the import of that source when there is one, else in one
 * of its own behind the last. The formatter sorts them.
 */
export function withImport(text: string, names: readonly string[], source: string): string {
  if (names.length === 0) return text
  const known = [...text.matchAll(/^import \{([^}]*)\} from '([^']+)'/gm)].find(
    ([, , from]) => from === source,
  )
  if (known) {
    const all = new Set([...(known[1] ?? '').split(',').map((name) => name.trim()), ...names])
    all.delete('')
    const line = `import { ${[...all].join(', ')} } from '${source}'`
    return text.slice(0, known.index) + line + text.slice(known.index + known[0].length)
  }
  const last = [...text.matchAll(/^import\b[\s\S]*?from '[^']+'\n/gm)].at(-1)
  const end = last ? last.index + last[0].length : 0
  return `${text.slice(0, end)}import { ${names.join(', ')} } from '${source}'\n${last ? '' : '\n'}${text.slice(end)}`
}

/**
 * A program with one more item at the end of a list. The last character that `start` matches is the bracket
 * that opens it. Undefined when nothing matches.
 */
export function withItem(text: string, start: RegExp, item: string): string | undefined {
  const found = start.exec(text)
  if (!found) return undefined
  const open = found.index + found[0].length - 1
  const close = closingOf(text, open)
  const before = text.slice(0, close).trimEnd()
  return `${before}${/[[{,]$/.test(before) ? '' : ','}\n${item},\n${text.slice(close)}`
}

/** A program without an item, which is a word, of a list; see {@link withItem}. The same where it is not in the list. */
export function withoutItem(text: string, start: RegExp, item: string): string {
  const found = start.exec(text)
  if (!found) return text
  const open = found.index + found[0].length
  const close = closingOf(text, open - 1)
  const items = text.slice(open, close).replace(new RegExp(`\\s*\\b${item}\\b,?`), '')
  return text.slice(0, open) + items + text.slice(close)
}

/** A program without a named import, and without the line when that imports nothing else. The formatter does the rest. */
export function withoutImport(text: string, name: string): string {
  return text.replace(
    /^import \{([^}]*)\} from '([^']+)'\n/gm,
    (line: string, names: string, source: string) => {
      const all = names.split(',').map((each) => each.trim())
      if (!all.includes(name)) return line
      const others = all.filter((each) => each && each !== name)
      return others.length ? `import { ${others.join(', ')} } from '${source}'\n` : ''
    },
  )
}

/** Where the bracket is closed that is opened at a position. */
function closingOf(text: string, open: number): number {
  let depth = 0
  for (let index = open; index < text.length; index++) {
    if ('([{'.includes(text[index] as string)) depth++
    else if (')]}'.includes(text[index] as string) && --depth === 0) return index
  }
  return text.length
}

/** A package.json with one more dependency. */
export function withDependency(text: string, name: string, version: string): string {
  const manifest = JSON.parse(text) as { dependencies: Record<string, string> }
  const dependencies = { ...manifest.dependencies, [name]: version }
  return `${JSON.stringify({ ...manifest, dependencies }, undefined, 2)}\n`
}

/** A package.json without a dependency. */
export function withoutDependency(text: string, name: string): string {
  const manifest = JSON.parse(text) as { dependencies: Record<string, string> }
  const { [name]: _, ...dependencies } = manifest.dependencies
  return `${JSON.stringify({ ...manifest, dependencies }, undefined, 2)}\n`
}

/** A tsconfig.json with one more project that it refers to. */
export function withReference(text: string, path: string): string {
  const project = JSON.parse(text) as { references: { path: string }[] }
  return `${JSON.stringify({ ...project, references: [...project.references, { path }] }, undefined, 2)}\n`
}
