import 'reflect-metadata'
import { type AnyAppService, type AnyDto, ConcurrencyError, isDto } from '../contracts/index.js'
import type { Class } from '../modularity/module.js'
import { Databases } from './connections.js'
import { type EntityClass, entityMeta } from './entity.js'
import type { BaseEntity } from './entity-bases.js'
import { JsonView, type ViewOptions } from './query/json-view.js'
import { PageReader } from './query/page-reader.js'
import { RowRules } from './row-rules.js'
import { containing, join, quote, raw, type Sql, sql } from './sql.js'
import { type NewRow, Store } from './store.js'

/** What a CRUD service may say beside its contract and its entity. */
export interface CrudOptions extends ViewOptions {
  /** Attributes that the list's `filter` looks into. */
  readonly searchIn?: readonly string[]
  /** Order of a list that the caller does not sort; newest first, or by id, when not given. */
  readonly defaultSorting?: string
}

/** The inputs that the five operations share, whatever their DTOs. */
interface ListInput {
  readonly skipCount: number
  readonly maxResultCount: number
  readonly sorting?: string | null
  readonly filter?: string | null
}

/** What a class made by {@link CrudService} has; override an operation to add a rule to it. */
// biome-ignore lint/suspicious/noExplicitAny: DTOs of all shapes
export interface Crud<T extends BaseEntity, D = any, C = any, U = any, L = any, P = any> {
  readonly store: Store<T>
  readonly pages: PageReader
  readonly view: JsonView
  get(id: string): Promise<D>
  getList(input: L): Promise<P>
  create(input: C): Promise<D>
  update(id: string, input: U): Promise<D>
  delete(id: string): Promise<void>
  /** The comparisons a list adds to the row rules; by default, for reference entities, that the row is active. */
  listConditions(input: L): readonly Sql[]
}

/**
 * The five operations of an entity, done: reads as JSON with one statement, writes in a unit of work, deleting as the entity's kind asks
 * (a mark, or deactivation of a reference row).
 * @example
 * @AutoApiController(PortAppService)
 * @RequiresPermission(PortPermissions)
 * export class PortService extends CrudService(PortAppService, Port, { searchIn: ['name'] }) {}
 */
export function CrudService<T extends BaseEntity>(
  contract: AnyAppService,
  entity: EntityClass<T>,
  options: CrudOptions = {},
): new (
  databases: Databases,
  rules: RowRules,
  pages: PageReader,
) => Crud<T> {
  const meta = entityMeta(entity)
  const dto = resultOf(contract, 'get')
  const page = resultOf(contract, 'getList')
  const view = new JsonView(entity as EntityClass, dto, options)
  const defaultSorting =
    options.defaultSorting ?? (view.sorting.has('creationTime') ? 'creationTime DESC' : 'id')
  const isReference = meta.columns.has('isActive') && !meta.softDelete

  class CrudServiceOfEntity implements Crud<T> {
    readonly store: Store<T>
    readonly view = view

    constructor(
      databases: Databases,
      rules: RowRules,
      readonly pages: PageReader,
    ) {
      this.store = new Store(entity, databases, rules)
    }

    get(id: string): Promise<object> {
      return this.pages.one(dto, view, id)
    }

    getList(input: ListInput): Promise<object> {
      const conditions = this.listConditions(input)
      return this.pages.page(page, view, { ...input, defaultSorting, conditions, searches: searchFor(input) })
    }

    async create(input: object): Promise<object> {
      const { id } = await this.store.insert(input as NewRow<T>)
      return this.get(id)
    }

    async update(id: string, input: object): Promise<object> {
      const row = await this.store.get(id)
      expectStamp(row, input)
      await this.store.update(row, input as NewRow<T>)
      return this.get(id)
    }

    async delete(id: string): Promise<void> {
      const row = await this.store.get(id)
      if (isReference) await this.store.update(row, { isActive: false } as unknown as NewRow<T>)
      else await this.store.remove(row)
    }

    listConditions(_input: ListInput): Sql[] {
      return isReference ? [raw('t."IsActive"')] : []
    }
  }

  function searchFor({ filter }: ListInput): Sql[] {
    if (!filter || !options.searchIn?.length) return []
    const pattern = containing(filter)
    const found = options.searchIn.map((attribute) => {
      const column = meta.columns.get(attribute)?.column ?? attribute
      return sql`t.${raw(quote(column))} ilike ${pattern}`
    })
    return [sql`(${join(found, ' or ')})`]
  }
  Reflect.defineMetadata(
    'design:paramtypes',
    [Databases, RowRules, PageReader] satisfies Class[],
    CrudServiceOfEntity,
  )
  return CrudServiceOfEntity
}

/** Compares the stamp a caller saw with the row's (abp-http-contract section 4.7): no stamp, no check. Throws {@link ConcurrencyError}. */
export function expectStamp(row: object, input: object): void {
  const { concurrencyStamp: seen } = input as { concurrencyStamp?: string | null }
  if (seen && seen !== (row as { concurrencyStamp?: string }).concurrencyStamp) throw new ConcurrencyError()
}

function resultOf({ contract }: AnyAppService, operation: string): AnyDto {
  const result = contract.operations.get(operation)?.result
  if (!isDto(result))
    throw new Error(
      `${contract.name} has no operation ${operation} that gives a DTO: CrudService needs crud(…)`,
    )
  return result
}
