import { z } from 'zod'
import { type AnyDto, Dto, type DtoClass } from './dto.js'

/** The default and the maximum page size of lists (ABP's `LimitedResultRequestDto`). */
export const pageLimits = { default: 10, most: 1000 } as const

const paging = {
  /** How many rows to pass over before the first one. */
  skipCount: z.int().min(0).default(0),

  /** How many rows to give at most. */
  maxResultCount: z.int().min(1).max(pageLimits.most).default(pageLimits.default),
  /**
   * Fields of the listed DTO, each with `ASC` or `DESC`, separated by commas.
   * @example "creationTime DESC"
   */
  sorting: z.string().max(256).nullish(),
}

/** Paged request. @see interface document, "Paging shapes" */
export class PagedInput extends Dto(paging) {}

const searching = {
  ...paging,
  /** A text that the searched fields must contain, in any case. */
  filter: z.string().trim().max(256).nullish(),
}

/** Paged request with a text that the entity's searched columns must contain. */
export class FilteredPagedInput extends Dto(searching) {}

const filterFields = new WeakMap<z.ZodType, readonly string[]>()

/**
 * A map from the fields that a list can be filtered by to the values they may have: within a field any of
 * them, across fields all. In a query a field may also stand for itself (`Status=Booked`), because the
 * clients that ABP's generator makes cannot send it otherwise.
 */
export function filtersBy(
  ...fields: string[]
): z.ZodOptional<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodArray<z.ZodString>>>> {
  const schema = z.record(z.string(), z.array(z.string())).nullish()
  filterFields.set(schema, fields)
  return schema
}

/** The fields of a map that {@link filtersBy} made; none of other schemas. */
export function filterFieldsOf(schema: z.ZodType): readonly string[] {
  return filterFields.get(schema) ?? []
}

/** Paged request with facets (interface document, "Paging shapes"), and a text as in ABP's lists. See {@link filtersBy} for `filters`. */
export class FacetedPagedInput extends Dto({
  ...searching,

  /** Set to count the rows by the values of each filter field. */
  includeFacets: z.boolean().default(false),
  filters: filtersBy(),
}) {}

/** A filter as it was understood. */
export class AppliedFilterDto extends Dto({
  /** The name of the field. */
  field: z.string(),
  /** The values that rows may have. */
  values: z.array(z.string()),
}) {}

/** A value of a facet and how many rows have it. */
export class FacetValueDto extends Dto({
  /** The value, as a filter takes it. */
  value: z.string(),
  /** How many rows have it. */
  count: z.int(),
}) {}

/** The values of one field over the rows that match all other filters. */
export class FacetDto extends Dto({
  /** The name of the field. */
  field: z.string(),
  values: z.array(FacetValueDto.schema),
}) {}

const pages = new WeakMap<object, Map<string, object>>()
const generics = new WeakMap<object, { readonly definition: string; readonly argument: AnyDto }>()

/** The item class of a page class and its paging shape; undefined for other classes. */
export function genericOf(
  dto: object,
): { readonly definition: string; readonly argument: AnyDto } | undefined {
  return generics.get(dto)
}

/** Paged result. @see interface document, "Paging shapes" */
export function pageOf<S extends z.ZodRawShape>(
  dto: DtoClass<S>,
): DtoClass<{ totalCount: z.ZodInt; items: z.ZodArray<z.ZodObject<S>> }> {
  return once('PagedResultDto', dto, () => Dto({ totalCount: z.int(), items: z.array(dto.schema) }))
}

/** A list that has no pages: `{ items }` (ABP's `ListResultDto`). */
export function listResultOf<S extends z.ZodRawShape>(
  dto: DtoClass<S>,
): DtoClass<{ items: z.ZodArray<z.ZodObject<S>> }> {
  return once('ListResultDto', dto, () => Dto({ items: z.array(dto.schema) }))
}

/** The members of a paged result with filters. */
export type FacetedPageShape<S extends z.ZodRawShape> = {
  totalCount: z.ZodInt
  items: z.ZodArray<z.ZodObject<S>>
  appliedFilters: z.ZodArray<typeof AppliedFilterDto.schema>
  facets: z.ZodNullable<z.ZodArray<typeof FacetDto.schema>>
}

/** Paged result; `facets` is null unless requested. @see interface document, "Paging shapes" */
export function facetedPageOf<S extends z.ZodRawShape>(dto: DtoClass<S>): DtoClass<FacetedPageShape<S>> {
  return once('PagedResultWithFiltersDto', dto, () =>
    Dto({
      totalCount: z.int(),
      items: z.array(dto.schema),
      appliedFilters: z.array(AppliedFilterDto.schema),
      facets: z.array(FacetDto.schema).nullable(),
    }),
  )
}

/** One page class for a DTO, however often it is asked for: documents know it by one name. */
function once<P extends object>(definition: string, argument: { readonly name: string }, make: () => P): P {
  const known = pages.get(argument) ?? new Map<string, object>()
  pages.set(argument, known)
  let page = known.get(definition) as P | undefined
  if (!page) {
    page = make()
    Object.defineProperty(page, 'name', { get: () => `${definition}Of${argument.name}` })
    generics.set(page, { definition, argument: argument as AnyDto })
    known.set(definition, page)
  }
  return page
}
