import { Injectable, Settings } from '@keel/framework'
import { BusinessError, faultOf, ValidationError, type ValidationFault } from '@keel/framework/contracts'
import { type Database, Databases } from '@keel/framework/data'
import { PricingErrors, PricingSettings } from '../contracts/index.js'
import {
  type Charge,
  calculatePrices,
  costOnly,
  type PricedCharge,
  type PricedOption,
  PriceError,
  type PriceFault,
  type PriceRequest,
  type RateData,
} from '../domain/calculation.js'
import { type CargoLine, hasVolume, teuOf } from '../domain/cargo.js'
import { RateCard } from '../domain/rate-card.js'
import { type RateQuestion, rateCandidates } from '../persistence/rate-candidates.js'

/** A request with the way that the cargo takes. */
export interface PricedRequest
  extends PriceRequest,
    Pick<RateQuestion, 'originUnLocode' | 'destinationUnLocode' | 'cargoReadyDate' | 'buying'> {}

/** The way, the day and the currency of a charge whose margin is looked for. */
export interface MarginQuestion
  extends Pick<
    PricedRequest,
    | 'transportModeCode'
    | 'containerModeCode'
    | 'originUnLocode'
    | 'destinationUnLocode'
    | 'organizationId'
    | 'pricingDate'
    | 'currencyCode'
  > {
  readonly quantity: number
}

/** Prices requests by the rates of the database: one statement fetches them, the rest is {@link calculatePrices}. */
@Injectable()
export class PriceCalculation {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly settings: Settings,
  ) {
    this.database = databases.of(RateCard)
  }

  /** The options of a request, the best one first; at least one. Throws what is missing. */
  async optionsOf(request: PricedRequest): Promise<PricedOption[]> {
    demandCargo(request)
    const options = await this.calculate(request)
    const {
      originUnLocode: origin,
      destinationUnLocode: destination,
      transportModeCode: mode,
      pricingDate: date,
    } = request
    if (!options.length)
      throw new BusinessError(PricingErrors.QuoteNoRateFound, { origin, destination, mode, date })
    return options
  }

  /** The price that margin rules make of the cost of a charge. Throws what is missing. */
  async marginOf(way: MarginQuestion, charge: Charge, cost: string): Promise<PricedCharge | undefined> {
    const request = {
      ...{ ...way, cargoReadyDate: null, goodsValue: null, includeOptional: false, carrierCodes: [] },
      ...{ isDangerousGoods: false, isTemperatureControlled: false, buying: true },
      cargo: [{ quantity: way.quantity, grossWeightKg: 0, volumeM3: 0 }],
    }
    const [option] = await this.calculate(request, (data) => costOnly(data, request, charge, cost))
    return option?.charges[0]
  }

  /** Prices a request by the rates of the database, or by what is made of them. */
  private async calculate(
    request: PricedRequest,
    changed: (data: RateData) => RateData = (data) => data,
  ): Promise<PricedOption[]> {
    const pivotCurrency = (await this.settings.valueOf(PricingSettings.PivotCurrency.name)) ?? ''
    const number = async (name: string) => Number(await this.settings.valueOf(name))
    const data = await rateCandidates(this.database, {
      ...request,
      pivotCurrency,
      maxRateAgeDays: await number(PricingSettings.MaxRateAgeDays.name),
    })
    if (!(request.currencyCode in data.minorUnits))
      throw new BusinessError(PricingErrors.CurrencyUnknown, { code: request.currencyCode })
    return this.priced(request, changed(data), {
      pivotCurrency,
      validityDays: await number(PricingSettings.QuoteValidityDays.name),
      allowNegativeFuel: (await this.settings.valueOf(PricingSettings.AllowNegativeFuel.name)) === 'true',
    })
  }

  private priced(...[request, data, settings]: Parameters<typeof calculatePrices>): PricedOption[] {
    try {
      return calculatePrices(request, data, settings)
    } catch (error) {
      if (error instanceof PriceError) throw refusalOf(error.fault, request, error)
      throw error
    }
  }
}

function refusalOf(fault: PriceFault, { pricingDate: date }: PriceRequest, cause: Error): BusinessError {
  const options = { cause }
  switch (fault.kind) {
    case 'NoRate': {
      const data = { fromCurrencyCode: fault.from, toCurrencyCode: fault.to, date }
      return new BusinessError(PricingErrors.ExchangeRateNotFound, data, options)
    }
    case 'NoFuelValue':
      return new BusinessError(PricingErrors.FuelIndexValueMissing, { code: fault.code, date }, options)
    case 'NoGoodsValue':
      return new BusinessError(PricingErrors.QuoteNoGoodsValue, { chargeCode: fault.chargeCode }, options)
    default: {
      const { containerTypeCode: code } = fault
      return new BusinessError(PricingErrors.ContainerTypeUnknown, { code }, options)
    }
  }
}

/** Full containers have a type; loose cargo has a volume, except where all of it is by the container (domain model, sections 2.5 and 7.2). */
export function demandCargo({
  containerModeCode,
  cargo,
}: Pick<PricedRequest, 'containerModeCode' | 'cargo'>): void {
  if (!cargo.length) throw new BusinessError(PricingErrors.QuoteNoCargo)
  const faults = cargo.flatMap((line, index) => cargoFaults(line, `cargoLines[${index}]`, containerModeCode))
  if (faults.length) throw new ValidationError(faults)
}

function cargoFaults(line: CargoLine, place: string, containerModeCode: string): ValidationFault[] {
  const { containerTypeCode } = line
  if (containerTypeCode && !teuOf(containerTypeCode))
    return [faultOf(`${place}.containerTypeCode`, 'Pricing:Validation:UnknownContainerType')]
  if (containerModeCode === 'FCL' && !containerTypeCode)
    return [faultOf(`${place}.containerTypeCode`, 'Validation:Required')]
  if (!containerTypeCode && !hasVolume(line))
    return [faultOf(`${place}.volumeM3`, 'Pricing:Validation:NoVolume')]
  return []
}
