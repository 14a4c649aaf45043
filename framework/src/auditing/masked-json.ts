const masked = '"***"'
const deepest = 16

/** Whether the value of a member must not be seen. */
export type IsSecret = (name: string) => boolean

/**
 * A value as JSON of at most `limit` characters, shortened with an ellipsis, with secrets masked. It costs no more than what it writes,
 * however large the value is, and holds nothing that PostgreSQL refuses.
 */
export function maskedJson(value: unknown, limit: number, isSecret: IsSecret): string {
  const plain = plainJson(value, limit)
  if (plain !== undefined) return shortened(plain, limit)
  const writer = new Writer(limit, isSecret)
  writer.write(value, 0)
  return shortened(writer.text, limit)
}

const lastHalf = /[\uD800-\uDBFF]$/

/** A text of at most `limit` characters, with an ellipsis where something is missing; never with half of a character in front of it. */
export function shortened(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1).replace(lastHalf, '')}…` : text
}

/** What needs no walk; undefined for everything else. */
function plainJson(value: unknown, limit: number): string | undefined {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') return JSON.stringify(value.length > limit ? value.slice(0, limit) : value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  return value instanceof Date ? JSON.stringify(value) : undefined
}

class Writer {
  text = ''

  constructor(
    private readonly limit: number,
    private readonly isSecret: IsSecret,
  ) {}

  write(value: unknown, depth: number): void {
    const plain = plainJson(value, this.limit)
    if (plain !== undefined) this.text += plain
    else if (typeof value !== 'object' || value === null || isContent(value) || depth > deepest)
      this.text += '"…"'
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
    for (const name of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[name]
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
