import type { Cursor } from './cursor.js'
import { say } from './odata-error.js'
import { parseExpression } from './parse-expression.js'
import type { ComputeItem, OrderItem } from './syntax.js'

/** Items with commas between. */
export function parseList<T>(cursor: Cursor, parseItem: (cursor: Cursor) => T): T[] {
  const items: T[] = []
  do {
    cursor.blanks()
    items.push(parseItem(cursor))
    cursor.blanks()
  } while (cursor.take(','))
  return items
}

/** Items of `$orderby`, also of the transformation of that name. */
export function parseOrderBy(cursor: Cursor): OrderItem[] {
  const items = parseList(cursor, parseOrderItem)
  const { maxOrderByCount } = cursor.limits
  if (items.length > maxOrderByCount)
    cursor.refuse(say`The limit of '${maxOrderByCount}' items of $orderby has been exceeded.`, 0)
  return items
}

function parseOrderItem(cursor: Cursor): OrderItem {
  const { at } = cursor
  const expression = parseExpression(cursor)
  const before = cursor.at
  if (cursor.blanks()) {
    if (cursor.takeWord('desc')) return { at, expression, descending: true }
    if (cursor.takeWord('asc')) return { at, expression, descending: false }
  }
  cursor.at = before
  return { at, expression, descending: false }
}

/** `expression as Name`. */
export function parseComputeItem(cursor: Cursor): ComputeItem {
  const { at } = cursor
  const expression = parseExpression(cursor)
  return { at, expression, alias: parseAsName(cursor) }
}

/** `as Name`, with the blanks before it. */
export function parseAsName(cursor: Cursor): string {
  if (!cursor.blanks() || !cursor.takeWord('as')) cursor.fail("an operator or 'as' and a name")
  if (!cursor.blanks()) cursor.fail("a blank after 'as'")
  return cursor.identifier()
}
