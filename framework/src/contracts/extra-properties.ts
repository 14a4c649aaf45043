import { z } from 'zod'

/** How much other programs may keep with a row. */
export const extraPropertyLimits = {
  /** Members and items at all levels. */
  most: 200,
  /** Names and texts together, in UTF-16 units. */
  characters: 16_384,
} as const

/** The input schema of extra properties of other programs: any JSON within {@link extraPropertyLimits}. */
export function extraProperties(): z.ZodRecord<z.ZodString, z.ZodUnknown> {
  const { most, characters } = extraPropertyLimits
  return z.record(z.string(), z.unknown()).refine(areModest, {
    message: `at most ${most} members with ${characters} characters together`,
    params: { key: 'Validation:TooManyProperties', data: extraPropertyLimits },
  })
}

/** True when extra properties are within their limits; looks at no more of them than these allow. */
export function areModest(properties: Readonly<Record<string, unknown>>): boolean {
  const open: unknown[] = [properties]
  let characters = 0
  for (let next = 0; next < open.length; next++) {
    const value = open[next]
    if (typeof value === 'string') characters += value.length
    if (typeof value === 'object' && value !== null)
      for (const key in value) {
        if (open.length > extraPropertyLimits.most) return false
        characters += key.length
        open.push((value as Record<string, unknown>)[key])
      }
    if (characters > extraPropertyLimits.characters) return false
  }
  return true
}
