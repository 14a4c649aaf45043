import { AutoApiController, Clock, computedResult } from '@keel/framework'
import { BusinessError, faultOf, ValidationError, type ValidationFault } from '@keel/framework/contracts'
import { CrudService, Databases, PageReader, ReferenceSets, RowRules, type Sql } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  FuelIndexAppService,
  type FuelIndexDateInput,
  FuelIndexPermissions,
  FuelIndexValueAppService,
  type FuelIndexValueDto,
  type FuelIndexValueListInput,
  MarginRuleAppService,
  type MarginRuleDto,
  type MarginRuleInput,
  MarginRulePermissions,
  MarginTestDto,
  MarginType,
  PricingErrors,
  RateBasis,
  SurchargePermissions,
  SurchargeRuleAppService,
  type SurchargeRuleDto,
  type SurchargeRuleInput,
  type SurchargeRuleListInput,
  type TestMarginDto,
} from '../contracts/index.js'
import { ChargeCode } from '../domain/charge-code.js'
import { exact } from '../domain/exact.js'
import { MarginRule } from '../domain/margin-rule.js'
import { RateZone } from '../domain/rate-zone.js'
import { FuelIndex, FuelIndexValue, SurchargeRule } from '../domain/surcharge.js'
import { FuelIndexValueStore } from '../persistence/stores.js'
import { KnownOrganizations } from './known-organizations.js'
import { PriceCalculation } from './price-calculation.js'
import { chargeCodeFaults, demandCurrency } from './reference-rules.js'

@AutoApiController(FuelIndexValueAppService)
@RequiresPermission(FuelIndexPermissions)
export class FuelIndexValueService extends CrudService(FuelIndexValueAppService, FuelIndexValue, {
  defaultSorting: 'valueDate DESC',
}) {
  override listConditions(input: FuelIndexValueListInput | object): readonly Sql[] {
    return this.view.equal({ fuelIndexId: (input as FuelIndexValueListInput).fuelIndexId })
  }
}

@AutoApiController(FuelIndexAppService)
@RequiresPermission(FuelIndexPermissions)
export class FuelIndexService extends CrudService(FuelIndexAppService, FuelIndex, {
  searchIn: ['code', 'name'],
  defaultSorting: 'code',
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly values: FuelIndexValueService,
    private readonly valueRows: FuelIndexValueStore,
    private readonly clock: Clock,
  ) {
    super(databases, rules, pages)
  }

  @RequiresPermission(FuelIndexPermissions.View)
  async getCurrent(id: string, { date }: FuelIndexDateInput): Promise<FuelIndexValueDto> {
    const { code } = await this.store.get(id)
    const day = date ?? this.clock.now.toISOString().slice(0, 10)
    const current = await this.valueRows.current(id, day)
    if (!current) throw new BusinessError(PricingErrors.FuelIndexValueMissing, { code, date: day })
    return this.values.get(current.id)
  }
}

@AutoApiController(SurchargeRuleAppService)
@RequiresPermission(SurchargePermissions)
export class SurchargeRuleService extends CrudService(SurchargeRuleAppService, SurchargeRule) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly references: ReferenceSets,
  ) {
    super(databases, rules, pages)
  }

  override listConditions({ transportModeCode, chargeCodeId }: SurchargeRuleListInput): readonly Sql[] {
    return this.view.equal({ transportModeCode, chargeCodeId })
  }

  override async create(input: SurchargeRuleInput): Promise<SurchargeRuleDto> {
    await this.check(input)
    return super.create(input)
  }

  override async update(id: string, input: SurchargeRuleInput): Promise<SurchargeRuleDto> {
    await this.check(input, await this.store.get(id))
    return super.update(id, input)
  }

  private async check(input: SurchargeRuleInput, before?: SurchargeRule): Promise<void> {
    const { fuelIndexId, fuelBaseValue, fuelStep, fuelAmountPerStep, amount, basis, percentOfGroup } = input
    const fuel = [fuelIndexId, fuelBaseValue, fuelStep, fuelAmountPerStep].filter(
      (value) => value != null,
    ).length
    if ((fuel !== 0 && fuel !== 4) || (fuel === 4) === (amount != null))
      throw new BusinessError(PricingErrors.SurchargeFuelFieldsIncomplete)
    const faults = await ruleFaults(this.references, input, before)
    if ((basis === RateBasis.PercentOfGroup) !== (percentOfGroup != null))
      faults.push(faultOf('percentOfGroup', 'Pricing:Validation:PercentOfGroup'))
    if (faults.length) throw new ValidationError(faults)
    await demandCurrency(this.references, input.currencyCode, before?.currencyCode)
  }
}

@AutoApiController(MarginRuleAppService)
@RequiresPermission(MarginRulePermissions)
export class MarginRuleService extends CrudService(MarginRuleAppService, MarginRule, {
  searchIn: ['name', 'organizationCode'],
  defaultSorting: 'name',
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly references: ReferenceSets,
    private readonly organizations: KnownOrganizations,
    private readonly calculation: PriceCalculation,
    private readonly clock: Clock,
  ) {
    super(databases, rules, pages)
  }

  override async create(input: MarginRuleInput): Promise<MarginRuleDto> {
    return super.create({ ...input, organizationCode: await this.checked(input) })
  }

  override async update(id: string, input: MarginRuleInput): Promise<MarginRuleDto> {
    const organizationCode = await this.checked(input, await this.store.get(id))
    return super.update(id, { ...input, organizationCode })
  }

  @RequiresPermission(MarginRulePermissions.View)
  async test({ chargeCodeId, cost, date, organizationId, ...input }: TestMarginDto): Promise<MarginTestDto> {
    const charges = await this.references.rows(ChargeCode, [chargeCodeId])
    if (!charges.has(chargeCodeId))
      throw new ValidationError([faultOf('chargeCodeId', 'Validation:NoSuchEntity')])
    const text = (member: string) => charges.value(chargeCodeId, member) ?? ''
    const charge = {
      ...{ chargeCodeId, chargeCode: text('code'), chargeName: text('name') },
      chargeGroup: Number(text('chargeGroup')),
    }
    const pricingDate = date ?? this.clock.now.toISOString().slice(0, 10)
    const way = { ...input, pricingDate, organizationId: organizationId ?? null }
    const priced = await this.calculation.marginOf(way, charge, cost)
    return computedResult(MarginTestDto, {
      rule: priced?.marginRuleId ? await this.get(priced.marginRuleId) : null,
      ...{ cost: priced?.costAmountQuote ?? cost, sell: priced?.sellAmount ?? cost },
      bound: priced?.explanation.marginBound ?? null,
    })
  }

  /** Checks a rule, and answers the code of its organization. */
  private async checked(input: MarginRuleInput, before?: MarginRule): Promise<string | null> {
    const { marginType, value, minMarginAmount, maxMarginAmount, organizationId } = input
    if (marginType === MarginType.MarginPercent && exact(value).gte(100))
      throw new BusinessError(PricingErrors.MarginRuleInvalidPercent, { value })
    const faults = await ruleFaults(this.references, input, before)
    if (minMarginAmount && maxMarginAmount && exact(maxMarginAmount).lt(minMarginAmount))
      faults.push(faultOf('maxMarginAmount', 'Pricing:Validation:MaxBelowMin'))
    if (faults.length) throw new ValidationError(faults)
    await demandCurrency(this.references, input.currencyCode, before?.currencyCode)
    return organizationId ? (await this.organizations.demand(organizationId)).code : null
  }
}

/** The members that surcharges and margins share. */
interface Rule {
  readonly chargeCodeId?: string | null | undefined
  readonly originZoneId?: string | null | undefined
  readonly destinationZoneId?: string | null | undefined
  readonly validFrom: string
  readonly validTo?: string | null | undefined
  readonly minAmount?: string | null | undefined
  readonly maxAmount?: string | null | undefined
}

async function ruleFaults(
  references: ReferenceSets,
  rule: Rule,
  before: Pick<Rule, 'chargeCodeId'> | undefined,
): Promise<ValidationFault[]> {
  const { chargeCodeId, originZoneId, destinationZoneId, validFrom, validTo, minAmount, maxAmount } = rule
  const faults = await chargeCodeFaults(references, chargeCodeId, before?.chargeCodeId)
  const zones = await references.rows(RateZone, [originZoneId, destinationZoneId])
  if (originZoneId && !zones.has(originZoneId))
    faults.push(faultOf('originZoneId', 'Validation:NoSuchEntity'))
  if (destinationZoneId && !zones.has(destinationZoneId))
    faults.push(faultOf('destinationZoneId', 'Validation:NoSuchEntity'))
  if (validTo && validTo < validFrom) faults.push(faultOf('validTo', 'Pricing:Validation:EndsBeforeStart'))
  if (minAmount && maxAmount && exact(maxAmount).lt(minAmount))
    faults.push(faultOf('maxAmount', 'Pricing:Validation:MaxBelowMin'))
  return faults
}
