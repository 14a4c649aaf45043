/**
 * A user name, e-mail address or role name as it is looked up: upper case as .NET's invariant culture writes
 * it, so that the rows of an existing ABP database are found. Letter by letter, and never from outside ASCII
 * into it: `admın` is not `ADMIN`, `ß` stays `ß`.
 */
export function normalizedName(name: string): string {
  return Array.from(name.normalize('NFC'), upperLetter).join('')
}

function upperLetter(letter: string): string {
  const upper = letter.toUpperCase()
  const leavesAscii = letter > '\u007f' && upper <= '\u007f'
  return upper.length === letter.length && !leavesAscii ? upper : letter
}
