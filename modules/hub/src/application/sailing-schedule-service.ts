import { AutoApiController, Clock } from '@keel/framework'
import { BusinessError, EntityNotFoundError, faultOf, ValidationError } from '@keel/framework/contracts'
import { CrudService, Databases, PageReader, ReferenceSets, RowRules, type Sql } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  type CreateSailingScheduleDto,
  HubErrors,
  mostSailings,
  type ReasonDto,
  SailingScheduleAppService,
  SailingScheduleDto,
  type SailingScheduleListInput,
  SailingSchedulePermissions,
  type SearchSailingsInput,
  Severity,
  type UpdateSailingScheduleDto,
} from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'
import { SailingSchedule, transitDaysOf } from '../domain/sailing-schedule.js'
import { ConsolLegStore, sailingsBetween, sailingsLeaving } from '../persistence/consol-stores.js'
import { ShipmentChildren } from '../persistence/shipment-children.js'

const mostPeriodMs = 400 * 86_400_000

@AutoApiController(SailingScheduleAppService)
@RequiresPermission(SailingSchedulePermissions)
export class SailingScheduleService extends CrudService(SailingScheduleAppService, SailingSchedule, {
  searchIn: ['voyageFlightNumber', 'serviceCode'],
  defaultSorting: 'estimatedDeparture',
  filterBy: ['carrierId', 'departurePortId', 'arrivalPortId'],
  checksReferences: true,
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly legs: ConsolLegStore,
    private readonly children: ShipmentChildren,
    private readonly references: ReferenceSets,
    private readonly clock: Clock,
  ) {
    super(databases, rules, pages)
  }

  override listConditions(input: SailingScheduleListInput): readonly Sql[] {
    return [...super.listConditions(input), ...sailingsLeaving(input.departFrom, input.departBefore)]
  }

  override create(input: CreateSailingScheduleDto): Promise<SailingScheduleDto> {
    return super.create({ ...input, transitDays: demandDays(input) })
  }

  override async update(id: string, input: UpdateSailingScheduleDto): Promise<SailingScheduleDto> {
    const row = await this.store.get(id)
    if (input.isCancelled && !row.isCancelled)
      throw new ValidationError([faultOf('isCancelled', 'Hub:Validation:CancelSailing')])
    const { estimatedDeparture = row.estimatedDeparture, estimatedArrival = row.estimatedArrival } = input
    return super.update(id, { ...input, transitDays: demandDays({ estimatedDeparture, estimatedArrival }) })
  }

  @RequiresPermission(SailingSchedulePermissions.View)
  async search({ departFrom, departTo, ...input }: SearchSailingsInput): Promise<SailingScheduleDto[]> {
    const period = departTo.getTime() - departFrom.getTime()
    if (period < 0 || period > mostPeriodMs)
      throw new ValidationError([faultOf('departTo', 'Hub:Validation:SailingPeriod')])
    return this.pages.array(SailingScheduleDto, this.view, {
      conditions: [...this.view.equal(input), ...sailingsBetween(departFrom, departTo)],
      maxResultCount: mostSailings,
      defaultSorting: 'estimatedDeparture',
    })
  }

  @RequiresPermission(SailingSchedulePermissions.Edit)
  async cancelSailing(id: string, { reason }: ReasonDto): Promise<SailingScheduleDto> {
    const sailing = await this.store.get(id)
    const { voyageFlightNumber, isCancelled } = sailing
    if (isCancelled) throw new BusinessError(HubErrors.SailingAlreadyCancelled, { voyageFlightNumber })
    await this.store.update(sailing, { isCancelled: true })
    const codes = await this.references.matching(CodeEntity, 'code', ['BLK'])
    const type = codes.idsBy('code', 'BLK').find((code) => codes.value(code, 'type') === 'ExceptionType')
    if (!type) throw new EntityNotFoundError('CodeEntity', 'BLK')
    const raised = { exceptionTypeId: type, severity: Severity.Warning, raisedTime: this.clock.now }
    for (const shipmentId of await this.legs.shipmentsOfSailing(id))
      await this.children.raise({ ...raised, shipmentId, description: `${voyageFlightNumber}: ${reason}` })
    return this.get(id)
  }
}

function demandDays({
  estimatedDeparture: departure,
  estimatedArrival: arrival,
}: Pick<CreateSailingScheduleDto, 'estimatedDeparture' | 'estimatedArrival'>): number {
  if (arrival <= departure)
    throw new BusinessError(HubErrors.SailingArrivalBeforeDeparture, {
      departure: departure.toISOString(),
      arrival: arrival.toISOString(),
    })
  return transitDaysOf(departure, arrival)
}
