import 'reflect-metadata'
import type { Model } from 'sequelize-typescript'
import {
  type AnyAppService,
  type AnyDto,
  ConcurrencyError,
  type FileContent,
  faultOf,
  fieldPermissionOf,
  genericOf,
  type ImplementationOf,
  isDto,
  LookupDto,
  ValidationError,
  type z,
} from '../../contracts/index.js'
import type { Class } from '../../modularity/class.js'
import { StartupError } from '../../modularity/startup-error.js'
import type { SpreadsheetFormat } from '../../spreadsheets/index.js'
import { Databases } from '../connections/databases.js'
import { UnitOfWork } from '../connections/unit-of-work.js'
import { DataFilters, SoftDelete } from '../entities/data-filters.js'
import { type EntityClass, type EntityMeta, entityMeta } from '../entities/entity.js'
import type { BaseEntity } from '../entities/entity-bases.js'
import { demandOwnFieldsMember } from '../entities/own-columns.js'
import { RowRules } from '../entities/row-rules.js'
import { JsonView, type ViewOptions } from '../lists/json-view.js'
import { ListSheet, type SheetOptions } from '../lists/list-sheet.js'
import { PageReader } from '../lists/page-reader.js'
import { namedLike, type TranslatedNames, translatedName } from '../lists/translated-names.js'
import { sqlType } from '../schema/model-snapshot.js'
import { identifier, join, raw, type Sql, sql } from '../wire/sql.js'
import { demandReferences, type ReferenceCheck } from './checked-references.js'
import {
  type ImportedRow,
  ImportingService,
  type ImportOptions,
  Imports,
  type ImportTarget,
  writeImportedRows,
} from './imports.js'
import type { NewRow } from './new-row.js'
import { Store } from './store.js'

/**
 * Options of a CRUD service beside its contract and its entity. `Shown` are the members of the DTO, `Sorting`
 * is the text of the order.
 */
export interface CrudOptions<T extends BaseEntity, Shown extends string, Sorting extends string>
  extends ViewOptions {
  /** Attributes that the list's `filter` looks into: texts. */
  readonly searchIn?: readonly TextAttribute<T>[]
  /** Order of a list that the caller does not sort, e.g. `type, code DESC`; newest first, or by id, when not given. */
  readonly defaultSorting?: Sorting & CheckedSorting<Sorting, Attribute<T> & Shown>
  /** Members of the list's input that rows have to equal. */
  readonly filterBy?: readonly Attribute<T>[]
  /** True to refuse references to rows that are deactivated, hidden from the caller, or of another list than the column says. */
  readonly checksReferences?: boolean
  /** How `lookup()` shows a row. */
  readonly lookup?: LookupOptions<T>
  /** Names that rows have in the languages of callers: lookups and files show them, and lookups find rows by them. */
  readonly translated?: TranslatedNames
  /** How `exportable()` writes the list as a file. */
  readonly sheet?: SheetOptions
  /** How `importable()` writes the rows of a file. */
  readonly imports?: ImportOptions & { readonly key?: Attribute<T> | readonly Attribute<T>[] }
}

/** The members of a lookup, where the entity calls them otherwise. */
export interface LookupOptions<T extends BaseEntity> {
  /** The attribute that is the code; `code` when not given. */
  readonly code?: TextAttribute<T>
  /** The attribute that is the name; `name` when not given. */
  readonly name?: TextAttribute<T>
  /** Rows that everybody finds whose lookup it is, although row rules hide them: a condition on the table `t`. */
  readonly shownToAll?: Sql
}

type Attribute<T extends BaseEntity> = 'id' | Exclude<keyof T & string, keyof Model>
type TextAttribute<T extends BaseEntity> = {
  [K in Exclude<Attribute<T>, 'id'>]: NonNullable<T[K]> extends string ? K : never
}[Exclude<Attribute<T>, 'id'>]

type Trimmed<S extends string> = S extends ` ${infer Rest}` | `${infer Rest} ` ? Trimmed<Rest> : S
type Direction = 'ASC' | 'DESC' | 'asc' | 'desc'
type CheckedTerm<S extends string, Fields extends string> = S extends Fields | `${Fields} ${Direction}`
  ? unknown
  : `${S}: not a member that can be sorted by`
/** `unknown` for an order by known fields, and for text that only the running program knows; else what is wrong with it. */
type CheckedSorting<S extends string, Fields extends string> = string extends S
  ? unknown
  : S extends `${infer First},${infer Rest}`
    ? CheckedTerm<Trimmed<First>, Fields> & CheckedSorting<Rest, Fields>
    : CheckedTerm<Trimmed<S>, Fields>

/** The inputs that the five operations share, whatever their DTOs. */
export interface ListInput {
  readonly skipCount: number
  readonly maxResultCount: number
  readonly sorting?: string | null
  readonly filter?: string | null
}

/** The input of a list of deleted rows. */
export interface DeletedRequest extends ListInput {
  readonly deletedAfter?: Date | null | undefined
}

/** The input of a list as a file. */
export type FileRequest = Pick<ListInput, 'sorting' | 'filter'>

/** The input of a lookup. */
export interface LookupRequest {
  readonly filter?: string | null | undefined
  readonly maxResultCount: number
}

/** The members of a class made by {@link CrudService}; override an operation to add a rule to it. */
// biome-ignore lint/suspicious/noExplicitAny: DTOs of all shapes
export interface Crud<T extends BaseEntity, D = any, C = any, U = any, L = any, P = any>
  extends ImportingService {
  readonly store: Store<T>
  readonly pages: PageReader
  readonly view: JsonView
  get(id: string): Promise<D>
  getList(input: L): Promise<P>
  /** The input may be given with attributes that the service fills in. */
  create(input: C | (C & NewRow<T>)): Promise<D>
  update(id: string, input: U | (U & NewRow<T>)): Promise<D>
  delete(id: string): Promise<void>
  /** Deletes all of these rows, each by {@link delete}, or none. */
  deleteMany(ids: readonly string[]): Promise<void>
  /** The active rows to pick from; for contracts with `lookup()`. */
  getLookup(input: LookupRequest): Promise<InstanceType<typeof LookupDto>[]>
  /** All rows of the list as a workbook, and as CSV; for contracts with `exportable()`. */
  getListAsExcelFile(input: FileRequest): Promise<FileContent>
  getListAsCsvFile(input: FileRequest): Promise<FileContent>
  /** The deleted rows, and one of them brought back; for contracts with `restorable()`. */
  // biome-ignore lint/suspicious/noExplicitAny: DTOs of all shapes
  getDeleted(input: DeletedRequest): Promise<any>
  restore(id: string): Promise<D>
  /**
   * The rules of `create` and `update` for rows of a file, applied to some thousand rows at once, for contracts with `importable()`. A service that
   * overrides `create` or `update` overrides this too. It fills `values` of the rows, and refuses rows.
   */
  prepareImport(rows: readonly ImportedRow<T, C extends object ? C : object>[]): Promise<void>
  /**
   * The comparisons a list adds to the row rules; by default `filterBy` and, for reference entities, that the row is active, deactivated, or either of
   * these, as the input asks (`isActive` and `includeInactive` of `ReferenceListInput`).
   */
  listConditions(input: L | LookupRequest | FileRequest): readonly Sql[]
}

/** The type of an operation of a contract; of an operation that it does not have, any method. */
type MethodOf<C extends AnyAppService, K extends string> = K extends keyof ImplementationOf<C>
  ? Extract<ImplementationOf<C>[K], AnyMethod>
  : AnyMethod
// biome-ignore lint/suspicious/noExplicitAny: inputs and results of all types
type AnyMethod = (...args: any[]) => Promise<any>
type Shown<C extends AnyAppService> = Awaited<ReturnType<MethodOf<C, 'get'>>>

/** {@link Crud} with the types of a contract. */
export type CrudOf<C extends AnyAppService, T extends BaseEntity> = Crud<
  T,
  Shown<C>,
  Parameters<MethodOf<C, 'create'>>[0],
  Parameters<MethodOf<C, 'update'>>[1],
  Parameters<MethodOf<C, 'getList'>>[0],
  Awaited<ReturnType<MethodOf<C, 'getList'>>>
>

/**
 * The five operations of an entity, done: reads as JSON with one statement, writes in a unit of work, deleting as the entity's kind asks
 * (a mark, or deactivation of a reference row).
 * @example
 * @AutoApiController(PortAppService)
 * @RequiresPermission(PortPermissions)
 * export class PortService extends CrudService(PortAppService, Port, { searchIn: ['name'] }) {}
 */
export function CrudService<
  C extends AnyAppService,
  T extends BaseEntity,
  const Sorting extends string = string,
>(
  contract: C,
  entity: EntityClass<T>,
  options: CrudOptions<T, keyof Shown<C> & string, Sorting> = {},
): new (
  databases: Databases,
  rules: RowRules,
  pages: PageReader,
  imports?: Imports,
) => CrudOf<C, T> {
  const meta = entityMeta(entity)
  const dto = resultOf(contract, 'get')
  const page = resultOf(contract, 'getList')
  for (const attribute of options.searchIn ?? []) checkSearched(meta, attribute)
  const view = new JsonView(entity as EntityClass, dto, options)
  const defaultSorting =
    options.defaultSorting ?? (view.sorting.has('creationTime') ? 'creationTime DESC' : 'id')
  if (options.defaultSorting !== undefined) checkSorting(view, defaultSorting)
  demandOwnFieldsMember(meta, dto, contract.contract.name)
  const isReference = meta.columns.has('isActive') && !meta.softDelete
  const isImportable = contract.contract.operations.has('import')
  const sheet =
    isImportable || contract.contract.operations.has('getListAsCsvFile')
      ? new ListSheet(meta, dto, {
          ...options.sheet,
          ...(options.translated && { translated: options.translated }),
        })
      : undefined
  const deleted = contract.contract.operations.has('getDeleted')
    ? deletedRows(contract, entity as EntityClass, options)
    : undefined
  const lookup = contract.contract.operations.has('getLookup') ? new Lookup(entity, dto, options) : undefined

  class CrudServiceOfEntity extends ImportingService implements Crud<T> {
    readonly store: Store<T>
    readonly view = view
    // Not just private: services have members of these names too.
    readonly #check: ReferenceCheck

    constructor(
      databases: Databases,
      rules: RowRules,
      readonly pages: PageReader,
      imports?: Imports,
    ) {
      super(imports)
      this.#check = { databases, rules, sets: pages.referenceSets }
      if (isImportable) refuseImportWithoutRules(this)
      this.store = new Store(entity, databases, rules)
    }

    override get importTarget(): ImportTarget<T> {
      if (!sheet) return super.importTarget
      const { store } = this
      const parts = { contract, sheet, store, options: options.imports ?? {} }
      return {
        ...parts,
        prepare: async (rows) => {
          for (const row of rows) await row.check(() => refuseDeactivation(row.input, row.before))
          await this.prepareImport(rows)
        },
        write: (rows) => writeImportedRows(parts, rows),
      }
    }

    async prepareImport(_rows: readonly ImportedRow<T>[]): Promise<void> {}

    get(id: string): Promise<object> {
      return this.pages.one(dto, view, id)
    }

    getList(input: ListInput): Promise<object> {
      const conditions = this.listConditions(input)
      return this.pages.page(page, view, { ...input, defaultSorting, conditions })
    }

    async create(input: object): Promise<object> {
      refuseDeactivation(input, undefined)
      if (options.checksReferences) await demandReferences(this.#check, meta, input, undefined)
      return UnitOfWork.gathering(async () => {
        const { id } = await this.store.insert(input as NewRow<T>)
        return this.get(id)
      })
    }

    async update(id: string, input: object): Promise<object> {
      const row = await this.store.get(id)
      expectStamp(row, input)
      refuseDeactivation(input, row)
      if (options.checksReferences) await demandReferences(this.#check, meta, input, row)
      await this.store.update(row, input as NewRow<T>)
      return this.get(id)
    }

    async delete(id: string): Promise<void> {
      const row = await this.store.get(id)
      if (isReference) await this.store.update(row, { isActive: false } as unknown as NewRow<T>)
      else await this.store.remove(row)
    }

    async deleteMany(ids: readonly string[]): Promise<void> {
      for (const id of new Set(ids)) await this.delete(id)
    }

    getLookup(input: LookupRequest): Promise<LookupDto[]> {
      if (!lookup) throw new Error(`${contract.contract.name} has no lookup()`)
      return lookup.read(this.pages, input, this.listConditions(input))
    }

    getListAsExcelFile(input: FileRequest): Promise<FileContent> {
      return this.listAs('xlsx', input)
    }

    getListAsCsvFile(input: FileRequest): Promise<FileContent> {
      return this.listAs('csv', input)
    }

    private listAs(format: SpreadsheetFormat, input: FileRequest): Promise<FileContent> {
      if (!sheet) throw new Error(`${contract.contract.name} has no exportable()`)
      const conditions = this.listConditions(input)
      return this.pages.file(format, sheet, view, { ...input, defaultSorting, conditions })
    }

    getDeleted({ deletedAfter, ...input }: DeletedRequest): Promise<object> {
      if (!deleted) throw new Error(`${contract.contract.name} has no restorable()`)
      const since = deletedAfter ? [sql`t."DeletionTime" > ${deletedAfter}`] : []
      const conditions = [raw('t."IsDeleted"'), ...since]
      const request = { ...input, conditions, defaultSorting: 'deletionTime DESC' }
      return DataFilters.disable(SoftDelete, () => this.pages.page(deleted.page, deleted.view, request))
    }

    async restore(id: string): Promise<object> {
      await this.store.restore(id)
      return this.get(id)
    }

    listConditions(input: ListInput | LookupRequest | FileRequest): Sql[] {
      const values = input as Readonly<Record<string, string | number | null | undefined>>
      const equal = (options.filterBy ?? []).map((name) => [name, values[name]] as const)
      return [...(isReference ? activityOf(input) : []), ...view.equal(Object.fromEntries(equal))]
    }
  }

  Reflect.defineMetadata(
    'design:paramtypes',
    [Databases, RowRules, PageReader, ...(isImportable ? [Imports] : [])] satisfies Class[],
    CrudServiceOfEntity,
  )
  return CrudServiceOfEntity as never

  /** Deactivating a reference row takes the permission to delete it. */
  function refuseDeactivation(input: object, before: object | undefined): void {
    const { isActive } = input as Activity
    if (isReference && isActive === false && (before as Activity | undefined)?.isActive !== false)
      throw new ValidationError([faultOf('isActive', 'Validation:Reactivation')])
  }

  /** An import must not pass by the rules that a service adds to its writes. */
  function refuseImportWithoutRules(service: CrudServiceOfEntity): void {
    const { prototype } = CrudServiceOfEntity
    const { name } = service.constructor
    if (!service.imports)
      throw new StartupError(
        `${name} has importable(), but its constructor passes no Imports on: super(databases, rules, pages, imports)`,
      )
    const hasRules = service.create !== prototype.create || service.update !== prototype.update
    if (hasRules && service.prepareImport === prototype.prepareImport)
      throw new StartupError(
        `${name} has importable() and rules of its own in create or update: override prepareImport, which applies them to the rows of a file`,
      )
  }
}

interface Activity {
  readonly isActive?: boolean | null
}

/** The condition that rows have the state that the input of a list asks for; none for rows of both states. */
function activityOf(input: object): Sql[] {
  const { isActive, includeInactive } = input as Activity & { readonly includeInactive?: boolean | null }
  if (isActive === false) return [raw('not t."IsActive"')]
  return includeInactive && !isActive ? [] : [raw('t."IsActive"')]
}

/** The list of deleted rows of an entity: their page, and the view of a row. */
function deletedRows(
  contract: AnyAppService,
  entity: EntityClass,
  { searchIn }: Pick<ViewOptions, 'searchIn'>,
): { readonly page: AnyDto; readonly view: JsonView } {
  const page = resultOf(contract, 'getDeleted')
  const row = genericOf(page)?.argument
  if (!row || !entityMeta(entity).softDelete)
    throw new StartupError(
      `${contract.contract.name} is restorable(), but ${entityMeta(entity).name} has no mark of deletion`,
    )
  return { page, view: new JsonView(entity, row, { ...(searchIn && { searchIn }) }) }
}

/** The lookup of an entity. */
class Lookup<T extends BaseEntity> {
  private readonly view: JsonView
  private readonly searched: readonly Sql[]
  private readonly name: Sql
  private readonly translated: TranslatedNames
  private readonly active: Sql | undefined
  private readonly shownToAll: Sql | undefined

  constructor(
    entity: EntityClass<T>,
    dto: AnyDto,
    {
      lookup = {},
      searchIn = [],
      translated = new Map(),
    }: Pick<CrudOptions<T, string, string>, 'lookup' | 'searchIn' | 'translated'>,
  ) {
    const { code = 'code', name = 'name', shownToAll } = lookup
    this.translated = translated
    const meta = entityMeta(entity)
    if (isRestricted(dto, code) || isRestricted(dto, name))
      throw new StartupError(
        `The lookup of ${meta.name} shows ${code} and ${name}: they can't need a permission`,
      )
    const open = searchIn.filter((attribute) => !isRestricted(dto, attribute))
    const searched = [...new Set<string>([code, name, ...open])]
    for (const attribute of searched) checkSearched(meta, attribute, 'lookup')
    const column = (attribute: string, t: Sql): Sql =>
      sql`${t}.${identifier(meta.columns.get(attribute)?.column ?? '')}`
    this.name = column(name, raw('t'))
    this.searched = searched.map((attribute) =>
      attribute === name ? this.name : column(attribute, raw('t')),
    )
    this.view = new JsonView(entity as EntityClass, LookupDto, {
      members: (t) => ({ code: column(code, t), name: column(name, t) }),
      searchIn: searched,
      sortBy: ['code'],
    })
    this.active = meta.columns.has('isActive') ? raw('t."IsActive"') : undefined
    this.shownToAll = shownToAll
  }

  async read(pages: PageReader, input: LookupRequest, conditions: readonly Sql[]): Promise<LookupDto[]> {
    const { filter, maxResultCount } = input
    const { localization } = pages
    const named = filter ? namedLike(this.translated, filter, localization) : []
    const prefixed = this.isOneOf(named.filter(({ isPrefix }) => isPrefix))
    const ranks = filter
      ? this.searched.map((column) => {
          const begins = sql`starts_with(lower(${column}), lower(${filter}))`
          return column === this.name && prefixed ? sql`(${begins} or ${prefixed})` : begins
        })
      : []
    const found = [this.view.search(filter), this.isOneOf(named)].filter((one) => one !== undefined)
    const rows = await pages.array(LookupDto, this.view, {
      maxResultCount,
      ranks,
      conditions: [...conditions, this.active],
      searches: found.length ? [sql`(${join(found, ' or ')})`] : [],
      shownToAll: this.shownToAll,
      defaultSorting: 'code',
    })
    if (!this.translated.size) return rows
    return rows.map(({ id, code, name }) => ({
      ...{ id, code },
      name: translatedName(this.translated, { id, name }, localization),
    }))
  }

  /** The condition that a row is one of some delivered ones, and still has the name that it was delivered with. */
  private isOneOf(rows: readonly { readonly id: string; readonly name: string }[]): Sql | undefined {
    if (!rows.length) return undefined
    const [ids, names] = [rows.map(({ id }) => id), rows.map(({ name }) => name)]
    return sql`exists (select from unnest(${ids}::uuid[], ${names}::text[]) d(id, name) where d.id = t."Id" and d.name = ${this.name})`
  }
}

/** Compares the stamp a caller saw with the row's (abp-http-contract section 4.7): no stamp, no check. Throws {@link ConcurrencyError}. */
export function expectStamp(row: object, input: object): void {
  const { concurrencyStamp: seen } = input as { concurrencyStamp?: string | null }
  if (seen && seen !== (row as { concurrencyStamp?: string }).concurrencyStamp) throw new ConcurrencyError()
}

/** Refuses an attribute that `filter` cannot be looked for in. The compiler checks the name too, but not where it comes from elsewhere. */
function checkSearched(meta: EntityMeta, attribute: string, option = 'searchIn'): void {
  const found = meta.columns.get(attribute)
  if (!found) {
    const known = [...meta.columns.keys()].join(', ')
    throw new StartupError(
      `${option} of ${meta.name} names ${attribute}, which is none of its attributes: ${known}`,
    )
  }
  if (!/^(?:(?:var)?char|text|citext)/i.test(sqlType(found.type, attribute)))
    throw new StartupError(`${option} of ${meta.name} names ${attribute}, which is no text.`)
}

/** True for a member of a DTO that needs a permission of its own. */
function isRestricted(dto: AnyDto, name: string): boolean {
  const schema = dto.shape[name] as z.ZodType | undefined
  return schema !== undefined && fieldPermissionOf(schema) !== undefined
}

function checkSorting({ meta, dto, sorting }: JsonView, order: string): void {
  const restricted = order
    .split(',')
    .find((term) => dto && isRestricted(dto, term.trim().split(' ')[0] ?? ''))
  if (restricted)
    throw new StartupError(
      `The defaultSorting '${order}' of ${meta.name} would tell ${restricted} to callers who may not see it.`,
    )
  try {
    sorting.orderBy(order)
  } catch (cause) {
    const known = sorting.fields.join(', ')
    throw new StartupError(
      `The defaultSorting '${order}' of ${meta.name} does not fit ${dto?.name}: name members of it with ASC or DESC, of ${known}.`,
      { cause },
    )
  }
}

function resultOf({ contract }: AnyAppService, operation: string): AnyDto {
  const result = contract.operations.get(operation)?.result
  if (!isDto(result))
    throw new Error(
      `${contract.name} has no operation ${operation} that gives a DTO: CrudService needs crud(…)`,
    )
  return result
}
