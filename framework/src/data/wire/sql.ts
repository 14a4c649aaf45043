/** A piece of SQL with the values of its parameters. Values never become text. */
export interface Sql {
  readonly texts: readonly string[]
  readonly values: readonly unknown[]
}

const isSql = (value: unknown): value is Sql =>
  typeof value === 'object' && value !== null && 'texts' in value && 'values' in value

/**
 * SQL with parameters: an interpolated value becomes a parameter, an interpolated piece of SQL becomes part of it.
 * @example sql`"Status" = ${status} and ${visible}`
 */
export function sql(strings: TemplateStringsArray, ...parts: readonly unknown[]): Sql {
  const texts: string[] = [strings[0] ?? '']
  const values: unknown[] = []
  for (const [index, part] of parts.entries()) {
    if (isSql(part)) append(part)
    else {
      values.push(part)
      texts.push('')
    }
    texts[texts.length - 1] += strings[index + 1] ?? ''
  }
  return { texts, values }

  function append(part: Sql): void {
    texts[texts.length - 1] += part.texts[0] ?? ''
    texts.push(...part.texts.slice(1))
    values.push(...part.values)
  }
}

/** Text that is SQL as it stands. Only for names and constants of our own code, never for input. */
export function raw(text: string): Sql {
  return { texts: [text], values: [] }
}

/** The text of SQL without parameters, as {@link raw} takes it. Throws when there are any. */
export function textOf({ texts: [text = ''], values }: Sql): string {
  if (values.length) throw new Error(`Parameters have no place in ${text}`)
  return text
}

/** A quoted identifier. */
export function identifier(name: string): Sql {
  return raw(quote(name))
}

/** A name as PostgreSQL wants it quoted. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Pieces joined by a separator; nothing for no pieces. */
export function join(parts: readonly Sql[], separator: string): Sql {
  const texts: string[] = ['']
  const values: unknown[] = []
  for (const [index, part] of parts.entries()) {
    texts[texts.length - 1] += `${index ? separator : ''}${part.texts[0] ?? ''}`
    for (let next = 1; next < part.texts.length; next++) texts.push(part.texts[next] as string)
    for (const value of part.values) values.push(value)
  }
  return { texts, values }
}

/** All of the conditions; `true` for none. */
export function and(conditions: readonly (Sql | undefined)[]): Sql {
  const given = conditions.filter((condition) => condition !== undefined)
  return given.length === 0 ? raw('true') : join(given, ' and ')
}

/**
 * Rules that hide rows, and conditions with texts of a caller, which are never evaluated on a row that the rules hide: else an error, or the time
 * that they take, tells what is in it. PostgreSQL evaluates conditions that are only joined by `and` in any order.
 */
export function barred(rules: readonly Sql[], conditions: readonly (Sql | undefined)[]): Sql {
  const given = conditions.filter((condition) => condition !== undefined)
  if (!rules.length || !given.length) return and([...rules, ...given])
  return sql`${and(rules)} and case when ${and(rules)} then ${and(given)} end`
}

/** True when a piece of SQL reads rows of its own. */
export function readsRows({ texts }: Sql): boolean {
  return texts.some((text) => /\bselect\b/i.test(text))
}

/** The statement as `pg` takes it: text with $1, $2, … and the values. */
export function toStatement({ texts, values }: Sql): { text: string; values: unknown[] } {
  return {
    text: texts.reduce((all, text, index) => (index === 0 ? text : `${all}$${index}${text}`), ''),
    values: [...values],
  }
}

/** A pattern for `like` that a text alone meets, with the text's own wildcards taken literally. */
export function exactly(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** A pattern for `like` that finds a text at the beginning, with the text's own wildcards taken literally. */
export function beginningWith(text: string): string {
  return `${exactly(text)}%`
}

/** A pattern for `like` that finds a text anywhere, with the text's own wildcards taken literally. */
export function containing(text: string): string {
  return `%${exactly(text)}%`
}

/**
 * A pattern for `~*` that finds a text anywhere, in whichever case: all its characters stand for themselves. Trigram indexes serve for it as for
 * `ilike`, which takes two and a half times as long in a database that sorts as people do: it folds every row by ICU.
 */
export function literally(text: string): string {
  return `${literalMark}${text}`
}

const literalMark = '***='

/** True for a value that is a pattern to look for anywhere in texts, as {@link literally} and {@link containing} make it. Other values may look the same. */
export function looksLikePattern(value: unknown): boolean {
  return typeof value === 'string' && (value.startsWith(literalMark) || value.startsWith('%'))
}

/**
 * The condition that a text is in one of some columns, in whichever case; undefined for no columns. It takes time by what is in the rows: it
 * belongs behind the row rules ({@link barred}). @param pattern the value that {@link literally} makes of the text
 */
export function textIn(columns: readonly Sql[], pattern: unknown): Sql | undefined {
  if (!columns.length) return undefined
  return sql`(${join(
    columns.map((column) => sql`${column} ~* ${pattern}`),
    ' or ',
  )})`
}
