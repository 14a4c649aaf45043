import { instant, z } from '@keel/framework/contracts'

/** The last fields of ABP's DTOs of aggregates: the stamp, extra properties, and when and by whom it was written. */
export const auditedFields = {
  concurrencyStamp: z.string(),
  extraProperties: z.record(z.string(), z.unknown()),
  creationTime: instant(),
  creatorId: z.guid().nullable(),
  lastModificationTime: instant().nullable(),
  lastModifierId: z.guid().nullable(),
  isDeleted: z.boolean(),
  deleterId: z.guid().nullable(),
  deletionTime: instant().nullable(),
}
