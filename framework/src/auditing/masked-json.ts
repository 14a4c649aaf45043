import { remembered } from './remembered.js'

const masked = '"***"'
const deepest = 16

/** Decides by its name that a member's value must be masked. */
export type IsSecret = (name: string) => boolean

/**
 * A value as JSON of at most `limit` characters, shortened with an ellipsis, with secrets masked. It costs no
 * more than what it writes, however large the value is, and holds nothing that PostgreSQL refuses.
 */
export function maskedJson(value: unknown, limit: number, isSecret: IsSecret): string {
  const plain = plainJson(value, limit)
  if (plain !== undefined) return shortened(plain, limit)
  const writer = new Writer(limit, isSecret)
  writer.write(value, 0)
  return shortened(writer.text, limit)
}

/** The arguments of a call as a JSON object, like {@link maskedJson}; what is undefined is left out. */
export function maskedArguments(
  names: readonly string[],
  values: readonly unknown[],
  limit: number,
  isSecret: IsSecret,
): string {
  const writer = new Writer(limit, isSecret)
  writer.pairs(names, values)
  return shortened(writer.text, limit)
}

const lastHalf = /[\uD800-\uDBFF]$/

/** A text cut to `limit` characters with an ellipsis, never inside of a character. */
export function shortened(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1).replace(lastHalf, '')}…` : text
}

/** The JSON of a value that needs no traversal; undefined for everything else. */
function plainJson(value: unknown, limit: number): string | undefined {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') return JSON.stringify(value.length > limit ? value.slice(0, limit) : value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  return value instanceof Date ? JSON.stringify(value) : undefined
}

class Writer {
  /** Joined when all is there: a text that grows is kept as a tree of all its pieces. */
  private readonly pieces: string[] = []
  private length = 0

  constructor(
    private readonly limit: number,
    private readonly isSecret: IsSecret,
  ) {}

  get text(): string {
    return this.pieces.join('')
  }

  write(value: unknown, depth: number): void {
    const plain = plainJson(value, this.limit)
    if (plain !== undefined) this.put(plain)
    else if (typeof value !== 'object' || value === null || isContent(value) || depth > deepest)
      this.put('"…"')
    else if (Array.isArray(value)) this.list(value, depth)
    else this.members(value, depth)
  }

  private list(values: readonly unknown[], depth: number): void {
    let separator = '['
    for (const value of values) {
      if (this.isFull) return
      this.put(separator)
      this.write(value, depth + 1)
      separator = ','
    }
    this.put(separator === '[' ? '[]' : ']')
  }

  /** Members whose names and values stand apart. */
  pairs(names: readonly string[], values: readonly unknown[]): void {
    let separator = '{'
    for (let index = 0; index < names.length && !this.isFull; index++)
      separator = this.member(separator, names[index] as string, values[index], 0)
    this.put(separator === '{' ? '{}' : '}')
  }

  private members(value: object, depth: number): void {
    let separator = '{'
    for (const name of Object.keys(value)) {
      if (this.isFull) return
      separator = this.member(separator, name, (value as Record<string, unknown>)[name], depth)
    }
    this.put(separator === '{' ? '{}' : '}')
  }

  /** Answers what stands in front of the next member. */
  private member(separator: string, name: string, value: unknown, depth: number): string {
    if (value === undefined || typeof value === 'function') return separator
    this.put(separator)
    this.put(quoted(name.length > this.limit ? name.slice(0, this.limit) : name))
    if (isTelling(value) && this.isSecret(name)) this.put(masked)
    else this.write(value, depth + 1)
    return ','
  }

  private put(piece: string): void {
    this.pieces.push(piece)
    this.length += piece.length
  }

  private get isFull(): boolean {
    return this.length > this.limit
  }
}

/** The name of a member with its colon. */
const quoted = remembered((name) => `${JSON.stringify(name)}:`)

/** Nothing and yes or no give no secret away. */
function isTelling(value: unknown): boolean {
  return value !== null && typeof value !== 'boolean' && value !== ''
}

/** Bytes and streams: files that travel through an operation. */
function isContent(value: object): boolean {
  return ArrayBuffer.isView(value) || Symbol.asyncIterator in value
}
