const masked = '"***"'
const deepest = 16

/** Whether the value of a member must not be seen. */
export type IsSecret = (name: string) => boolean

/**
 * A value as JSON of at most `limit` characters, shortened with an ellipsis, with secrets masked. It costs no more than what it writes,
 * however large the value is, and holds nothing that PostgreSQL refuses.
 */
export function maskedJson(value: unknown, limit: number, isSecret: IsSecret): string {
  const writer = new Writer(limit, isSecret)
  writer.write(value, 0)
  return shortened(writer.text, limit)
}

/** What may have to go: nearly never there, so that one look is enough. */
const refused = /[\0\uD800-\uDFFF]/
const halfCharacter = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** A text of at most `limit` characters that PostgreSQL takes: without NUL and halves of characters. */
export function shortened(text: string, limit: number): string {
  const short = text.length > limit ? `${text.slice(0, limit - 1)}…` : text
  return refused.test(short) ? short.replaceAll('\0', '').replace(halfCharacter, '\uFFFD') : short
}

class Writer {
  text = ''

  constructor(
    private readonly limit: number,
    private readonly isSecret: IsSecret,
  ) {}

  write(value: unknown, depth: number): void {
    if (typeof value === 'string') this.text += JSON.stringify(value.slice(0, this.limit))
    else if (value === null || value === undefined) this.text += 'null'
    else if (typeof value === 'number' || typeof value === 'boolean') this.text += JSON.stringify(value)
    else if (typeof value === 'bigint') this.text += String(value)
    else if (value instanceof Date) this.text += JSON.stringify(value)
    else if (typeof value !== 'object' || isContent(value) || depth > deepest) this.text += '"…"'
    else if (Array.isArray(value)) this.list(value, depth)
    else this.members(value, depth)
  }

  private list(values: readonly unknown[], depth: number): void {
    let separator = '['
    for (const value of values) {
      if (this.isFull) return
      this.text += separator
      this.write(value, depth + 1)
      separator = ','
    }
    this.text += separator === '[' ? '[]' : ']'
  }

  private members(value: object, depth: number): void {
    let separator = '{'
    for (const [name, member] of Object.entries(value)) {
      if (this.isFull) return
      if (member === undefined || typeof member === 'function') continue
      this.text += `${separator}${JSON.stringify(name.slice(0, this.limit))}:`
      if (isTelling(member) && this.isSecret(name)) this.text += masked
      else this.write(member, depth + 1)
      separator = ','
    }
    this.text += separator === '{' ? '{}' : '}'
  }

  private get isFull(): boolean {
    return this.text.length > this.limit
  }
}

/** Nothing and yes or no give no secret away. */
function isTelling(value: unknown): boolean {
  return value !== null && typeof value !== 'boolean' && value !== ''
}

/** Bytes and streams: files that travel through an operation. */
function isContent(value: object): boolean {
  return ArrayBuffer.isView(value) || Symbol.asyncIterator in value
}
