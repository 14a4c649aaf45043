import { type AnyDto, dtoOf, type RemoteService, unwrap, type z } from '../../contracts/index.js'

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

/** Calls `found` for every DTO in a schema. */
export function collectDtos(schema: z.ZodType, found: (dto: AnyDto) => void): void {
  walkSchema(schema, (inner) => {
    const dto = dtoOf(inner)
    if (dto) found(dto)
  })
}

/**
 * Whose a type is that these services use: what several use belongs to the module, not to the core
 * application (`Default`) that passes it on; what several modules use is the framework's: undefined.
 */
export function ownerOf(users: ReadonlySet<RemoteService>): RemoteService | undefined {
  const modules = [...users].filter(({ name }) => name !== 'Default')
  return modules.length > 1 ? undefined : (modules[0] ?? [...users][0])
}
