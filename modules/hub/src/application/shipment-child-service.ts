import { type AnyAppService, faultOf, ValidationError } from '@keel/framework/contracts'
import {
  type BaseEntity,
  type CrudOf,
  type CrudOptions,
  CrudService,
  Databases,
  type EntityClass,
  type NewRow,
  PageReader,
  RowRules,
} from '@keel/framework/data'
import { ShipmentPermissions } from '../contracts/index.js'
import { ShipmentParents } from './shipment-parents.js'

/** A row that belongs to a shipment. */
type ShipmentChild = BaseEntity & { shipmentId: string }

/** Rows of a shipment are read with the shipment, and written by those who may change it. */
export class ShipmentChildPermissions {
  static readonly View = ShipmentPermissions.View
  static readonly Create = ShipmentPermissions.Edit
  static readonly Edit = ShipmentPermissions.Edit
  static readonly Delete = ShipmentPermissions.Edit
}

/** Rows of a shipment that only those change who take shipments from status to status. */
export class StaffChildPermissions {
  static readonly View = ShipmentPermissions.View
  static readonly Create = ShipmentPermissions.ChangeStatus
  static readonly Edit = ShipmentPermissions.ChangeStatus
  static readonly Delete = ShipmentPermissions.ChangeStatus
}

/** The operations that all children have, whatever their DTOs. */
interface ChildCrud {
  readonly store: { get(id: string): Promise<ShipmentChild> }
  getList(input: ListInput): Promise<unknown>
  create(input: { shipmentId: string }): Promise<unknown>
  update(id: string, input: object): Promise<unknown>
  delete(id: string): Promise<void>
}

interface ListInput {
  readonly shipmentId?: string | null
}

/**
 * {@link CrudService} of rows that belong to a shipment: their list takes `shipmentId`, which callers who do not see all
 * organizations have to give, and they are written while their shipment can be changed (domain model, section 6.1).
 */
export function ShipmentChildService<C extends AnyAppService, T extends ShipmentChild>(
  contract: C,
  entity: EntityClass<T>,
  options: CrudOptions<T, string, string> = {},
): new (
  databases: Databases,
  rules: RowRules,
  pages: PageReader,
  parents: ShipmentParents,
) => CrudOf<C, T> & { readonly parents: ShipmentParents } {
  const filtered = { ...options, filterBy: ['shipmentId'] }
  const Base = CrudService(contract, entity as never, filtered as never) as unknown as new (
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
  ) => ChildCrud

  class ServiceOfShipmentChild extends Base {
    constructor(
      databases: Databases,
      rules: RowRules,
      pages: PageReader,
      readonly parents: ShipmentParents,
    ) {
      super(databases, rules, pages)
    }

    override async getList(input: ListInput): Promise<unknown> {
      // Without a shipment every row of every shipment would have to be counted.
      if (!input.shipmentId && !(await this.parents.seesAll()))
        throw new ValidationError([faultOf('shipmentId', 'Hub:Validation:OfWhatShipment')])
      return super.getList(input)
    }

    override async create(input: { shipmentId: string } & NewRow<T>): Promise<unknown> {
      await this.parents.demandChangeable(input.shipmentId)
      return super.create(input)
    }

    override async update(id: string, input: object): Promise<unknown> {
      await this.parents.demandChangeable((await this.store.get(id)).shipmentId)
      return super.update(id, input)
    }

    override async delete(id: string): Promise<void> {
      await this.parents.demandChangeable((await this.store.get(id)).shipmentId)
      await super.delete(id)
    }
  }
  const dependencies = [Databases, RowRules, PageReader, ShipmentParents]
  Reflect.defineMetadata('design:paramtypes', dependencies, ServiceOfShipmentChild)
  return ServiceOfShipmentChild as never
}
