import { AutoApiController, ambient, Clock } from '@keel/framework'
import { BusinessError, ValidationError } from '@keel/framework/contracts'
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
import { CodeEntity } from '../domain/code-entity.js'
import { ShipmentException } from '../domain/shipment-exception.js'
import { codeFaults, referenceFaults } from './reference-faults.js'
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
    const { exceptionTypeId } = input
    const codes = await this.references.rows(CodeEntity, [exceptionTypeId])
    const faults = referenceFaults(codes, codeFaults, 'exceptionTypeId', exceptionTypeId, undefined)
    if (faults.length) throw new ValidationError(faults)
    const actual = codes.value(exceptionTypeId, 'type')
    if (actual !== 'ExceptionType') {
      const data = { member: 'exceptionTypeId', expected: 'ExceptionType', actual }
      throw new BusinessError(HubErrors.WrongCodeEntityType, data)
    }
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
