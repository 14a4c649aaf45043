import type { z } from 'zod'
import { unwrap } from './scalars.js'

/** Visits a schema and everything inside it once, without the optional, nullable and default wrappers. */
export function walkSchema(
  schema: z.ZodType,
  visit: (inner: z.ZodType) => void,
  seen = new Set<z.ZodType>(),
): void {
  const inner = unwrap(schema)
  if (seen.has(inner)) return
  seen.add(inner)
  visit(inner)
  const { shape, element, valueType } = inner._zod.def as unknown as {
    shape?: Record<string, z.ZodType>
    element?: z.ZodType
    valueType?: z.ZodType
  }
  for (const member of [...Object.values(shape ?? {}), element, valueType])
    if (member) walkSchema(member, visit, seen)
}
