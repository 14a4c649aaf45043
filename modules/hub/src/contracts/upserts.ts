import { Dto, enumeration, guid, listOf, z } from '@keel/framework/contracts'
import { UpsertOutcome } from './enumerations.js'

/** The most rows of one call. */
export const mostUpserted = 200

/** The most shipments of one call: new ones are created together. */
export const mostShipmentsUpserted = 1000

const outcome = enumeration('UpsertOutcome', UpsertOutcome)

/** What became of a row that another system sent. */
export class UpsertedDto extends Dto({ outcome, id: guid() }) {}

/** Why a row was refused. */
export class UpsertFaultDto extends Dto({
  /** The member of the row; null for the whole row. */
  member: z.string().nullable(),
  code: z.string(),

  /** The reason in the caller's language. */
  message: z.string(),
}) {}

/** What became of one of many rows. */
export class UpsertedRowDto extends Dto({
  /** Its place in the call, from 0 on. */
  index: z.int(),
  outcome,

  /** The id of the row; null when it failed. */
  id: guid().nullable(),

  /** Empty unless it failed. */
  faults: listOf(UpsertFaultDto),
}) {}

/** What became of the rows of a call. */
export class UpsertedManyDto extends Dto({
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  failed: z.int(),

  /** One for each row of the call, in its order. */
  rows: listOf(UpsertedRowDto),
}) {}
