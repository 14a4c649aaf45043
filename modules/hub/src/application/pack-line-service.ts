import { AutoApiController } from '@keel/framework'
import { BusinessError, EntityNotFoundError } from '@keel/framework/contracts'
import { CrudService, Databases, PageReader, ReferenceSets, RowRules } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  AirProhibition,
  type CreatePackLineDangerousGoodsDto,
  type CreatePackLineDto,
  HubErrors,
  PackLineAppService,
  PackLineDangerousGoodsAppService,
  type PackLineDangerousGoodsDto,
  type PackLineDto,
  type UpdatePackLineDangerousGoodsDto,
  type UpdatePackLineDto,
} from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'
import { DangerousSubstance } from '../domain/dangerous-substance.js'
import { lacksSizes, type Packed, PackLine, PackLineDangerousGoods, volumeOf } from '../domain/pack-line.js'
import { PackLineStore } from '../persistence/pack-line-stores.js'
import { HsCodeRules } from './hs-code-rules.js'
import { ShipmentChildPermissions, ShipmentChildService } from './shipment-child-service.js'
import { ShipmentParents } from './shipment-parents.js'
import { ShipmentTotals } from './shipment-totals.js'

@AutoApiController(PackLineAppService)
@RequiresPermission(ShipmentChildPermissions)
export class PackLineService extends ShipmentChildService(PackLineAppService, PackLine, {
  searchIn: ['description', 'marksAndNumbers'],
  defaultSorting: 'lineNumber',
  checksReferences: true,
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    parents: ShipmentParents,
    private readonly totals: ShipmentTotals,
    private readonly hsCodes: HsCodeRules,
  ) {
    super(databases, rules, pages, parents)
  }

  override async create(input: CreatePackLineDto): Promise<PackLineDto> {
    if (input.hsCode) await this.hsCodes.demandKnown([{ member: 'hsCode', code: input.hsCode }])
    const line = await super.create({ ...input, volumeM3: demandVolume(input as Packed) })
    await this.totals.follow(input.shipmentId)
    return line
  }

  override async update(id: string, input: UpdatePackLineDto): Promise<PackLineDto> {
    const row = await this.store.get(id)
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
    const volumeM3 = demandVolume({ ...(row.get() as PackLine), ...given })
    const { hsCode: code } = input
    if (code && code !== row.hsCode) await this.hsCodes.demandKnown([{ member: 'hsCode', code }])
    const line = await super.update(id, { ...input, volumeM3 })
    await this.totals.follow(row.shipmentId)
    return line
  }

  override async delete(id: string): Promise<void> {
    const { shipmentId } = await this.store.get(id)
    await super.delete(id)
    await this.totals.follow(shipmentId)
  }
}

/** The volume of a line; refuses sizes that are not complete. */
function demandVolume(line: Packed): number | null {
  if (lacksSizes(line)) throw new BusinessError(HubErrors.PackLineSizesIncomplete)
  return volumeOf(line) ?? null
}

@AutoApiController(PackLineDangerousGoodsAppService)
@RequiresPermission(ShipmentChildPermissions)
export class PackLineDangerousGoodsService extends CrudService(
  PackLineDangerousGoodsAppService,
  PackLineDangerousGoods,
  { defaultSorting: 'creationTime', filterBy: ['packLineId'], checksReferences: true },
) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly lines: PackLineStore,
    private readonly parents: ShipmentParents,
    private readonly totals: ShipmentTotals,
    private readonly references: ReferenceSets,
  ) {
    super(databases, rules, pages)
  }

  override async create(input: CreatePackLineDangerousGoodsDto): Promise<PackLineDangerousGoodsDto> {
    const shipmentId = await this.demandAllowed(input.packLineId, input.dangerousSubstanceId)
    const goods = await super.create(input)
    await this.totals.follow(shipmentId)
    return goods
  }

  override async update(
    id: string,
    input: UpdatePackLineDangerousGoodsDto,
  ): Promise<PackLineDangerousGoodsDto> {
    const { packLineId, dangerousSubstanceId } = await this.store.get(id)
    await this.demandAllowed(packLineId, input.dangerousSubstanceId ?? dangerousSubstanceId)
    return super.update(id, input)
  }

  override async delete(id: string): Promise<void> {
    const { packLineId } = await this.store.get(id)
    const shipmentId = await this.demandAllowed(packLineId)
    await super.delete(id)
    await this.totals.follow(shipmentId)
  }

  /** The shipment of a line. Refuses one that cannot be changed, and what no aircraft takes on a shipment by air. */
  private async demandAllowed(packLineId: string, dangerousSubstanceId?: string): Promise<string> {
    const line = await this.lines.find(packLineId)
    if (!line) throw new EntityNotFoundError('PackLine', packLineId)
    const { id, transportModeId } = await this.parents.demandChangeable(line.shipmentId)
    if (!transportModeId || !dangerousSubstanceId) return id
    const modes = await this.references.rows(CodeEntity, [transportModeId])
    if (modes.value(transportModeId, 'code') !== 'Air') return id
    const substances = await this.references.rows(DangerousSubstance, [dangerousSubstanceId])
    if (Number(substances.value(dangerousSubstanceId, 'airProhibition')) === AirProhibition.Forbidden)
      throw new BusinessError(HubErrors.ForbiddenByAir, {
        unNumber: substances.value(dangerousSubstanceId, 'unNumber'),
      })
    return id
  }
}
