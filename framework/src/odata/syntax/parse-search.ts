import type { Cursor } from './cursor.js'
import { parseQuoted } from './parse-literal.js'
import type { SearchExpression } from './syntax.js'

/** A word: anything without blanks and what structures an expression or the options around it. */
const word = /[^\s"();]+/y

/**
 * Parses `$search`: `NOT` binds tightest, then `AND`, which may be left out, then `OR`. Operators are upper
 * case; without an operand before and behind it, an operator is a word. A text in single quotes is searched
 * for as a whole, as clients send it while a user is still typing.
 */
export function parseSearch(cursor: Cursor): SearchExpression {
  cursor.blanks()
  if (!cursor.sees("'")) return parseAny(cursor)
  cursor.term()
  const { at } = cursor
  const text = parseQuoted(cursor)
  if (!text.trim()) cursor.fail('a word or a phrase', at)
  cursor.searched(text, at)
  return { kind: 'term', text: text.trim(), phrase: true }
}

function parseAny(cursor: Cursor): SearchExpression {
  return cursor.deeper(() => {
    const operands = [parseAll(cursor)]
    while (takeOperator(cursor, 'OR')) operands.push(parseAll(cursor))
    return combined('or', operands)
  })
}

function parseAll(cursor: Cursor): SearchExpression {
  const operands = [parseNot(cursor)]
  for (;;) {
    const and = takeOperator(cursor, 'AND')
    if (!and && (seesOr(cursor) || !seesOperand(cursor))) return combined('and', operands)
    operands.push(parseNot(cursor))
  }
}

function parseNot(cursor: Cursor): SearchExpression {
  let negations = 0
  while (takeOperator(cursor, 'NOT')) negations++
  const operand = parseTerm(cursor)
  return negations % 2 ? { kind: 'not', operand } : operand
}

function parseTerm(cursor: Cursor): SearchExpression {
  cursor.blanks()
  if (cursor.take('(')) {
    const inner = parseAny(cursor)
    cursor.blanks()
    cursor.expect(')', "an operator, a word or ')'")
    return inner
  }
  cursor.term()
  const { at } = cursor
  const phrase = cursor.sees('"')
  const text = phrase ? parsePhrase(cursor) : cursor.match(word)
  if (text === undefined) cursor.fail('a word or a phrase', at)
  cursor.searched(text, at)
  return { kind: 'term', text, phrase }
}

/** A phrase in double quotes; `\"` and `\\` stand for these characters themselves. */
function parsePhrase(cursor: Cursor): string {
  const from = cursor.at
  cursor.expect('"')
  let text = ''
  while (!cursor.isAtEnd) {
    const symbol = cursor.text[cursor.at++]
    if (symbol === '"') {
      if (!text) cursor.fail('a phrase', from)
      return text
    }
    const next = cursor.text[cursor.at]
    if (symbol === '\\' && (next === '"' || next === '\\')) {
      text += next
      cursor.at++
    } else text += symbol
  }
  return cursor.fail(`the closing quote of the phrase at position ${from}`)
}

/** Passes an operator; without an operand behind it, it is a word. */
function takeOperator(cursor: Cursor, operator: string): boolean {
  const before = cursor.at
  cursor.blanks()
  if (cursor.match(word) === operator && seesOperand(cursor)) return true
  cursor.at = before
  return false
}

function seesOr(cursor: Cursor): boolean {
  const before = cursor.at
  const sees = takeOperator(cursor, 'OR')
  cursor.at = before
  return sees
}

function seesOperand(cursor: Cursor): boolean {
  const before = cursor.at
  cursor.blanks()
  const from = cursor.at
  const found = cursor.match(word)
  cursor.at = from
  const sees = cursor.sees('(') || cursor.sees('"') || found !== undefined
  cursor.at = before
  return sees
}

function combined(kind: 'and' | 'or', operands: SearchExpression[]): SearchExpression {
  const [only] = operands
  return operands.length === 1 && only ? only : { kind, operands }
}
