import type { ODataLimits } from './limits.js'
import { ODataError, type Sentence, say } from './odata-error.js'
import type { UnsupportedCode } from './unsupported.js'

const identifierText = String.raw`[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}`
const identifierHere = new RegExp(identifierText, 'uy')
const qualifiedHere = new RegExp(`${identifierText}(?:\\.${identifierText})*`, 'uy')
const wordCharacter = /[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]/u

/** Reads the decoded text of one option from left to right, and counts what the limits bound. */
export class Cursor {
  at = 0
  /** `any` and `all` around the place. */
  lambdas = 0
  /** Calls around the place. */
  calls = 0
  private depth = 0
  /** Nodes counted so far. */
  nodes = 0
  private listed = 0
  private terms = 0
  private searchLength = 0
  private expanded = 0

  constructor(
    readonly text: string,
    /** The option, for messages. */
    readonly target: string,
    readonly limits: ODataLimits,
  ) {}

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  /** Says whether `symbol` stands here. */
  sees(symbol: string): boolean {
    return this.text.startsWith(symbol, this.at)
  }

  /** Passes `symbol` when it stands here. */
  take(symbol: string): boolean {
    if (!this.sees(symbol)) return false
    this.at += symbol.length
    return true
  }

  /** Passes `symbol`, which must stand here. */
  expect(symbol: string, expected = `'${symbol}'`): void {
    if (!this.take(symbol)) this.fail(expected)
  }

  /** Passes blanks and tabs; how many there were. */
  blanks(): number {
    const from = this.at
    while (this.text[this.at] === ' ' || this.text[this.at] === '\t') this.at++
    return this.at - from
  }

  /** Passes what a sticky expression matches here. */
  match(expression: RegExp): string | undefined {
    expression.lastIndex = this.at
    const found = expression.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  /** The name that stands here, passed. */
  identifier(expected = 'a name'): string {
    return this.match(identifierHere) ?? this.fail(expected)
  }

  /** The name that stands here, passed, with its namespace if it has one. */
  qualifiedName(): string | undefined {
    return this.match(qualifiedHere)
  }

  /** Passes a word in any case; what goes on as a longer word is another. */
  takeWord(word: string): boolean {
    const end = this.at + word.length
    if (this.text.slice(this.at, end).toLowerCase() !== word || this.isWordAt(end)) return false
    this.at = end
    return true
  }

  /** Says whether a name or number would continue there. */
  isWordAt(at: number): boolean {
    const code = this.text.codePointAt(at)
    return code !== undefined && wordCharacter.test(String.fromCodePoint(code))
  }

  /** Nothing may come any more. */
  end(expected: string): void {
    this.blanks()
    if (!this.isAtEnd) this.fail(expected)
  }

  /** Runs `work` one level deeper. */
  deeper<T>(work: () => T): T {
    if (++this.depth > this.limits.maxDepth)
      this.refuse(say`The recursion limit of '${this.limits.maxDepth}' has been exceeded.`)
    const result = work()
    this.depth--
    return result
  }

  /** Counts a node of an expression. */
  node(): void {
    if (++this.nodes > this.limits.maxNodeCount)
      this.refuse(say`The node count limit of '${this.limits.maxNodeCount}' has been exceeded.`)
  }

  /**
   * Counts the nodes read since there were `nodes` as one item of a list: an item counts against the limit of
   * lists, and its nodes do not count.
   */
  listItem(nodes: number): void {
    if (++this.listed <= this.limits.maxListItems) this.nodes = nodes
  }

  /** Counts a word or phrase of a search. */
  term(): void {
    if (++this.terms > this.limits.maxSearchTerms)
      this.refuse(say`The search term limit of '${this.limits.maxSearchTerms}' has been exceeded.`)
  }

  /**
   * Counts the characters of a word or phrase of a search. Together they may have as many as a text: PostgreSQL compiles each of them to a pattern,
   * which takes time by the square of its length.
   */
  searched(text: string, from: number): void {
    this.searchLength += text.length
    const { maxTextLength } = this.limits
    if (this.searchLength > maxTextLength)
      this.refuse(say`The length limit of '${maxTextLength}' of a text has been exceeded.`, from)
  }

  /** Counts an item of `$expand`. */
  expandItem(): void {
    if (++this.expanded > this.limits.maxExpandCount)
      this.refuse(say`The limit of '${this.limits.maxExpandCount}' expanded properties has been exceeded.`)
  }

  /** Ends with what was expected here. */
  fail(expected: string, at = this.at): never {
    throw ODataError.syntax(this.found(at), { target: this.target, at, expected })
  }

  /** Ends with a fault of what is said here, not of how. */
  refuse(message: string | Sentence, at = this.at): never {
    throw ODataError.invalid(message, { target: this.target, at })
  }

  /** Ends with 501. @param found what was written, where the code alone does not say it */
  unsupported(code: UnsupportedCode, at = this.at, found?: string): never {
    throw ODataError.unsupported(code, { target: this.target, at }, found)
  }

  private found(at: number): string {
    if (at >= this.text.length) return 'the end'
    const rest = Array.from(this.text.slice(at, at + 40))
    const shown = rest.slice(0, 20).join('')
    return `'${shown}${rest.length > 20 || at + 40 < this.text.length ? '…' : ''}'`
  }
}
