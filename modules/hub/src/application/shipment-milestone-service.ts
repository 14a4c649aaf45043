import { AutoApiController, Clock } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { Databases, PageReader, ReferenceSets, RowRules } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  type CreateShipmentMilestoneDto,
  EventSource,
  HubErrors,
  type SetActualDto,
  ShipmentMilestoneAppService,
  type ShipmentMilestoneDto,
  ShipmentPermissions,
  type UpdateShipmentMilestoneDto,
} from '../contracts/index.js'
import { sequenceOf } from '../domain/milestone-plan.js'
import { isTooFarAhead } from '../domain/shipment-lifecycle.js'
import { ShipmentMilestone } from '../domain/shipment-milestone.js'
import { demandPortsAndCodes } from './reference-faults.js'
import { ShipmentChildService, StaffChildPermissions } from './shipment-child-service.js'
import { ShipmentParents } from './shipment-parents.js'

@AutoApiController(ShipmentMilestoneAppService)
@RequiresPermission(StaffChildPermissions)
export class ShipmentMilestoneService extends ShipmentChildService(
  ShipmentMilestoneAppService,
  ShipmentMilestone,
  { defaultSorting: 'sequence' },
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

  override async create(input: CreateShipmentMilestoneDto): Promise<ShipmentMilestoneDto> {
    await this.check(input)
    const { sequence = sequenceOf(input.code) } = input
    return super.create({ ...input, sequence, source: EventSource.Manual })
  }

  override async update(id: string, input: UpdateShipmentMilestoneDto): Promise<ShipmentMilestoneDto> {
    await this.check(input, await this.store.get(id))
    return super.update(id, input)
  }

  @RequiresPermission(ShipmentPermissions.ChangeStatus)
  setActual(id: string, { time }: SetActualDto): Promise<ShipmentMilestoneDto> {
    return this.update(id, { actualTime: time ?? this.clock.now })
  }

  private async check(input: UpdateShipmentMilestoneDto, before?: ShipmentMilestone): Promise<void> {
    await demandPortsAndCodes(this.references, { ports: ['portId'] }, input, before)
    const { actualTime } = input
    if (actualTime && isTooFarAhead(actualTime, this.clock.now))
      throw new BusinessError(HubErrors.ActualTimeInFuture, { actualTime: actualTime.toISOString() })
  }
}
