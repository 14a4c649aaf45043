import { z } from 'zod'
import { Dto, type DtoClass, EntityDto, listOf } from './dto.js'
import type { FileContent } from './files.js'
import { bodyParam, type Operation, op } from './operation.js'
import { FilteredPagedInput } from './paging.js'
import { file, guid } from './scalars.js'

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

/** The input of a list as a file: all of its rows, as a page of it is filtered and sorted. */
export class ListFileInput extends Dto({
  filter: FilteredPagedInput.shape.filter,
  sorting: FilteredPagedInput.shape.sorting,
}) {}

/** The operations that {@link exportable} adds. */
export interface ExportableOperations<L extends z.ZodRawShape> {
  getListAsExcelFile: Operation<
    [input: z.input<z.ZodObject<L>>],
    FileContent,
    [input: z.output<z.ZodObject<L>>]
  >
  getListAsCsvFile: ExportableOperations<L>['getListAsExcelFile']
}

/**
 * `GET …/as-excel-file` and `GET …/as-csv-file`: the list as a file, with all rows of the filter. Needs the permission View.
 * @param input the members of the list's input by which it is filtered and sorted; {@link ListFileInput} when not given
 * @example { ...crud(PortDto, PortInput), ...exportable() }
 */
export function exportable<L extends z.ZodRawShape = (typeof ListFileInput)['shape']>(
  input?: DtoClass<L>,
): ExportableOperations<L> {
  const listInput = (input ?? ListFileInput) as DtoClass<L>
  return {
    /** Downloads the list as an Excel workbook. It has all rows of the list, not one page. */
    getListAsExcelFile: op(listInput).returns(
      file('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
    ),
    /** Downloads the list as CSV. It has all rows of the list, not one page. */
    getListAsCsvFile: op(listInput).returns(file('text/csv')),
  } as unknown as ExportableOperations<L>
}
