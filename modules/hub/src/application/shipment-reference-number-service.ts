import { AutoApiController } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { Databases, PageReader, ReferenceSets, RowRules } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  type CreateShipmentReferenceNumberDto,
  HubErrors,
  ReferenceType,
  ShipmentReferenceNumberAppService,
  type ShipmentReferenceNumberDto,
  type UpdateShipmentReferenceNumberDto,
} from '../contracts/index.js'
import { isAirWaybill } from '../domain/air-waybill.js'
import { CodeEntity } from '../domain/code-entity.js'
import { ShipmentReferenceNumber } from '../domain/shipment-reference-number.js'
import { ShipmentChildPermissions, ShipmentChildService } from './shipment-child-service.js'
import { ShipmentParents } from './shipment-parents.js'

@AutoApiController(ShipmentReferenceNumberAppService)
@RequiresPermission(ShipmentChildPermissions)
export class ShipmentReferenceNumberService extends ShipmentChildService(
  ShipmentReferenceNumberAppService,
  ShipmentReferenceNumber,
  { searchIn: ['value'], defaultSorting: 'referenceType' },
) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    parents: ShipmentParents,
    private readonly references: ReferenceSets,
  ) {
    super(databases, rules, pages, parents)
  }

  override async create(input: CreateShipmentReferenceNumberDto): Promise<ShipmentReferenceNumberDto> {
    await this.checkWaybill(input)
    return super.create(input)
  }

  override async update(
    id: string,
    input: UpdateShipmentReferenceNumberDto,
  ): Promise<ShipmentReferenceNumberDto> {
    const { shipmentId, referenceType, value } = await this.store.get(id)
    await this.checkWaybill({
      shipmentId,
      referenceType: input.referenceType ?? referenceType,
      value: input.value ?? value,
    })
    return super.update(id, input)
  }

  /** Refuses master bills of air shipments without the check digit of an air waybill, and house bills that look like one. */
  private async checkWaybill({
    shipmentId,
    referenceType,
    value,
  }: Pick<CreateShipmentReferenceNumberDto, 'shipmentId' | 'referenceType' | 'value'>): Promise<void> {
    const isBill =
      referenceType === ReferenceType.MasterBill ||
      (referenceType === ReferenceType.HouseBill && /^\d{3}-?\d{8}$/.test(value))
    if (!isBill || isAirWaybill(value)) return
    const { transportModeId } = await this.parents.demandChangeable(shipmentId)
    const modes = await this.references.rows(CodeEntity, [transportModeId])
    if (transportModeId && modes.value(transportModeId, 'code') === 'Air')
      throw new BusinessError(HubErrors.InvalidAirWaybill, { value })
  }
}
