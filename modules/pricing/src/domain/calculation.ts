import {
  ChargeCondition,
  ChargeGroup,
  LanePointType,
  MarginType,
  RateBasis,
  RateCardType,
} from '../contracts/index.js'
import {
  airChargeableKg,
  type CargoLine,
  type CargoQuantities,
  quantitiesOf,
  revenueTons,
  roadChargeableKg,
  teuOf,
} from './cargo.js'
import { Conversions, type DatedRate, type FoundRate, type RateWay } from './conversion.js'
import { type Exact, exact, shareOf, sum } from './exact.js'

/** What is to be priced. */
export interface PriceRequest {
  readonly transportModeCode: string
  readonly containerModeCode: string
  /** ISO date. */
  readonly pricingDate: string
  readonly currencyCode: string
  readonly organizationId: string | null
  readonly isDangerousGoods: boolean
  readonly isTemperatureControlled: boolean
  /** True to price charges that the customer may leave out; totals never include them. */
  readonly includeOptional: boolean
  /** Only lanes of these carriers; all when empty. */
  readonly carrierCodes: readonly string[]
  /** A decimal in the currency of the request, for charges that are a percentage of it. */
  readonly goodsValue: string | null
  readonly cargo: readonly CargoLine[]
}

/** The word for a charge, and what it is for. */
export interface Charge {
  readonly chargeCodeId: string
  readonly chargeCode: string
  readonly chargeName: string
  readonly chargeGroup: ChargeGroup
}

/** A quantity break; decimals as text. */
export interface Break {
  readonly fromQuantity: string
  readonly amount: string
  readonly isFlat: boolean
}

/** A rate, of a lane or of a surcharge; decimals as text. */
export interface Rate extends Charge {
  readonly id: string
  readonly basis: RateBasis
  readonly containerTypeCode: string | null
  readonly currencyCode: string
  readonly amount: string | null
  readonly minAmount: string | null
  readonly maxAmount: string | null
  readonly appliesWhen: ChargeCondition
}

/** A charge on a lane. */
export interface Line extends Rate {
  readonly allowHigherBreak: boolean
  /** Ascending. */
  readonly breaks: readonly Break[]
}

/** A lane that leads from the origin to the destination, with its card. */
export interface Lane {
  readonly id: string
  readonly laneNumber: number
  readonly originType: LanePointType
  readonly destinationType: LanePointType
  readonly carrierCode: string | null
  readonly viaUnLocode: string | null
  readonly transitDays: number | null
  readonly cardId: string
  readonly cardReference: string
  readonly cardVersion: number
  readonly cardType: RateCardType
  readonly organizationId: string | null
  readonly priority: number
  readonly validFrom: string
  readonly validTo: string
  readonly volumetricDivisor: number
  readonly minimumRevenueTon: string
  readonly lines: readonly Line[]
}

/** A surcharge whose mode, zones and dates match. */
export interface Surcharge extends Rate {
  readonly containerModeCode: string | null
  readonly carrierCode: string | null
  readonly originZoneId: string | null
  readonly destinationZoneId: string | null
  readonly percentOfGroup: ChargeGroup | null
  readonly validFrom: string
  /** Of one that follows a fuel index. */
  readonly fuel: Fuel | null
}

/** A fuel index that an amount follows; `current` is null where it has no value up to the date. */
export interface Fuel {
  readonly code: string
  readonly current: string | null
  readonly base: string
  readonly step: string
  readonly amountPerStep: string
}

/** A margin whose organization, mode, zones and dates match. */
export interface Margin {
  readonly id: string
  readonly name: string
  readonly organizationId: string | null
  readonly transportModeCode: string | null
  readonly containerModeCode: string | null
  readonly chargeGroup: ChargeGroup | null
  readonly chargeCodeId: string | null
  readonly originZoneId: string | null
  readonly destinationZoneId: string | null
  readonly marginType: MarginType
  readonly value: string
  readonly minMarginAmount: string | null
  readonly maxMarginAmount: string | null
  readonly currencyCode: string
  readonly priority: number
}

/** Everything that a price is made of. */
export interface RateData {
  readonly lanes: readonly Lane[]
  readonly surcharges: readonly Surcharge[]
  readonly margins: readonly Margin[]
  readonly rates: readonly DatedRate[]
  /** Digits behind the point by currency. */
  readonly minorUnits: Readonly<Record<string, number>>
}

/** The settings of the calculation. */
export interface PriceSettings {
  readonly pivotCurrency: string
  /** True when a fuel index below its base lowers the price. */
  readonly allowNegativeFuel: boolean
  readonly validityDays: number
}

/** How a charge came about. Decimals are text. */
export interface Explanation {
  /** Reference and version of the card, number of the lane; null for a surcharge across cards. */
  readonly card: string | null
  readonly laneNumber: number | null
  /** The rate line, or the surcharge. */
  readonly rateId: string
  readonly basis: RateBasis
  readonly quantity: string
  /** The quantity that was paid, where a higher break was cheaper. */
  readonly paidQuantity: string
  /** The break that counted, from this quantity on. */
  readonly breakFrom: string | null
  readonly isFlat: boolean
  /** For one unit, or the percentage. */
  readonly unitAmount: string
  /** Which bound counted. */
  readonly bound: 'Minimum' | 'Maximum' | null
  /** Code of the fuel index, its value, and the steps above the base. */
  readonly fuelIndex: string | null
  readonly fuelValue: string | null
  readonly fuelSteps: string | null
  /** What a percentage was taken of, in the currency of the rate. */
  readonly percentOf: string | null
  /** The cost before it was rounded, in the currency of the rate. */
  readonly unrounded: string
  readonly exchangeRate: string
  readonly exchangeWay: RateWay
  readonly exchangeDate: string | null
  /** Name of the margin rule; null for none. */
  readonly marginRule: string | null
  readonly marginType: MarginType | null
  readonly marginValue: string | null
  readonly marginBound: 'Minimum' | 'Maximum' | null
  /** Reference and version of the selling card whose rate is the price. */
  readonly sellCard: string | null
}

/** A priced charge of an option. Decimals are text. */
export interface PricedCharge extends Charge {
  readonly containerTypeCode: string | null
  readonly basis: RateBasis
  readonly quantity: string
  readonly rateAmount: string | null
  readonly rateCurrencyCode: string
  /** In the currency of the rate; null where only a selling card is known. */
  readonly costAmount: string | null
  readonly exchangeRate: string
  /** In the currency of the request. */
  readonly costAmountQuote: string | null
  readonly sellAmount: string
  readonly marginRuleId: string | null
  readonly isOptional: boolean
  readonly explanation: Explanation
}

/** One way to carry the cargo, with its price. */
export interface PricedOption {
  readonly optionNumber: number
  readonly carrierCode: string | null
  readonly viaUnLocode: string | null
  readonly rateCardId: string
  readonly rateLaneId: string
  readonly transitDays: number | null
  readonly totalCost: string | null
  readonly totalSell: string
  readonly marginAmount: string | null
  readonly marginPercent: string | null
  /** The last day of the price. */
  readonly validUntil: string
  readonly isRecommended: boolean
  readonly charges: readonly PricedCharge[]
}

/** Why a price can't be calculated. */
export type PriceFault =
  | { readonly kind: 'NoRate'; readonly from: string; readonly to: string }
  | { readonly kind: 'NoFuelValue'; readonly code: string }
  | { readonly kind: 'NoGoodsValue'; readonly chargeCode: string }
  | { readonly kind: 'UnknownContainer'; readonly containerTypeCode: string }

/** Thrown when a price can't be calculated: a rate, a value or a quantity is missing. */
export class PriceError extends Error {
  constructor(readonly fault: PriceFault) {
    super(fault.kind)
  }
}

/** Most options of one request. */
export const mostOptions = 20

/**
 * Prices a request: pure, without a look at the world (domain model, section 7.2). One option for each carrier and way, the best first by price, transit time and number.
 * The order of lanes, surcharges and margins has no influence. No lane gives no option. Throws {@link PriceError}.
 */
export function calculatePrices(
  request: PriceRequest,
  data: RateData,
  settings: PriceSettings,
): PricedOption[] {
  const calculation = new Calculation(request, data, settings)
  const options = keptLanes(request, data.lanes).map((lane) => calculation.option(lane))
  const ranked = options.sort(byPrice).slice(0, mostOptions)
  return ranked.map((option, index) => ({ ...option, optionNumber: index + 1, isRecommended: index === 0 }))
}

/** The best lane of each carrier and way: of buying cards; of selling cards where there is none to buy. */
function keptLanes({ carrierCodes }: PriceRequest, lanes: readonly Lane[]): Lane[] {
  const allowed = lanes.filter(
    ({ carrierCode }) => !carrierCodes.length || carrierCodes.includes(carrierCode ?? ''),
  )
  const buying = allowed.filter(({ cardType }) => cardType === RateCardType.Buy)
  const kept = new Map<string, Lane>()
  for (const lane of [...(buying.length ? buying : allowed)].sort(byFitness)) {
    const key = `${lane.carrierCode ?? ''}|${lane.viaUnLocode ?? ''}`
    if (!kept.has(key)) kept.set(key, lane)
  }
  return [...kept.values()]
}

/** 10 for a point of the origin, 1 for one of the destination: a port has 3, a zone 2, a country 1. */
function specificityOf({ originType, destinationType }: Lane): number {
  return 10 * (LanePointType.Any - originType) + (LanePointType.Any - destinationType)
}

function byFitness(one: Lane, other: Lane): number {
  return (
    specificityOf(other) - specificityOf(one) ||
    one.priority - other.priority ||
    compare(other.validFrom, one.validFrom) ||
    compare(one.id, other.id)
  )
}

function byPrice(one: PricedOption, other: PricedOption): number {
  return (
    exact(one.totalSell).comparedTo(other.totalSell) ||
    (one.transitDays ?? 1000) - (other.transitDays ?? 1000) ||
    compare(one.rateLaneId, other.rateLaneId)
  )
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** Rates with a single charge that costs a flat amount in the currency of the request, whatever its quantity; margins and exchange rates stay. */
export function costOnly(data: RateData, request: PriceRequest, charge: Charge, cost: string): RateData {
  const { pricingDate, currencyCode } = request
  const line: Line = {
    ...{
      ...charge,
      id: '',
      basis: RateBasis.PerPackage,
      containerTypeCode: null,
      currencyCode,
      amount: null,
    },
    ...{ minAmount: null, maxAmount: null, appliesWhen: ChargeCondition.Always, allowHigherBreak: false },
    breaks: [{ fromQuantity: '0', amount: cost, isFlat: true }],
  }
  const lane: Lane = {
    ...{ id: '', laneNumber: 1, originType: LanePointType.Any, destinationType: LanePointType.Any },
    ...{
      carrierCode: null,
      viaUnLocode: null,
      transitDays: null,
      cardId: '',
      cardReference: '',
      cardVersion: 1,
    },
    ...{ cardType: RateCardType.Buy, organizationId: null, priority: 0, validFrom: pricingDate },
    ...{ validTo: pricingDate, volumetricDivisor: 6000, minimumRevenueTon: '0', lines: [line] },
  }
  return { ...data, lanes: [lane], surcharges: [] }
}

/** The cost of a rate before conversion and margin. */
interface Cost {
  readonly rate: Rate
  readonly lane: Lane | undefined
  readonly quantity: Exact
  readonly paidQuantity: Exact
  readonly breakFrom: string | null
  readonly isFlat: boolean
  readonly unit: Exact
  readonly bound: 'Minimum' | 'Maximum' | null
  readonly fuel: { readonly code: string; readonly value: string; readonly steps: Exact } | undefined
  readonly percentOf: Exact | undefined
  readonly unrounded: Exact
  readonly amount: Exact
}

/** The pricing of one request. */
class Calculation {
  private readonly cargo: CargoQuantities
  private readonly conversions: Conversions

  constructor(
    private readonly request: PriceRequest,
    private readonly data: RateData,
    private readonly settings: PriceSettings,
  ) {
    this.cargo = quantitiesOf(request.cargo)
    this.conversions = new Conversions(data.rates, settings.pivotCurrency)
  }

  option(lane: Lane): PricedOption {
    const isSelling = lane.cardType === RateCardType.Sell
    const costs = this.costsOf(lane)
    const sellLane = isSelling ? lane : this.sellLaneFor(lane)
    const prices = sellLane && !isSelling ? this.pricesOf(sellLane, costs) : new Map<Cost, Exact>()
    const charges = costs.map((cost) => this.charge(cost, isSelling, prices.get(cost), sellLane))
    const counted = charges.filter(({ isOptional }) => !isOptional)
    const totalSell = sum(counted.map(({ sellAmount }) => exact(sellAmount)))
    const totalCost = isSelling
      ? undefined
      : sum(counted.map(({ costAmountQuote }) => exact(costAmountQuote ?? 0)))
    const margin = totalCost && totalSell.minus(totalCost)
    const digits = this.digitsOf(this.request.currencyCode)
    return {
      optionNumber: 0,
      carrierCode: lane.carrierCode,
      viaUnLocode: lane.viaUnLocode,
      rateCardId: lane.cardId,
      rateLaneId: lane.id,
      transitDays: lane.transitDays,
      totalCost: totalCost?.toFixed(digits) ?? null,
      totalSell: totalSell.toFixed(digits),
      marginAmount: margin?.toFixed(digits) ?? null,
      marginPercent: margin ? shareOf(margin, totalSell).toFixed(2) : null,
      validUntil:
        [lane.validTo, dayAfter(this.request.pricingDate, this.settings.validityDays)].sort()[0] ??
        lane.validTo,
      isRecommended: false,
      charges,
    }
  }

  /** The costs of a lane and of the surcharges that go with it; percentages of groups last. */
  private costsOf(lane: Lane): Cost[] {
    const lines = lane.lines.filter((line) => this.applies(line) && this.hasQuantity(line))
    const surcharges = lane.cardType === RateCardType.Sell ? [] : this.surchargesFor(lane, lines)
    const rates: readonly (Line | Surcharge)[] = [...lines, ...surcharges]
    const plain = rates
      .filter(({ basis }) => basis !== RateBasis.PercentOfGroup)
      .map((rate) => this.cost(rate, lane))
    const percents = rates
      .filter(({ basis }) => basis === RateBasis.PercentOfGroup)
      .map((rate) => this.percentCost(rate, lane, plain))
    return [...plain, ...percents].sort(
      (one, other) =>
        one.rate.chargeGroup - other.rate.chargeGroup ||
        compare(one.rate.chargeCode, other.rate.chargeCode) ||
        compare(other.rate.containerTypeCode ?? '', one.rate.containerTypeCode ?? '') ||
        one.rate.appliesWhen - other.rate.appliesWhen,
    )
  }

  private applies({ appliesWhen }: Rate): boolean {
    const { isDangerousGoods, isTemperatureControlled, includeOptional } = this.request
    if (appliesWhen === ChargeCondition.DangerousGoods) return isDangerousGoods
    if (appliesWhen === ChargeCondition.TemperatureControlled) return isTemperatureControlled
    return appliesWhen === ChargeCondition.Always || includeOptional
  }

  /** False for a rate of a container type that the cargo has none of. */
  private hasQuantity({ containerTypeCode }: Rate): boolean {
    return containerTypeCode === null || this.cargo.containers.has(containerTypeCode)
  }

  /**
   * The most specific surcharge of each charge code that the lane itself has no line of. An optional line or surcharge takes the place of no other one: totals
   * are the same with optional charges and without them.
   */
  private surchargesFor(lane: Lane, lines: readonly Line[]): Surcharge[] {
    const matching = this.data.surcharges
      .filter(
        (rule) =>
          this.applies(rule) &&
          (rule.carrierCode === null || rule.carrierCode === lane.carrierCode) &&
          (rule.containerModeCode === null || rule.containerModeCode === this.request.containerModeCode),
      )
      .sort(bySpecificity)
    const best = new Map<string, Surcharge>()
    for (const those of [isMandatory, isOptional]) {
      const kept = those === isOptional ? lines : lines.filter(isMandatory)
      const codes = new Set(kept.map(({ chargeCodeId }) => chargeCodeId))
      for (const rule of matching.filter(those))
        if (!codes.has(rule.chargeCodeId) && !best.has(rule.chargeCodeId)) best.set(rule.chargeCodeId, rule)
    }
    return [...best.values()]
  }

  private cost(rate: Line | Surcharge, lane: Lane): Cost {
    const quantity = this.quantityOf(rate, lane)
    const fuel = 'fuel' in rate && rate.fuel ? this.fuelOf(rate.fuel) : undefined
    return this.bounded({
      ...{ rate, lane: 'breaks' in rate ? lane : undefined, quantity },
      ...{ fuel: fuel && { code: fuel.code, value: fuel.value, steps: fuel.steps } },
      percentOf: rate.basis === RateBasis.PercentOfValue ? quantity : undefined,
      ...pricedBy(rate, quantity, fuel?.steps.times(fuel.amountPerStep)),
    })
  }

  /** A percentage of the costs in a group, without other percentages. */
  private percentCost(rate: Line | Surcharge, lane: Lane, costs: readonly Cost[]): Cost {
    const group = 'percentOfGroup' in rate ? (rate.percentOfGroup ?? ChargeGroup.Freight) : rate.chargeGroup
    const base = sum(
      costs
        .filter((cost) => cost.rate.chargeGroup === group && isMandatory(cost.rate))
        .map(({ amount, rate: { currencyCode } }) =>
          amount.times(this.rateBetween(currencyCode, rate.currencyCode).rate),
        ),
    )
    return this.bounded({
      ...{ rate, lane: 'breaks' in rate ? lane : undefined, fuel: undefined, percentOf: base },
      ...pricedBy(rate, base),
      ...{ quantity: exact(1), paidQuantity: exact(1) },
    })
  }

  /** Minimum, maximum, and rounding to the digits of the currency. */
  private bounded(cost: Omit<Cost, 'bound' | 'amount'>): Cost {
    const { minAmount, maxAmount, currencyCode } = cost.rate
    let [value, bound] = [cost.unrounded, null as Cost['bound']]
    if (minAmount !== null && value.lt(minAmount)) [value, bound] = [exact(minAmount), 'Minimum']
    if (maxAmount !== null && value.gt(maxAmount)) [value, bound] = [exact(maxAmount), 'Maximum']
    return { ...cost, bound, amount: value.decimalPlaces(this.digitsOf(currencyCode)) }
  }

  private quantityOf({ basis, containerTypeCode, chargeCode, currencyCode }: Rate, lane: Lane): Exact {
    const { cargo, request } = this
    switch (basis) {
      case RateBasis.PerContainer:
        return containerTypeCode
          ? (cargo.containers.get(containerTypeCode) ?? exact(0))
          : sum([...cargo.containers.values()])
      case RateBasis.PerTeu:
        return sum(
          [...cargo.containers]
            .filter(([type]) => containerTypeCode === null || type === containerTypeCode)
            .map(([type, count]) => count.times(demandTeu(type))),
        )
      case RateBasis.PerRevenueTon:
        return revenueTons(cargo, exact(lane.minimumRevenueTon))
      case RateBasis.PerChargeableKg:
        return this.chargeableKg(lane)
      case RateBasis.PerGrossKg:
        return cargo.grossKg
      case RateBasis.PerCubicMetre:
        return cargo.volumeM3
      case RateBasis.PerPackage:
        return cargo.packages
      case RateBasis.PercentOfValue: {
        if (request.goodsValue === null) throw new PriceError({ kind: 'NoGoodsValue', chargeCode })
        return exact(request.goodsValue).times(this.rateBetween(request.currencyCode, currencyCode).rate)
      }
      default:
        return exact(1)
    }
  }

  private chargeableKg({ volumetricDivisor }: Lane): Exact {
    const { transportModeCode } = this.request
    if (transportModeCode === 'Air') return airChargeableKg(this.cargo, volumetricDivisor)
    if (transportModeCode === 'Courier') return airChargeableKg(this.cargo, Math.min(volumetricDivisor, 5000))
    if (transportModeCode === 'Road') return roadChargeableKg(this.cargo)
    return this.cargo.grossKg
  }

  /** The full steps of an index above its base. */
  private fuelOf({ code, current, base, step, amountPerStep }: Fuel) {
    if (current === null) throw new PriceError({ kind: 'NoFuelValue', code })
    const steps = exact(current).minus(base).div(step).integerValue(roundDown)
    const counted = steps.lt(0) && !this.settings.allowNegativeFuel ? exact(0) : steps
    return { code, value: current, steps: counted, amountPerStep: exact(amountPerStep) }
  }

  private charge(
    cost: Cost,
    isSelling: boolean,
    price: Exact | undefined,
    sellLane: Lane | undefined,
  ): PricedCharge {
    const { rate, quantity } = cost
    const { currencyCode } = this.request
    const exchange = this.rateBetween(rate.currencyCode, currencyCode)
    const costQuote = this.rounded(cost.amount.times(exchange.rate))
    const margin = price || isSelling ? undefined : this.marginOf(cost, costQuote)
    const sell = price ?? (margin ? margin.sell : costQuote)
    const digits = this.digitsOf(currencyCode)
    const ownDigits = this.digitsOf(rate.currencyCode)
    const { chargeCodeId, chargeCode, chargeName, chargeGroup, containerTypeCode, basis } = rate
    return {
      ...{ chargeCodeId, chargeCode, chargeName, chargeGroup, containerTypeCode, basis },
      quantity: quantity.decimalPlaces(3).toFixed(),
      rateAmount: cost.unit.decimalPlaces(4).toFixed(),
      rateCurrencyCode: rate.currencyCode,
      costAmount: isSelling ? null : cost.amount.toFixed(ownDigits),
      exchangeRate: exchange.rate.toFixed(),
      costAmountQuote: isSelling ? null : costQuote.toFixed(digits),
      sellAmount: sell.toFixed(digits),
      marginRuleId: margin?.rule.id ?? null,
      isOptional: isOptional(rate),
      explanation: {
        ...explainedCost(cost),
        ...{ exchangeRate: exchange.rate.toFixed(), exchangeWay: exchange.way, exchangeDate: exchange.date },
        marginRule: margin?.rule.name ?? null,
        marginType: margin?.rule.marginType ?? null,
        marginValue: margin?.rule.value ?? null,
        marginBound: margin?.bound ?? null,
        sellCard: (price || isSelling) && sellLane ? cardOf(sellLane) : null,
      },
    }
  }

  /** The selling price of a cost by the most specific margin rule. */
  private marginOf({ rate, quantity }: Cost, cost: Exact) {
    const rule = this.data.margins
      .filter((one) => this.marginMatches(one, rate))
      .sort(
        (one, other) =>
          weightOf(other) - weightOf(one) || one.priority - other.priority || compare(one.id, other.id),
      )[0]
    if (!rule) return undefined
    const toQuote = (amount: string | Exact) =>
      exact(amount).times(this.rateBetween(rule.currencyCode, this.request.currencyCode).rate)
    let margin = marginBy(rule, cost, quantity, toQuote)
    let bound: 'Minimum' | 'Maximum' | null = null
    if (rule.minMarginAmount !== null && margin.lt(toQuote(rule.minMarginAmount)))
      [margin, bound] = [toQuote(rule.minMarginAmount), 'Minimum']
    if (rule.maxMarginAmount !== null && margin.gt(toQuote(rule.maxMarginAmount)))
      [margin, bound] = [toQuote(rule.maxMarginAmount), 'Maximum']
    return { rule, bound, sell: this.rounded(cost.plus(margin)) }
  }

  private marginMatches(rule: Margin, { chargeCodeId, chargeGroup }: Rate): boolean {
    const { organizationId, transportModeCode, containerModeCode } = this.request
    return (
      isNullOr(rule.organizationId, organizationId) &&
      isNullOr(rule.transportModeCode, transportModeCode) &&
      isNullOr(rule.containerModeCode, containerModeCode) &&
      isNullOr(rule.chargeGroup, chargeGroup) &&
      isNullOr(rule.chargeCodeId, chargeCodeId)
    )
  }

  /** The selling card that sets prices of an option: the customer's own before a public one. */
  private sellLaneFor({ carrierCode, viaUnLocode }: Lane): Lane | undefined {
    return this.data.lanes
      .filter(
        (lane) =>
          lane.cardType === RateCardType.Sell &&
          isNullOr(lane.carrierCode, carrierCode) &&
          isNullOr(lane.viaUnLocode, viaUnLocode),
      )
      .sort(
        (one, other) =>
          Number(one.organizationId === null) - Number(other.organizationId === null) ||
          byFitness(one, other),
      )[0]
  }

  /**
   * The prices that a selling lane sets, by the costs of an option: together those of a charge code cost what the selling lane asks for it. Optional charges have
   * the prices of optional lines, where there are some.
   */
  private pricesOf(lane: Lane, costs: readonly Cost[]): Map<Cost, Exact> {
    const prices = new Map<Cost, Exact>()
    const selling = this.costsOf({ ...lane, cardType: RateCardType.Sell })
    for (const code of new Set(selling.map(({ rate }) => rate.chargeCodeId))) {
      const sold = selling.filter(({ rate }) => rate.chargeCodeId === code)
      const bought = costs.filter(({ rate }) => rate.chargeCodeId === code)
      const mandatory = sold.filter(({ rate }) => isMandatory(rate))
      const optional = sold.filter(({ rate }) => isOptional(rate))
      this.share(
        mandatory,
        bought.filter(({ rate }) => isMandatory(rate)),
        prices,
      )
      this.share(
        optional.length ? optional : mandatory,
        bought.filter(({ rate }) => isOptional(rate)),
        prices,
      )
    }
    return prices
  }

  /**
   * Gives what is sold as prices to what is bought, by container type. Where the types are others, the first one has the whole price; further ones of a type
   * have zero.
   */
  private share(sold: readonly Cost[], bought: readonly Cost[], prices: Map<Cost, Exact>): void {
    if (!sold.length) return
    const types = new Set(bought.map(({ rate }) => rate.containerTypeCode))
    const open = new Map<string | null, Exact>()
    for (const cost of sold) {
      const { containerTypeCode: type } = cost.rate
      open.set(type, (open.get(type) ?? exact(0)).plus(this.inQuote(cost)))
    }
    const isByType = types.size === open.size && [...types].every((type) => open.has(type))
    const [first] = types
    if (!isByType && first !== undefined) {
      const whole = sum([...open.values()])
      open.clear()
      open.set(first, whole)
    }
    for (const cost of bought) {
      const { containerTypeCode: type } = cost.rate
      prices.set(cost, open.get(type) ?? exact(0))
      open.delete(type)
    }
  }

  private inQuote({ amount, rate }: Cost): Exact {
    return this.rounded(amount.times(this.rateBetween(rate.currencyCode, this.request.currencyCode).rate))
  }

  private rateBetween(from: string, to: string): FoundRate {
    const found = this.conversions.find(from, to)
    if (!found) throw new PriceError({ kind: 'NoRate', from, to })
    return found
  }

  /** Rounds half away from zero to the digits of the currency of the request. */
  private rounded(amount: Exact): Exact {
    return amount.decimalPlaces(this.digitsOf(this.request.currencyCode))
  }

  private digitsOf(currency: string): number {
    return this.data.minorUnits[currency] ?? 2
  }
}

/** BigNumber.ROUND_FLOOR */
const roundDown = 3

interface Priced {
  readonly paidQuantity: Exact
  readonly breakFrom: string | null
  readonly isFlat: boolean
  readonly unit: Exact
  readonly unrounded: Exact
}

/** The amount for a quantity, or for that of which a rate is a percentage: by the breaks of a rate, else by an amount for one unit. */
function pricedBy(rate: Line | Surcharge, quantity: Exact, unit = exact(rate.amount ?? 0)): Priced {
  if ('breaks' in rate && rate.breaks.length) return byBreaks(rate, quantity)
  const unrounded = amountFor(rate, unit, quantity)
  return { unit, unrounded, paidQuantity: quantity, breakFrom: null, isFlat: false }
}

function amountFor({ basis }: Rate, unit: Exact, quantity: Exact): Exact {
  const isPercentage = basis === RateBasis.PercentOfValue || basis === RateBasis.PercentOfGroup
  return isPercentage ? unit.times(quantity).div(100) : unit.times(quantity)
}

/**
 * The break with the greatest quantity that is reached counts for the whole quantity; where that is allowed, the quantity of a higher break is paid when
 * it is cheaper. A quantity below all breaks takes the first one.
 */
function byBreaks(rate: Line, quantity: Exact): Priced {
  const ascending = [...rate.breaks].sort(
    (one, other) => exact(one.fromQuantity).comparedTo(other.fromQuantity) ?? 0,
  )
  const reached = ascending.findLastIndex(({ fromQuantity }) => quantity.gte(fromQuantity))
  const candidates = ascending.slice(
    Math.max(reached, 0),
    rate.allowHigherBreak ? undefined : Math.max(reached, 0) + 1,
  )
  const priced = candidates.map((one) => {
    const paidQuantity = quantity.gte(one.fromQuantity) ? quantity : exact(one.fromQuantity)
    const unit = exact(one.amount)
    const unrounded = one.isFlat ? unit : amountFor(rate, unit, paidQuantity)
    return { unit, unrounded, paidQuantity, breakFrom: one.fromQuantity, isFlat: one.isFlat }
  })
  return priced.reduce((best, one) => (one.unrounded.lt(best.unrounded) ? one : best))
}

const isOptional = ({ appliesWhen }: Rate): boolean => appliesWhen === ChargeCondition.Optional
const isMandatory = (rate: Rate): boolean => !isOptional(rate)

function demandTeu(containerTypeCode: string): Exact {
  const teu = teuOf(containerTypeCode)
  if (!teu) throw new PriceError({ kind: 'UnknownContainer', containerTypeCode })
  return teu
}

function marginBy(rule: Margin, cost: Exact, quantity: Exact, toQuote: (amount: string) => Exact): Exact {
  const value = exact(rule.value)
  switch (rule.marginType) {
    case MarginType.MarkupPercent:
      return cost.times(value).div(100)
    case MarginType.MarginPercent:
      return cost.div(exact(1).minus(value.div(100))).minus(cost)
    case MarginType.FixedPerUnit:
      return toQuote(rule.value).times(quantity)
    default:
      return toQuote(rule.value)
  }
}

/** How specific a margin is: a charge code counts 4, an organization 3, a zone 2, anything else 1. */
function weightOf(rule: Margin): number {
  const filled = (value: unknown) => Number(value !== null)
  return (
    4 * filled(rule.chargeCodeId) +
    3 * filled(rule.organizationId) +
    2 * (filled(rule.originZoneId) + filled(rule.destinationZoneId)) +
    filled(rule.chargeGroup) +
    filled(rule.transportModeCode) +
    filled(rule.containerModeCode)
  )
}

function bySpecificity(one: Surcharge, other: Surcharge): number {
  const weight = ({ carrierCode, originZoneId, destinationZoneId, containerModeCode }: Surcharge) =>
    8 * Number(carrierCode !== null) +
    2 * (Number(originZoneId !== null) + Number(destinationZoneId !== null)) +
    Number(containerModeCode !== null)
  return weight(other) - weight(one) || compare(other.validFrom, one.validFrom) || compare(one.id, other.id)
}

function explainedCost({ rate, lane, fuel, percentOf: base, ...cost }: Cost) {
  return {
    card: lane ? cardOf(lane) : null,
    laneNumber: lane?.laneNumber ?? null,
    rateId: rate.id,
    basis: rate.basis,
    quantity: cost.quantity.toFixed(),
    paidQuantity: cost.paidQuantity.toFixed(),
    breakFrom: cost.breakFrom,
    isFlat: cost.isFlat,
    unitAmount: cost.unit.toFixed(),
    bound: cost.bound,
    fuelIndex: fuel?.code ?? null,
    fuelValue: fuel?.value ?? null,
    fuelSteps: fuel?.steps.toFixed() ?? null,
    percentOf: base?.toFixed() ?? null,
    unrounded: cost.unrounded.toFixed(),
  }
}

const cardOf = ({ cardReference, cardVersion }: Lane): string => `${cardReference}/${cardVersion}`

function isNullOr<T>(column: T | null, value: T | null): boolean {
  return column === null || column === value
}

function dayAfter(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}
