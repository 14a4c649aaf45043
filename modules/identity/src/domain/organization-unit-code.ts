/** How deep the tree may be: that many codes of five digits with their dots fit into 95 characters. */
export const deepestLevel = 16

/** The code of a child by its number among its siblings: `00001.00003` is the third below the first. */
export function childCode(parentCode: string | null, ordinal: number): string {
  const own = String(ordinal).padStart(5, '0')
  return parentCode === null ? own : `${parentCode}.${own}`
}

/** The number of a unit among its siblings: 3 for `00001.00003`. */
export function ordinalOf(code: string): number {
  return Number(code.slice(code.lastIndexOf('.') + 1))
}

/** How many levels a code has. */
export function levelOf(code: string): number {
  return code.split('.').length
}

/** True when a unit is another one or somewhere below it. */
export function isWithin(code: string, other: string): boolean {
  return code === other || code.startsWith(`${other}.`)
}
