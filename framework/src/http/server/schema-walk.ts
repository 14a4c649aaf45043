import { type AnyDto, dtoOf, type RemoteService, walkSchema, type z } from '../../contracts/index.js'

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
