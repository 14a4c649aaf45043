import { AutoApiController, ambient, Clock } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { Databases, PageReader, ReferenceSets, RowRules } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  type CreateShipmentExceptionDto,
  HubErrors,
  type ResolveShipmentExceptionDto,
  ShipmentExceptionAppService,
  type ShipmentExceptionDto,
  ShipmentPermissions,
  type UpdateShipmentExceptionDto,
} from '../contracts/index.js'
import { ShipmentException } from '../domain/shipment-exception.js'
import { demandPortsAndCodes } from './reference-faults.js'
import { ShipmentChildService, StaffChildPermissions } from './shipment-child-service.js'
import { ShipmentParents } from './shipment-parents.js'

@AutoApiController(ShipmentExceptionAppService)
@RequiresPermission(StaffChildPermissions)
export class ShipmentExceptionService extends ShipmentChildService(
  ShipmentExceptionAppService,
  ShipmentException,
  { searchIn: ['description'], defaultSorting: 'raisedTime DESC' },
) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    parents: ShipmentParents,
    private readonly references: ReferenceSets,
    private readonly clock: Clock,
  ) {
    super(databases, rules, pages, parents)
  }

  override async create(input: CreateShipmentExceptionDto): Promise<ShipmentExceptionDto> {
    await demandPortsAndCodes(this.references, { codes: { exceptionTypeId: 'ExceptionType' } }, input)
    return super.create({ ...input, raisedTime: input.raisedTime ?? this.clock.now })
  }

  override async update(id: string, input: UpdateShipmentExceptionDto): Promise<ShipmentExceptionDto> {
    await this.openOne(id)
    return super.update(id, input)
  }

  @RequiresPermission(ShipmentPermissions.ChangeStatus)
  async resolve(id: string, { note }: ResolveShipmentExceptionDto): Promise<ShipmentExceptionDto> {
    const exception = await this.openOne(id)
    await this.parents.demandChangeable(exception.shipmentId)
    await this.store.update(exception, {
      resolvedTime: this.clock.now,
      resolvedById: ambient().principal.userId ?? null,
      resolutionNote: note,
    })
    return this.get(id)
  }

  private async openOne(id: string): Promise<ShipmentException> {
    const exception = await this.store.get(id)
    if (exception.resolvedTime) throw new BusinessError(HubErrors.ExceptionAlreadyResolved)
    return exception
  }
}
