import { z } from 'zod'
import { Dto, type DtoClass, EntityDto, listOf } from './dto.js'
import { bodyParam, type Operation, op } from './operation.js'
import { guid } from './scalars.js'

/** The most rows of a lookup. */
export const mostLookupRows = 50
/** The most rows that one call deletes. */
export const mostDeletedRows = 100

/** A row as it is picked in a form: its id and the two texts that people know it by. */
export class LookupDto extends EntityDto({
  /** Short and unique in its list. */
  code: z.string(),
  name: z.string(),
}) {}

/** The input of a lookup. */
export class LookupInput extends Dto({
  /** A text that the searched fields must contain, in any case. Rows that begin with it come first. */
  filter: z.string().trim().max(256).nullish(),
  /** How many rows to give at most. */
  maxResultCount: z.int().min(1).max(mostLookupRows).default(mostLookupRows),
}) {}

/** The operation that {@link lookup} adds. */
export interface LookupOperations<L extends z.ZodRawShape> {
  getLookup: Operation<
    [input: z.input<z.ZodObject<L>>],
    z.output<typeof LookupDto.schema>[],
    [input: z.output<z.ZodObject<L>>]
  >
}

/**
 * `GET …/lookup`: the rows that a form offers to pick from, at most {@link mostLookupRows}. Needs the permission
 * View unless the service says otherwise.
 * @param input adds members to {@link LookupInput}
 * @example { ...crud(PortDto, PortInput), ...lookup() }
 */
export function lookup<L extends z.ZodRawShape = (typeof LookupInput)['shape']>(
  input?: DtoClass<L>,
): LookupOperations<L> {
  return {
    /** Lists active rows to pick from: id, code and name, those first that begin with the text. */
    getLookup: op((input ?? LookupInput) as DtoClass<L>).returns(listOf(LookupDto)),
  } as unknown as LookupOperations<L>
}

/** The operation that {@link deleteMany} adds. */
export interface DeleteManyOperations {
  deleteMany: Operation<[ids: string[]], void>
}

/**
 * `DELETE …/many`, with up to {@link mostDeletedRows} ids as the JSON body: deletes all of these rows or none.
 * Needs the permission Delete.
 * @example { ...crud(OrganizationDto, CreateOrganizationDto), ...deleteMany() }
 */
export function deleteMany(): DeleteManyOperations {
  return {
    /**
     * Deletes several entities, all or none.
     * @param ids The ids of the entities. One that does not exist, or that the caller may not see, refuses the call with 404.
     */
    deleteMany: op(bodyParam('ids', z.array(guid()).min(1).max(mostDeletedRows))),
  }
}
