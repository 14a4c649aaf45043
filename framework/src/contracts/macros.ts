import { z } from 'zod'
import { Dto, type DtoClass, EntityDto, listOf } from './dto.js'
import { defineFeature } from './features.js'
import type { FileContent } from './files.js'
import { bodyParam, id, type Operation, op } from './operation.js'
import { FilteredPagedInput, pageOf } from './paging.js'
import { file, guid, instant } from './scalars.js'

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

/** The member that tells active rows from deactivated ones, for DTOs of entities whose rows are deactivated rather than deleted. */
export const activityMembers = {
  /** False for rows that were deleted, which deactivated them. */
  isActive: z.boolean(),
} as const

const activity = {
  /** False for rows that were deleted, which deactivated them; active ones when true, or not given. */
  isActive: z.boolean().nullish(),

  /** True for rows of both states, unless `isActive` names one. */
  includeInactive: z.boolean().nullish(),
}

/**
 * The input of the list of an entity whose rows are deactivated rather than deleted. Rows tell their state ({@link activityMembers}), and a change brings
 * them back (`reactivation()`).
 */
export class ReferenceListInput extends Dto({ ...FilteredPagedInput.shape, ...activity }) {}

/** The input of such a list as a file. */
export class ReferenceFileInput extends Dto({ ...ListFileInput.shape, ...activity }) {}

/** The operations that {@link exportable} adds. */
export interface ExportableOperations<L extends z.ZodRawShape> {
  getListAsExcelFile: Operation<
    [input: z.input<z.ZodObject<L>>],
    FileContent,
    [input: z.output<z.ZodObject<L>>]
  >
  getListAsCsvFile: ExportableOperations<L>['getListAsExcelFile']
}

/** Whether lists are given as files. While it is off, the operations of {@link exportable} and all of the same names answer 403. */
export const ExportsFeature = defineFeature('App.Exports', { default: true, displayName: 'Exports' })

/** The operations of {@link exportable}. */
export const exportOperations = ['getListAsExcelFile', 'getListAsCsvFile'] as const

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

/** The members that tell of the deletion of a row, for the DTO that {@link restorable} lists. */
export const deletionMembers = {
  deletionTime: instant().nullish(),
  deleterId: guid().nullish(),
} as const

/** The input of a list of deleted rows. */
export class DeletedListInput extends Dto({
  ...FilteredPagedInput.shape,

  /** Only rows that were deleted later: what a reader who keeps a copy has to delete in it. */
  deletedAfter: instant().nullish(),
}) {}

/** The operations that {@link restorable} adds. */
export interface RestorableOperations<D extends z.ZodRawShape, R extends z.ZodRawShape> {
  getDeleted: Operation<
    [input: z.input<typeof DeletedListInput.schema>],
    InstanceType<ReturnType<typeof pageOf<R>>>,
    [input: z.output<typeof DeletedListInput.schema>]
  >
  restore: Operation<[id: string], z.output<z.ZodObject<D>>>
}

/**
 * `GET …/deleted`, the deleted rows, and `POST …/{id}/restore`, which brings one back. For entities whose deletion is a mark. Both need
 * the permission Restore, which the class of permissions declares besides those of `crudPermissions`.
 * @param dto the DTO of a row
 * @param deletedDto the DTO of a deleted row: the members to show of it, and {@link deletionMembers}
 * @example { ...crud(OrganizationDto, CreateOrganizationDto), ...restorable(OrganizationDto, DeletedOrganizationDto) }
 */
export function restorable<D extends z.ZodRawShape, R extends z.ZodRawShape>(
  dto: DtoClass<D>,
  deletedDto: DtoClass<R>,
): RestorableOperations<D, R> {
  return {
    /** Lists deleted entities that the caller may see, in pages, those deleted last first. */
    getDeleted: op(DeletedListInput).returns(pageOf(deletedDto)),
    /** Brings a deleted entity back. */
    restore: op(id).returns(dto),
  } as unknown as RestorableOperations<D, R>
}
