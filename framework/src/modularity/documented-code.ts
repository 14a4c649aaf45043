import { parseTsdoc, type Tsdoc } from './tsdoc.js'

/**
 * A class, constant, enumeration or function of a program with its TSDoc and that of the members written in
 * it.
 */
export interface Declaration {
  readonly name: string
  readonly doc: Tsdoc | undefined
  /** Every member that is written here, with its comment where it has one. */
  readonly members: ReadonlyMap<string, Tsdoc | undefined>
  /**
   * The names that it is made of beside the members that are written here: `...fields`, `InputOf(PortDto)`,
   * `crud(…)`.
   */
  readonly uses: readonly string[]
}

/**
 * The declarations at the top of a program, TypeScript or what was compiled from it: comments survive
 * compilation. It knows the forms that contracts are written in and no others: `class … extends Dto({ … })`,
 * `const … = { … }`, `enum`, and functions that return an object.
 */
export function declarationsOf(program: string): Declaration[] {
  return new Reader(tokensOf(program)).read()
}

type Token = { readonly kind: 'doc' | 'word' | 'text' | 'sign'; readonly value: string }

const simple =
  /\s+|(\/\*\*(?!\/)[\s\S]*?\*\/)|\/\*[\s\S]*?\*\/|\/\/[^\n]*|'((?:\\[\s\S]|[^'\\\n])*)'|"((?:\\[\s\S]|[^"\\\n])*)"|([\p{L}_$][\p{L}\p{N}_$]*)|\d[\w.]*|(\.\.\.|=>)|([\s\S])/uy
const regularExpression = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y

/**
 * Comments of TSDoc, names, texts and signs; numbers, other comments, templates and regular expressions are
 * left out.
 */
function tokensOf(program: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < program.length) {
    const before = tokens.at(-1)
    if (program[at] === '/' && mayBeginExpression(before)) {
      regularExpression.lastIndex = at
      if (!/^\/[/*]/.test(program.slice(at, at + 2)) && regularExpression.test(program)) {
        at = regularExpression.lastIndex
        tokens.push({ kind: 'text', value: '' })
        continue
      }
    }
    if (program[at] === '`') {
      at = endOfTemplate(program, at)
      tokens.push({ kind: 'text', value: '' })
      continue
    }
    simple.lastIndex = at
    const found = simple.exec(program)
    if (!found) break
    at = simple.lastIndex
    const [, doc, single, double, word, long, sign] = found
    if (doc !== undefined) tokens.push({ kind: 'doc', value: doc })
    else if (single !== undefined || double !== undefined)
      tokens.push({ kind: 'text', value: single ?? double ?? '' })
    else if (word !== undefined) tokens.push({ kind: 'word', value: word })
    else if (long !== undefined || sign !== undefined)
      tokens.push({ kind: 'sign', value: long ?? sign ?? '' })
  }
  return tokens
}

/** True when a slash at this place begins a regular expression instead of dividing. */
function mayBeginExpression(before: Token | undefined): boolean {
  return !before || before.kind === 'doc' || (before.kind === 'sign' && !/^[)\]}]$/.test(before.value))
}

function endOfTemplate(program: string, start: number): number {
  let at = start + 1
  while (at < program.length && program[at] !== '`') {
    if (program[at] === '\\') at += 2
    else if (program.startsWith('${', at)) {
      let depth = 1
      at += 2
      while (at < program.length && depth > 0) {
        if (program[at] === '`') at = endOfTemplate(program, at)
        else depth += { '{': 1, '}': -1 }[program[at++] as '{' | '}'] ?? 0
      }
    } else at++
  }
  return at + 1
}

const opening = new Set(['(', '[', '{'])
const closing = new Set([')', ']', '}'])
/** Words that begin a statement: an expression before them is over, in code without semicolons too. */
const statements = new Set(
  'export import const let var class abstract function enum type interface declare async'.split(' '),
)

interface Found {
  readonly members: Map<string, Tsdoc | undefined>
  readonly uses: Set<string>
}

class Reader {
  private at = 0
  private readonly found = new Map<string, Declaration>()

  constructor(private readonly tokens: readonly Token[]) {}

  read(): Declaration[] {
    let doc: string | undefined
    let depth = 0
    while (this.at < this.tokens.length) {
      const { kind, value } = this.here
      if (kind === 'doc') {
        doc = value
        this.at++
      } else if (depth === 0 && this.isSign('@')) {
        // A decorator stands between the comment and its class.
        this.at += 2
        if (this.isSign('(')) this.skip()
      } else if (this.compiledEnumMember(doc)) doc = undefined
      else if (depth === 0 && kind === 'word' && this.declaration(value, doc)) doc = undefined
      else {
        if (kind === 'sign') depth += opening.has(value) ? 1 : closing.has(value) ? -1 : 0
        if (!(kind === 'word' && statements.has(value))) doc = undefined
        this.at++
      }
    }
    return [...this.found.values()]
  }

  private get here(): Token {
    return this.token(0)
  }

  private token(ahead: number): Token {
    return this.tokens[this.at + ahead] ?? { kind: 'sign', value: '' }
  }

  private isSign(value: string, ahead = 0): boolean {
    const token = this.token(ahead)
    return token.kind === 'sign' && token.value === value
  }

  private add(name: string, doc: string | undefined, { members, uses }: Found): void {
    const known = this.found.get(name)
    this.found.set(name, {
      name,
      doc: doc === undefined ? known?.doc : parseTsdoc(doc),
      members: new Map([...(known?.members ?? []), ...members]),
      uses: [...(known?.uses ?? []), ...uses],
    })
  }

  /**
   * Reads `const x = …`, `class X extends … {`, `enum X { … }` or `function x(…) { return … }`; false for
   * other words.
   */
  private declaration(keyword: string, doc: string | undefined): boolean {
    const name = this.token(1)
    if (name.kind !== 'word') return false
    const found: Found = { members: new Map(), uses: new Set() }
    if (keyword === 'class') {
      this.at += 2
      while (this.at < this.tokens.length && !this.isSign('{')) {
        if (this.here.kind === 'word' && this.here.value === 'extends') {
          this.at++
          this.expression(found, true)
        } else this.at++
      }
      this.skip()
    } else if (/^(const|let|var)$/.test(keyword)) {
      this.at += 2
      // `var X;` is how an enumeration begins once it is compiled.
      while (this.at < this.tokens.length && !this.isSign('=') && !this.isSign(';')) this.at++
      const isAssigned = this.isSign('=')
      this.at++
      if (isAssigned) this.expression(found, false)
    } else if (keyword === 'enum') {
      this.at += 2
      this.object(found)
    } else if (keyword === 'function') {
      this.at += 2
      while (this.at < this.tokens.length && !this.isSign('(')) this.at++
      this.skip()
      while (this.at < this.tokens.length && !this.isSign('{')) this.at++
      this.returned(found)
    } else return false
    this.add(name.value, doc, found)
    return true
  }

  /** Reads the body of a function: what it returns. */
  private returned(found: Found): void {
    this.at++
    while (this.at < this.tokens.length && !this.isSign('}')) {
      if (this.here.kind === 'word' && this.here.value === 'return') {
        this.at++
        this.expression(found, false)
      } else this.skip()
    }
    this.at++
  }

  /** `X[X["A"] = 0] = "A"` or `X["A"] = "a"`. */
  private compiledEnumMember(doc: string | undefined): boolean {
    const { kind, value: name } = this.here
    if (kind !== 'word' || !this.isSign('[', 1)) return false
    const inner = this.token(2).value === name && this.isSign('[', 3) ? 2 : 0
    const member = this.token(inner + 2)
    if (member.kind !== 'text' || !this.isSign(']', inner + 3) || !this.isSign('=', inner + 4)) return false
    const members = new Map([[member.value, doc === undefined ? undefined : parseTsdoc(doc)]])
    this.add(name, undefined, { members, uses: new Set() })
    // Of the outer form the bracket that closes it is passed too; numbers are no tokens.
    this.at += inner + 5 + (inner && this.isSign(']', inner + 5) ? 1 : 0)
    return true
  }

  /** Reads to the end of an expression; of a class's base, to the brace of its body. */
  private expression(found: Found, isBase: boolean): void {
    let depth = 0
    while (this.at < this.tokens.length) {
      const { kind, value } = this.here
      if (depth === 0) {
        if (kind === 'doc' || (kind === 'word' && statements.has(value) && !this.isSign('.', -1))) return
        if (kind === 'sign' && (/^[;@]$/.test(value) || closing.has(value) || (isBase && value === '{')))
          return
      }
      if (kind === 'sign' && value === '{') {
        this.object(found)
        continue
      }
      if (kind === 'sign') depth += opening.has(value) ? 1 : closing.has(value) ? -1 : 0
      if (this.isConstAssertion()) this.at++
      else if (kind === 'word' && !this.isSign('.', -1)) found.uses.add(value)
      this.at++
    }
  }

  /** True at `as const`, which compiled programs have not. */
  private isConstAssertion(): boolean {
    return this.here.value === 'as' && this.token(1).value === 'const'
  }

  /** Reads `{ … }`: members with their comments, and what is spread into it. Of an enumeration too. */
  private object(found: Found): void {
    this.at++
    let doc: string | undefined
    while (this.at < this.tokens.length && !this.isSign('}')) {
      const { kind, value } = this.here
      if (kind === 'doc') doc = value
      else if (kind === 'sign' && value === '...') {
        this.at++
        this.value(found)
        continue
      } else if ((kind === 'word' || kind === 'text') && /^[:,}=(]$/.test(this.token(1).value)) {
        const isShorthand = this.isSign(',', 1) || this.isSign('}', 1)
        if (doc !== undefined || !found.members.has(value))
          found.members.set(value, doc === undefined ? undefined : parseTsdoc(doc))
        if (isShorthand) found.uses.add(`.${value}`)
        doc = undefined
        this.at++
        this.value(undefined)
        continue
      } else if (kind !== 'sign' || value !== ',') {
        doc = undefined
        this.skip()
        continue
      }
      this.at++
    }
    this.at++
  }

  /** Passes a value of an object, up to the comma after it; notes the names in it when asked to. */
  private value(found: Found | undefined): void {
    let depth = 0
    while (this.at < this.tokens.length && (depth > 0 || !(this.isSign(',') || this.isSign('}')))) {
      const { kind, value } = this.here
      if (kind === 'sign') depth += opening.has(value) ? 1 : closing.has(value) ? -1 : 0
      if (kind === 'word' && !this.isSign('.', -1)) found?.uses.add(value)
      this.at++
    }
  }

  /** Passes one token, or a bracket with everything in it. */
  private skip(): void {
    let depth = 0
    do {
      const { kind, value } = this.here
      if (kind === 'sign') depth += opening.has(value) ? 1 : closing.has(value) ? -1 : 0
      this.at++
    } while (depth > 0 && this.at < this.tokens.length)
  }
}
