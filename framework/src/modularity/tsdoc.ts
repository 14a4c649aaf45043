/** The parts of a TSDoc comment. All texts are Markdown. */
export interface Tsdoc {
  /** The first sentence, without its full stop. */
  readonly summary: string
  /** The rest, with `@remarks`; empty when there is none. */
  readonly details: string
  /** The texts of `@example`; `exampleValue` reads them. */
  readonly examples: readonly string[]
  /** The text of `@deprecated`; undefined without the tag. */
  readonly deprecated: string | undefined
  /** `@param` by name. */
  readonly parameters: Readonly<Record<string, string>>
  /** The text of `@returns`; undefined without the tag. */
  readonly returns: string | undefined
}

/** Reads a comment. @param comment with its slashes and stars */
export function parseTsdoc(comment: string): Tsdoc {
  const text = comment
    .replace(/^\/\*\*|\*\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim()
  const [main = '', ...blocks] = text.split(/(?:^|\s)(?=@[a-z]+\b)/i)
  const tags = blocks.map((block) => {
    const [, name = '', content = ''] = /^@(\w+)\s*([\s\S]*)$/.exec(block) ?? []
    return { name, content: content.trim() }
  })
  const all = (name: string): string[] => tags.filter((tag) => tag.name === name).map((tag) => tag.content)
  const [summary, rest] = splitSentence(markdown(main))
  return {
    summary,
    details: [rest, ...all('remarks').map(markdown)].filter(Boolean).join('\n\n'),
    examples: all('example').map(withoutFence),
    deprecated: all('deprecated').map(markdown)[0],
    parameters: Object.fromEntries(
      all('param').map((content) => {
        const [, name = '', description = ''] = /^(\S+)\s*-?\s*([\s\S]*)$/.exec(content) ?? []
        return [name, markdown(description)]
      }),
    ),
    returns: all('returns').map(markdown)[0],
  }
}

/** Summary and details as one text. */
export function wholeText({ summary, details, deprecated }: Tsdoc): string {
  const main = [summary && `${summary}${/[.!?:)]$/.test(summary) ? '' : '.'}`, details]
    .filter(Boolean)
    .join(' ')
  return [main, deprecated && `Deprecated: ${deprecated}`].filter(Boolean).join(' ')
}

/** Lines of a paragraph joined, and inline links as the names that they lead to. */
function markdown(text: string): string {
  return text
    .replace(
      /\{@link(?:code|plain)?\s+([^}|\s]+)(?:\s*\|?\s*([^}]+))?\}/g,
      (_, target: string, label?: string) => (label ? label.trim() : `\`${target}\``),
    )
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s*\n\s*/g, ' ').trim())
    .filter(Boolean)
    .join('\n\n')
}

/** A sentence ends before a capital letter or the text's end, and not after an abbreviation. */
function splitSentence(text: string): [first: string, rest: string] {
  const end = /(?<!\b(?:e\.g|i\.e|etc|No))([.!?])(?=\s+[\p{Lu}`“"(]|\s*$)|\n\n/u.exec(text)
  if (!end) return [text, '']
  const stop = end[1] === '?' || end[1] === '!' ? 1 : 0
  return [text.slice(0, end.index + stop), text.slice(end.index + end[0].length).trim()]
}

const withoutFence = (content: string): string =>
  content
    .replace(/^```\w*\n?|\n?```$/g, '')
    .replace(/^`(.*)`$/s, '$1')
    .trim()

/** The value of an `@example`: of a text the text, quoted or not; else JSON. Undefined for what is neither. */
export function exampleValue(example: string, isText: boolean): unknown {
  let value: unknown
  try {
    value = JSON.parse(example)
  } catch {
    return isText ? example : undefined
  }
  return isText && typeof value !== 'string' && value !== null ? example : value
}
