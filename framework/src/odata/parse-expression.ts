import type { Cursor } from './cursor.js'
import { equalityIn } from './equal-chains.js'
import { parseLiteral, parsePrefixed } from './parse-literal.js'
import { parseSearch } from './parse-search.js'
import type {
  Alias,
  BinaryOperator,
  Call,
  Expression,
  KeyValue,
  List,
  Literal,
  Path,
  PathStep,
  TypeName,
} from './syntax.js'

/** How tightly the operators bind (odata.md, section 3). */
const levels: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  eq: 3,
  ne: 3,
  gt: 4,
  ge: 4,
  lt: 4,
  le: 4,
  add: 5,
  sub: 5,
  mul: 6,
  div: 6,
  divby: 6,
  mod: 6,
  has: 8,
  in: 8,
}
/** `not` and `-` take what binds tighter than they do. */
const belowUnary = 8

/** Functions of the standard: these names in front of a parenthesis are calls, whatever is between. */
const functions = new Set(
  `cast isof case contains startswith endswith length indexof substring matchespattern tolower toupper trim concat year month day hour
  minute second fractionalseconds date time totaloffsetminutes totalseconds now mindatetime maxdatetime round floor ceiling hassubset
  hassubsequence`.split(/\s+/),
)

const operatorWord = /[a-z]+/iy
const collectionType = /Collection\(/iy

/** The expression that stands here: everything of `$filter`, an item of `$orderby`, an argument, … */
export function parseExpression(cursor: Cursor): Expression {
  cursor.blanks()
  return parseBinary(cursor, 1)
}

function parseBinary(cursor: Cursor, lowest: number): Expression {
  let left = parseOperand(cursor)
  /** The operands of the chain of `and` or `or` that the next of its kind adds to, and the properties that it compares with constants. */
  let chain: { operator: BinaryOperator; operands: Expression[]; compared: Set<string> } | undefined
  for (;;) {
    const operator = takeOperator(cursor, lowest)
    if (!operator) return left
    const before = cursor.nodes
    cursor.node()
    const right = operator === 'in' ? parseAfterIn(cursor) : parseBinary(cursor, (levels[operator] ?? 0) + 1)
    if (chain?.operator !== operator) {
      const operands = [left]
      const key = equalityIn(operator, left)?.key
      chain =
        operator === 'and' || operator === 'or'
          ? { operator, operands, compared: new Set(key && [key]) }
          : undefined
      left = { kind: 'binary', at: left.at, operator, operands }
      if (!chain) operands.push(right)
    }
    if (!chain) continue
    chain.operands.push(right)
    const key = equalityIn(operator, right)?.key
    if (key === undefined) continue
    if (chain.compared.has(key)) cursor.listItem(before)
    chain.compared.add(key)
  }
}

/** The operator that comes next if it binds as tightly as `lowest`, passed with the blanks around it. */
function takeOperator(cursor: Cursor, lowest: number): BinaryOperator | undefined {
  const before = cursor.at
  if (cursor.blanks()) {
    const from = cursor.at
    const operator = cursor.match(operatorWord)?.toLowerCase() ?? ''
    const level = Object.hasOwn(levels, operator) ? levels[operator] : undefined
    if (level !== undefined && !cursor.isWordAt(cursor.at)) {
      if (level >= lowest) {
        if (!cursor.blanks() && !cursor.isAtEnd)
          cursor.fail(`a blank after '${cursor.text.slice(from, cursor.at)}'`)
        return operator as BinaryOperator
      }
    }
  }
  cursor.at = before
  return undefined
}

function parseOperand(cursor: Cursor): Expression {
  return cursor.deeper(() => {
    const { at } = cursor
    if (cursor.takeWord('not')) {
      if (cursor.blanks() || cursor.sees('(')) return unary(cursor, 'not', at)
      cursor.at = at
    }
    const literal = parseLiteral(cursor)
    if (literal) {
      cursor.node()
      return literal
    }
    if (cursor.take('-')) {
      cursor.blanks()
      return unary(cursor, 'neg', at)
    }
    if (cursor.take('(')) {
      const inner = parseExpression(cursor)
      cursor.blanks()
      cursor.expect(')', "an operator or ')'")
      return inner
    }
    cursor.node()
    if (cursor.sees('@')) return parseAlias(cursor)
    return parsePathOrCall(cursor)
  })
}

function unary(cursor: Cursor, operator: 'not' | 'neg', at: number): Expression {
  cursor.node()
  return { kind: 'unary', at, operator, operand: parseBinary(cursor, belowUnary) }
}

/** What follows `in`: a list of literals, or an expression for a collection. */
function parseAfterIn(cursor: Cursor): Expression {
  const { at, limits } = cursor
  if (!cursor.take('(')) return parseBinary(cursor, belowUnary)
  const items: Expression[] = []
  cursor.blanks()
  if (!cursor.take(')')) {
    do {
      if (items.length >= limits.maxListItems)
        cursor.refuse(`The limit of '${limits.maxListItems}' values of a list has been exceeded.`)
      cursor.blanks()
      items.push(parseValue(cursor))
      cursor.blanks()
    } while (cursor.take(','))
    cursor.expect(')', "',' or ')'")
  }
  return { kind: 'list', at, items } satisfies List
}

/** A literal or an alias, as keys and lists have them. */
export function parseValue(cursor: Cursor): Literal | Alias {
  const { at } = cursor
  if (cursor.sees('@')) return parseAlias(cursor)
  const literal = parseLiteral(cursor)
  if (literal) return literal
  const prefix = cursor.qualifiedName()
  if (prefix && cursor.sees("'")) return parsePrefixed(cursor, prefix, at)
  return cursor.fail('a literal', at)
}

function parseAlias(cursor: Cursor): Alias {
  const { at } = cursor
  cursor.expect('@')
  const name = cursor.identifier('the name of an alias')
  if (cursor.sees('.')) cursor.unsupported('An annotation in an expression', at)
  return { kind: 'alias', at, name }
}

function parsePathOrCall(cursor: Cursor): Expression {
  const { at } = cursor
  if (cursor.take('$')) {
    if (cursor.takeWord('these')) cursor.unsupported("'$these'", at)
    const root = (['$it', '$this', '$root'] as const).find((name) => cursor.takeWord(name.slice(1)))
    if (!root) cursor.fail("an expression ('$it', '$this' and '$root' begin one)", at)
    const steps: PathStep[] = []
    parseSteps(cursor, steps)
    return { kind: 'path', at, root, steps }
  }
  const name = cursor.qualifiedName()
  if (name === undefined) cursor.fail('an expression')
  if (cursor.sees("'")) return parsePrefixed(cursor, name, at)
  const first: PathStep = name.includes('.') ? { kind: 'cast', at, type: name } : { kind: 'name', at, name }
  const steps: PathStep[] = [first]
  if (cursor.sees('(')) {
    const called = parseCallOrKey(cursor, name, at)
    if ('kind' in called) return called
    steps.push({ kind: 'key', at: called.at, keys: called.keys })
  }
  parseSteps(cursor, steps)
  return { kind: 'path', at, steps } satisfies Path
}

type Argument = { readonly name?: string; readonly value: Expression | TypeName }

/** What stands in parentheses behind the first name: the arguments of a call, or the key of a row. */
function parseCallOrKey(
  cursor: Cursor,
  name: string,
  at: number,
): Call | { readonly at: number; readonly keys: readonly KeyValue[] } {
  const from = cursor.at
  const lower = name.toLowerCase()
  const isCall = functions.has(lower) || name.includes('.')
  cursor.expect('(')
  if (++cursor.calls > cursor.limits.maxCallDepth)
    cursor.refuse(`The function call depth limit of '${cursor.limits.maxCallDepth}' has been exceeded.`, at)
  const made = lower === 'case' ? parseCase(cursor, name, at) : undefined
  const args = made ? [] : parseArguments(cursor, isCall)
  cursor.calls--
  if (made) return made
  const values = args.map(({ value }) => value)
  if (isCall || !isKey(args)) {
    const named = args.find((arg) => arg.name !== undefined)
    if (named) cursor.fail(`an argument without a name`, named.value.at)
    return { kind: 'call', at, name, args: values }
  }
  return { at: from, keys: args.map(toKey) }
}

function parseArguments(cursor: Cursor, isCall: boolean): Argument[] {
  const args: Argument[] = []
  cursor.blanks()
  if (cursor.take(')')) return args
  do {
    cursor.blanks()
    const typeName = parseTypeName(cursor)
    if (typeName) args.push({ value: typeName })
    else {
      const value = parseExpression(cursor)
      const name = isCall ? undefined : nameOf(value)
      args.push(name !== undefined && cursor.take('=') ? { name, value: parseValue(cursor) } : { value })
    }
    cursor.blanks()
  } while (cursor.take(','))
  cursor.expect(')', "an operator, ',' or ')'")
  return args
}

function nameOf(value: Expression): string | undefined {
  const [step, more] = value.kind === 'path' && !value.root ? value.steps : []
  return step?.kind === 'name' && !more ? step.name : undefined
}

/** `Edm.Int32`, `Ns.Type` or `Collection(Edm.String)` as a whole argument. */
function parseTypeName(cursor: Cursor): TypeName | undefined {
  const { at } = cursor
  const isCollection = cursor.match(collectionType) !== undefined
  const name = cursor.qualifiedName()
  const isType = name?.includes('.') && (!isCollection || cursor.take(')'))
  const end = cursor.at
  cursor.blanks()
  if (isType && (cursor.sees(',') || cursor.sees(')')))
    return { kind: 'type', at, name: cursor.text.slice(at, end) }
  cursor.at = at
  return undefined
}

function isKey(args: readonly Argument[]): boolean {
  if (args.length === 0) return false
  if (args.every(({ name }) => name !== undefined)) return true
  const [only] = args
  return args.length === 1 && (only?.value.kind === 'literal' || only?.value.kind === 'alias')
}

function toKey({ name, value }: Argument): KeyValue {
  return { at: value.at, ...(name !== undefined && { name }), value: value as Expression }
}

function parseCase(cursor: Cursor, name: string, at: number): Call {
  const branches: { when: Expression; then: Expression }[] = []
  do {
    const when = parseExpression(cursor)
    cursor.blanks()
    cursor.expect(':', "':' and a value")
    // biome-ignore lint/suspicious/noThenProperty: nothing awaits the tree
    branches.push({ when, then: parseExpression(cursor) })
    cursor.blanks()
  } while (cursor.take(','))
  cursor.expect(')', "an operator, ',' or ')'")
  return { kind: 'call', at, name, args: [], branches }
}

/** Everything after the first name: `/B/any(x:…)`, `/$count`. */
function parseSteps(cursor: Cursor, steps: PathStep[]): void {
  while (cursor.sees('/')) {
    cursor.at++
    if (steps.length >= cursor.limits.maxPathSegments)
      cursor.refuse(`The limit of '${cursor.limits.maxPathSegments}' segments of a path has been exceeded.`)
    const { at } = cursor
    if (cursor.take('$')) {
      steps.push(parseDollarStep(cursor, at))
      continue
    }
    if (cursor.sees('@')) cursor.unsupported('An annotation in an expression')
    const name = cursor.qualifiedName()
    if (name === undefined) cursor.fail('a name')
    const lower = name.toLowerCase()
    if (lower === 'aggregate' && cursor.sees('(')) cursor.unsupported('An aggregate in a path', at)
    if ((lower === 'any' || lower === 'all') && cursor.sees('(')) {
      steps.push(parseLambda(cursor, lower, at))
      continue
    }
    steps.push(name.includes('.') ? { kind: 'cast', at, type: name } : { kind: 'name', at, name })
    if (cursor.sees('(')) steps.push({ kind: 'key', at: cursor.at, keys: parseKey(cursor) })
  }
}

function parseDollarStep(cursor: Cursor, at: number): PathStep {
  if (cursor.takeWord('count')) {
    if (!cursor.sees('(')) return { kind: 'count', at }
    return { kind: 'count', at, ...parseCountOptions(cursor) }
  }
  if (cursor.takeWord('filter')) {
    cursor.expect('(')
    const filter = parseExpression(cursor)
    cursor.blanks()
    cursor.expect(')', "an operator or ')'")
    return { kind: 'filter', at, filter }
  }
  if (cursor.takeWord('ref')) return { kind: 'ref', at }
  if (cursor.takeWord('value')) return { kind: 'value', at }
  return cursor.fail("'$count', '$filter', '$ref' or '$value'", at)
}

/** `($filter=…;$search=…)` behind a count. */
export function parseCountOptions(cursor: Cursor): Pick<PathStep & { kind: 'count' }, 'filter' | 'search'> {
  cursor.expect('(')
  const options: { -readonly [K in 'filter' | 'search']?: (PathStep & { kind: 'count' })[K] } = {}
  do {
    cursor.blanks()
    const { at } = cursor
    cursor.take('$')
    const option = (['filter', 'search'] as const).find((name) => cursor.takeWord(name))
    if (!option) cursor.fail("'$filter' or '$search'", at)
    if (options[option]) cursor.refuse(`The query option '$${option}' occurs more than once.`, at)
    cursor.blanks()
    cursor.expect('=')
    if (option === 'filter') options.filter = parseExpression(cursor)
    else options.search = parseSearch(cursor)
    cursor.blanks()
  } while (cursor.take(';'))
  cursor.expect(')', "an operator, ';' or ')'")
  return options as Pick<PathStep & { kind: 'count' }, 'filter' | 'search'>
}

function parseLambda(cursor: Cursor, operator: 'any' | 'all', at: number): PathStep {
  cursor.expect('(')
  cursor.blanks()
  if (cursor.take(')')) {
    if (operator === 'all') cursor.fail('a variable and a condition', cursor.at - 1)
    return { kind: 'lambda', at, operator }
  }
  const { maxAnyAllDepth } = cursor.limits
  if (++cursor.lambdas > maxAnyAllDepth)
    cursor.refuse(`The Any/All nesting limit of '${maxAnyAllDepth}' has been exceeded.`, at)
  cursor.node()
  const variable = cursor.identifier('the name of a variable')
  cursor.blanks()
  cursor.expect(':')
  const predicate = parseExpression(cursor)
  cursor.blanks()
  cursor.expect(')', "an operator or ')'")
  cursor.lambdas--
  return { kind: 'lambda', at, operator, variable, predicate }
}

/** A key in parentheses: `(x)` or `(A=1,B=2)`. */
export function parseKey(cursor: Cursor): KeyValue[] {
  cursor.expect('(')
  const keys: KeyValue[] = []
  do {
    cursor.blanks()
    const { at } = cursor
    const name = takeKeyName(cursor)
    if (name !== undefined && keys.some((key) => key.name === name))
      cursor.refuse(`The key property '${name}' occurs more than once.`, at)
    if (name === undefined && keys.length) cursor.fail('the name of a key property', at)
    if (name !== undefined && keys.length && keys[0]?.name === undefined) cursor.fail("')'", at - 1)
    keys.push({ at, ...(name !== undefined && { name }), value: parseValue(cursor) })
    cursor.blanks()
  } while (cursor.take(','))
  cursor.expect(')', "',' or ')'")
  return keys
}

const keyName = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}[ \t]*=/uy

function takeKeyName(cursor: Cursor): string | undefined {
  const found = cursor.match(keyName)
  if (found !== undefined) cursor.blanks()
  return found?.slice(0, -1).trimEnd()
}
