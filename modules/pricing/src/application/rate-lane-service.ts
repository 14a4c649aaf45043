import { AutoApiController } from '@keel/framework'
import {
  BusinessError,
  faultOf,
  pageLimits,
  ValidationError,
  type ValidationFault,
} from '@keel/framework/contracts'
import {
  CrudService,
  Databases,
  JsonView,
  PageReader,
  ReferenceSets,
  RowRules,
  type Sql,
} from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  LanePointType,
  PricingErrors,
  RateBasis,
  RateBreakAppService,
  RateBreakDto,
  type RateBreakInput,
  type RateBreakListInput,
  RateCardPermissions,
  RateLaneAppService,
  type RateLaneDto,
  type RateLaneInput,
  type RateLaneListInput,
  RateLineAppService,
  type RateLineDto,
  type RateLineInput,
  type RateLineListInput,
  type SetRateBreaksDto,
} from '../contracts/index.js'
import { exact } from '../domain/exact.js'
import { RateBreak, RateLane, RateLine } from '../domain/rate-card.js'
import { RateZone } from '../domain/rate-zone.js'
import { RateBreakStore } from '../persistence/stores.js'
import { KnownPorts } from './known-ports.js'
import { RateCardPartPermissions, RateCardParts } from './rate-card-parts.js'
import { chargeCodeFaults, demandCurrency } from './reference-rules.js'

@AutoApiController(RateLaneAppService)
@RequiresPermission(RateCardPartPermissions)
export class RateLaneService extends CrudService(RateLaneAppService, RateLane, {
  searchIn: ['originUnLocode', 'destinationUnLocode', 'carrierCode'],
  defaultSorting: 'laneNumber',
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly parts: RateCardParts,
    private readonly ports: KnownPorts,
    private readonly references: ReferenceSets,
  ) {
    super(databases, rules, pages)
  }

  override listConditions(input: RateLaneListInput): readonly Sql[] {
    const { rateCardId, originUnLocode, destinationUnLocode } = input
    return this.view.equal({ rateCardId, originUnLocode, destinationUnLocode })
  }

  override async create(input: RateLaneInput): Promise<RateLaneDto> {
    await this.check(input)
    await this.parts.changeCard(input.rateCardId)
    return super.create(input)
  }

  override async update(id: string, input: RateLaneInput): Promise<RateLaneDto> {
    const lane = await this.store.get(id)
    const { rateCardId } = lane
    await this.check(input, lane)
    await this.parts.changeCard(rateCardId)
    // A lane stays on its card.
    return super.update(id, { ...noPoints, ...input, rateCardId })
  }

  override async delete(id: string): Promise<void> {
    const lane = await this.store.get(id)
    await this.parts.changeCard(lane.rateCardId)
    await this.parts.removeLane(lane)
  }

  private async check(input: RateLaneInput, before?: RateLane): Promise<void> {
    const faults: ValidationFault[] = [...pointFaults('origin', input), ...pointFaults('destination', input)]
    const zones = await this.references.rows(RateZone, [input.originZoneId, input.destinationZoneId])
    for (const member of ['originZoneId', 'destinationZoneId'] as const) {
      const id = input[member]
      if (id && !zones.has(id)) faults.push(faultOf(member, 'Validation:NoSuchEntity'))
    }
    if (faults.length) throw new ValidationError(faults)
    const portsOf = (lane: Partial<RateLaneInput>) => [
      lane.originUnLocode,
      lane.destinationUnLocode,
      lane.viaUnLocode,
    ]
    await this.ports.demand(portsOf(input), before && portsOf(before))
  }
}

const noPoints = {
  originUnLocode: null,
  destinationUnLocode: null,
  originZoneId: null,
  destinationZoneId: null,
  originCountryCode: null,
  destinationCountryCode: null,
} as const

/** Exactly the member that the type names is given. */
function pointFaults(end: 'origin' | 'destination', input: RateLaneInput): ValidationFault[] {
  const members = [`${end}UnLocode`, `${end}ZoneId`, `${end}CountryCode`] as const
  const named: (typeof members)[number] | undefined = [...members, undefined][input[`${end}Type`]]
  const isRight = members.every((member) => (input[member] != null) === (member === named))
  return isRight
    ? []
    : [
        faultOf(named ?? `${end}Type`, 'Pricing:Validation:LanePoint', {
          type: LanePointType[input[`${end}Type`]],
        }),
      ]
}

@AutoApiController(RateLineAppService)
@RequiresPermission(RateCardPartPermissions)
export class RateLineService extends CrudService(RateLineAppService, RateLine) {
  private readonly breakView = breakView

  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly parts: RateCardParts,
    private readonly breaks: RateBreakStore,
    private readonly references: ReferenceSets,
  ) {
    super(databases, rules, pages)
  }

  override listConditions({ rateLaneId, chargeCodeId }: RateLineListInput): readonly Sql[] {
    return this.view.equal({ rateLaneId, chargeCodeId })
  }

  override async create(input: RateLineInput): Promise<RateLineDto> {
    await this.check(input)
    await this.parts.changeLane(input.rateLaneId)
    return super.create(input)
  }

  override async update(id: string, input: RateLineInput): Promise<RateLineDto> {
    const line = await this.store.get(id)
    const { rateLaneId } = line
    await this.check(input, line)
    await this.parts.changeLane(rateLaneId)
    return super.update(id, { ...input, rateLaneId })
  }

  override async delete(id: string): Promise<void> {
    const line = await this.store.get(id)
    await this.parts.changeLane(line.rateLaneId)
    await this.parts.removeLine(line)
  }

  @RequiresPermission(RateCardPermissions.View)
  async getBreaks(id: string): Promise<RateBreakDto[]> {
    await this.store.get(id)
    return this.pages.array(RateBreakDto, this.breakView, {
      conditions: this.breakView.equal({ rateLineId: id }),
      maxResultCount: pageLimits.most,
      defaultSorting: 'fromQuantity',
    })
  }

  @RequiresPermission(RateCardPermissions.Edit)
  async setBreaks(id: string, { breaks }: SetRateBreaksDto): Promise<RateBreakDto[]> {
    await this.store.get(id)
    demandAscending(breaks)
    await this.parts.changeLine(id)
    for (const one of await this.breaks.ofLine(id)) await this.breaks.remove(one)
    for (const one of breaks) await this.breaks.insert({ ...one, rateLineId: id })
    return this.getBreaks(id)
  }

  private async check(input: RateLineInput, before?: RateLine): Promise<void> {
    const { chargeCodeId, currencyCode, basis, containerTypeCode, minAmount, maxAmount } = input
    const faults = await chargeCodeFaults(this.references, chargeCodeId, before?.chargeCodeId)
    if (containerTypeCode && basis !== RateBasis.PerContainer && basis !== RateBasis.PerTeu)
      faults.push(faultOf('containerTypeCode', 'Pricing:Validation:ContainerTypeOfOtherBasis'))
    if (minAmount && maxAmount && exact(maxAmount).lt(minAmount))
      faults.push(faultOf('maxAmount', 'Pricing:Validation:MaxBelowMin'))
    if (faults.length) throw new ValidationError(faults)
    await demandCurrency(this.references, currencyCode, before?.currencyCode)
  }
}

const breakView = new JsonView(RateBreak, RateBreakDto)

/** Breaks begin at 0 and ascend. */
function demandAscending(breaks: SetRateBreaksDto['breaks']): void {
  breaks.forEach(({ fromQuantity }, index) => {
    const before = breaks[index - 1]
    const isRight = before ? exact(fromQuantity).gt(before.fromQuantity) : exact(fromQuantity).isZero()
    if (!isRight) throw new BusinessError(PricingErrors.RateBreakNotAscending, { fromQuantity })
  })
}

@AutoApiController(RateBreakAppService)
@RequiresPermission(RateCardPartPermissions)
export class RateBreakService extends CrudService(RateBreakAppService, RateBreak, {
  defaultSorting: 'fromQuantity',
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly parts: RateCardParts,
  ) {
    super(databases, rules, pages)
  }

  override listConditions({ rateLineId }: RateBreakListInput): readonly Sql[] {
    return this.view.equal({ rateLineId })
  }

  override async create(input: RateBreakInput): Promise<RateBreakDto> {
    await this.parts.changeLine(input.rateLineId)
    return super.create(input)
  }

  override async update(id: string, input: RateBreakInput): Promise<RateBreakDto> {
    const { rateLineId } = await this.store.get(id)
    await this.parts.changeLine(rateLineId)
    return super.update(id, { ...input, rateLineId })
  }

  override async delete(id: string): Promise<void> {
    const row = await this.store.get(id)
    await this.parts.changeLine(row.rateLineId)
    await this.store.remove(row)
  }
}
