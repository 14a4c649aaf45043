import type { Cursor } from './cursor.js'
import { equalityIn } from './equal-chains.js'
import { say } from './odata-error.js'
import { parseJsonString, parseLiteral, parsePrefixed } from './parse-literal.js'
import { parseAggregateMethod, parseNamePath } from './parse-names.js'
import { parseSearch } from './parse-search.js'
import type {
  AggregateItem,
  Alias,
  BinaryOperator,
  Call,
  Expression,
  KeyValue,
  List,
  Literal,
  ObjectValue,
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
  /** The current chain of `and` or `or`, and the properties that it compares with constants. */
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
    if (cursor.sees('[')) return parseArray(cursor)
    if (cursor.sees('{')) return parseObject(cursor)
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
    if (cursor.sees('@')) return parseAliasPath(cursor)
    return parsePathOrCall(cursor)
  })
}

function unary(cursor: Cursor, operator: 'not' | 'neg', at: number): Expression {
  cursor.node()
  return { kind: 'unary', at, operator, operand: parseBinary(cursor, belowUnary) }
}

/** `[Id,'x']`: what is no JSON, because there are expressions in it. */
function parseArray(cursor: Cursor): List {
  const { at, limits } = cursor
  cursor.expect('[')
  const items: Expression[] = []
  cursor.blanks()
  if (cursor.take(']')) return { kind: 'list', at, items }
  do {
    if (items.length >= limits.maxListItems)
      cursor.refuse(say`The limit of '${limits.maxListItems}' values of a list has been exceeded.`)
    items.push(parseJsonItem(cursor))
    cursor.blanks()
  } while (cursor.take(','))
  cursor.expect(']', "an operator, ',' or ']'")
  return { kind: 'list', at, items }
}

/** `{"Name":Customer/Name}`: what is no JSON, because there are expressions in it. */
function parseObject(cursor: Cursor): ObjectValue {
  const { at } = cursor
  cursor.expect('{')
  const members: { name: string; value: Expression }[] = []
  do {
    cursor.blanks()
    const name = parseJsonString(cursor)
    cursor.blanks()
    cursor.expect(':')
    members.push({ name, value: parseJsonItem(cursor) })
    cursor.blanks()
  } while (cursor.take(','))
  cursor.expect('}', "an operator, ',' or '}'")
  return { kind: 'object', at, members }
}

/** An expression, or a text as JSON has it. */
function parseJsonItem(cursor: Cursor): Expression {
  cursor.blanks()
  if (!cursor.sees('"')) return parseExpression(cursor)
  const { at } = cursor
  cursor.node()
  return { kind: 'literal', at, type: 'string', text: parseJsonString(cursor) }
}

/** Parses the right side of `in`: a list of literals, or an expression for a collection. */
function parseAfterIn(cursor: Cursor): Expression {
  const { at, limits } = cursor
  if (!cursor.take('(')) return parseBinary(cursor, belowUnary)
  if (seesPath(cursor)) {
    cursor.at = at
    return parseBinary(cursor, belowUnary)
  }
  const items: Expression[] = []
  cursor.blanks()
  if (!cursor.take(')')) {
    do {
      if (items.length >= limits.maxListItems)
        cursor.refuse(say`The limit of '${limits.maxListItems}' values of a list has been exceeded.`)
      cursor.blanks()
      items.push(parseValue(cursor))
      cursor.blanks()
    } while (cursor.take(','))
    cursor.expect(')', "',' or ')'")
  }
  return { kind: 'list', at, items } satisfies List
}

/** Says whether parentheses hold a path and no literal: `(Documents/Title)`. */
function seesPath(cursor: Cursor): boolean {
  const before = cursor.at
  cursor.blanks()
  if (cursor.sees('@') || cursor.sees(')') || cursor.sees("'") || parseLiteral(cursor)) {
    cursor.at = before
    return false
  }
  const sees = cursor.sees('$') || (cursor.qualifiedName() !== undefined && !cursor.sees("'"))
  cursor.at = before
  return sees
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
  if (cursor.sees('.')) cursor.unsupported('Annotations', at)
  return { kind: 'alias', at, name }
}

/** `@a`, or what it leads to: `@a/Name`. */
function parseAliasPath(cursor: Cursor): Alias | Path {
  const { at } = cursor
  const root = parseAlias(cursor)
  if (!cursor.sees('/')) return root
  const steps: PathStep[] = []
  parseSteps(cursor, steps)
  return { kind: 'path', at, root, steps }
}

const roots = ['$it', '$this', '$these', '$root'] as const

function parsePathOrCall(cursor: Cursor): Expression {
  const { at } = cursor
  if (cursor.take('$')) {
    const root = roots.find((name) => cursor.takeWord(name.slice(1)))
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
    if (called.kind === 'call') return called
    if (called.kind === 'operation') steps.pop()
    steps.push(called)
  }
  parseSteps(cursor, steps)
  return { kind: 'path', at, steps } satisfies Path
}

type Argument = { readonly name?: string; readonly value: Expression | TypeName }

/** Functions of the standard have no namespace but this. */
const geographic = 'geo.'

/** Parses the parentheses behind the first name: the arguments of a call, or the key of a row. */
function parseCallOrKey(
  cursor: Cursor,
  name: string,
  at: number,
): Call | (PathStep & { readonly kind: 'key' | 'operation' }) {
  const from = cursor.at
  const lower = name.toLowerCase()
  const isOperation = name.includes('.') && !lower.startsWith(geographic)
  const isCall = functions.has(lower) || lower.startsWith(geographic)
  cursor.expect('(')
  if (++cursor.calls > cursor.limits.maxCallDepth)
    cursor.refuse(
      say`The function call depth limit of '${cursor.limits.maxCallDepth}' has been exceeded.`,
      at,
    )
  const made = lower === 'case' ? parseCase(cursor, name, at) : undefined
  const args = made ? [] : parseArguments(cursor, isCall)
  cursor.calls--
  if (made) return made
  const isNamed = args.some((arg) => arg.name !== undefined)
  if (isOperation || (!isCall && !isKey(args) && (isNamed || cursor.sees('/'))))
    return { kind: 'operation', at, name, args: args.map(toKey) }
  const values = args.map(({ value }) => value)
  if (isCall || !isKey(args)) return { kind: 'call', at, name, args: values }
  return { kind: 'key', at: from, keys: toKeys(cursor, args) }
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
      args.push(name !== undefined && cursor.take('=') ? { name, value: parseExpression(cursor) } : { value })
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
  const isPlain = args.every(({ value: { kind } }) => kind === 'literal' || kind === 'alias')
  return isPlain && (args.length === 1 || args.every(({ name }) => name !== undefined))
}

function toKeys(cursor: Cursor, args: readonly Argument[]): KeyValue[] {
  const keys = args.map(toKey)
  const twice = keys.find(
    ({ name }, index) => name !== undefined && keys.findIndex((key) => key.name === name) < index,
  )
  if (twice) cursor.refuse(say`The key property '${twice.name}' occurs more than once.`, twice.at)
  return keys
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
      cursor.refuse(
        say`The limit of '${cursor.limits.maxPathSegments}' segments of a path has been exceeded.`,
      )
    const { at } = cursor
    if (cursor.take('$')) {
      const step = parseDollarStep(cursor, at)
      steps.push(step)
      if (step.kind === 'filter' && cursor.sees('('))
        steps.push({ kind: 'key', at: cursor.at, keys: parseKey(cursor) })
      continue
    }
    if (cursor.sees('@')) cursor.unsupported('Annotations')
    const name = cursor.qualifiedName()
    if (name === undefined) cursor.fail('a name')
    const lower = name.toLowerCase()
    if (lower === 'aggregate' && cursor.sees('(')) {
      steps.push(parseAggregateStep(cursor, at))
      continue
    }
    if ((lower === 'any' || lower === 'all') && cursor.sees('(')) {
      steps.push(parseLambda(cursor, lower, at))
      continue
    }
    const step: PathStep = name.includes('.') ? { kind: 'cast', at, type: name } : { kind: 'name', at, name }
    if (cursor.sees('(')) steps.push(...parseBehindName(cursor, step, name))
    else steps.push(step)
  }
}

/** A name with parentheses inside of a path: the key of a row behind it, or a function of a service. */
function parseBehindName(cursor: Cursor, step: PathStep, name: string): PathStep[] {
  const from = cursor.at
  cursor.expect('(')
  const args = parseArguments(cursor, false)
  const isNamed = args.some((arg) => arg.name !== undefined)
  // A type may have a key behind it, but no names in it that a function would not have too.
  if (isKey(args) && !(isNamed && step.kind === 'cast'))
    return [step, { kind: 'key', at: from, keys: toKeys(cursor, args) }]
  return [{ kind: 'operation', at: step.at, name, args: args.map(toKey) }]
}

/** `aggregate(Path with sum)` behind a collection. */
function parseAggregateStep(cursor: Cursor, at: number): PathStep {
  cursor.expect('(')
  cursor.blanks()
  const item = parseAggregated(cursor)
  cursor.blanks()
  cursor.expect(')', "an operator or ')'")
  return { kind: 'aggregate', at, item }
}

/** Parses an aggregate up to its name: `$count`, `Path with sum`, `Path with sum from Other with max`. */
export function parseAggregated(cursor: Cursor): AggregateItem {
  const { at } = cursor
  cursor.node()
  const expression = cursor.takeWord('$count') ? 'count' : parseExpression(cursor)
  const method = parseAggregateMethod(cursor)
  const from = parseFrom(cursor)
  return { at, expression, ...(method && { method }), ...(from.length && { from }) }
}

function parseFrom(cursor: Cursor): NonNullable<AggregateItem['from']> {
  const from: { by: string[][]; method?: string }[] = []
  for (;;) {
    const before = cursor.at
    if (!cursor.blanks() || !cursor.takeWord('from')) {
      cursor.at = before
      return from
    }
    if (!cursor.blanks()) cursor.fail("a blank after 'from'")
    const by = [parseNamePath(cursor)]
    while (takeComma(cursor)) by.push(parseNamePath(cursor))
    const method = parseAggregateMethod(cursor)
    from.push({ by, ...(method && { method }) })
  }
}

/** Passes a comma with the blanks around it. */
function takeComma(cursor: Cursor): boolean {
  const before = cursor.at
  cursor.blanks()
  if (cursor.take(',')) {
    cursor.blanks()
    return true
  }
  cursor.at = before
  return false
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
    if (options[option]) cursor.refuse(say`The query option '$${option}' occurs more than once.`, at)
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
    cursor.refuse(say`The Any/All nesting limit of '${maxAnyAllDepth}' has been exceeded.`, at)
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
      cursor.refuse(say`The key property '${name}' occurs more than once.`, at)
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
