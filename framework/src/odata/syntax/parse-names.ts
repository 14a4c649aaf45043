import type { Cursor } from './cursor.js'
import { say } from './odata-error.js'

/** Names with slashes between: `TransportMode/Code`. */
export function parseNamePath(cursor: Cursor): string[] {
  const path: string[] = []
  do {
    if (path.length >= cursor.limits.maxPathSegments)
      cursor.refuse(
        say`The limit of '${cursor.limits.maxPathSegments}' segments of a path has been exceeded.`,
      )
    cursor.node()
    path.push(cursor.qualifiedName() ?? cursor.fail('a property'))
  } while (cursor.take('/'))
  return path
}

/** The method behind `with`, if it stands here: standard ones in lower case. */
export function parseAggregateMethod(cursor: Cursor): string | undefined {
  const before = cursor.at
  if (cursor.blanks() && cursor.takeWord('with')) {
    if (!cursor.blanks()) cursor.fail("a blank after 'with'")
    const method = cursor.qualifiedName() ?? cursor.fail('a method: sum, min, max, average, countdistinct')
    return method.includes('.') ? method : method.toLowerCase()
  }
  cursor.at = before
  return undefined
}
