import { AutoApiController, computedResult } from '@keel/framework'
import { BusinessError, EntityNotFoundError, faultOf, ValidationError } from '@keel/framework/contracts'
import {
  CrudService,
  Databases,
  expectStamp,
  PageReader,
  ReferenceSets,
  RowRules,
  type Sql,
} from '@keel/framework/data'
import { hasPermission, RequiresPermission } from '@keel/framework/security'
import { ShipmentAppService } from '@keel/hub/contracts'
import {
  ChargeStatus,
  type CreateShipmentChargeDto,
  ExchangeRateType,
  type InvoiceDto,
  PricingErrors,
  type ProfitInput,
  ShipmentChargeAppService,
  type ShipmentChargeDto,
  type ShipmentChargeListInput,
  ShipmentChargePermissions,
  ShipmentProfitDto,
  type UpdateShipmentChargeDto,
} from '../contracts/index.js'
import { type Exact, exact, shareOf, sum } from '../domain/exact.js'
import { ShipmentCharge } from '../domain/quote.js'
import { ShipmentChargeStore } from '../persistence/stores.js'
import { AmountConversion } from './amount-conversion.js'
import { KnownOrganizations } from './known-organizations.js'
import { OpenCharges } from './open-charges.js'
import { chargeCodeFaults, demandCurrency } from './reference-rules.js'
import { chargeLocked } from './refusals.js'

@AutoApiController(ShipmentChargeAppService)
@RequiresPermission(ShipmentChargePermissions)
export class ShipmentChargeService extends CrudService(ShipmentChargeAppService, ShipmentCharge, {
  searchIn: ['shipmentReference', 'description', 'invoiceNumber'],
  defaultSorting: 'shipmentReference, creationTime',
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly charges: ShipmentChargeStore,
    private readonly shipments: ShipmentAppService,
    private readonly organizations: KnownOrganizations,
    private readonly references: ReferenceSets,
    private readonly conversion: AmountConversion,
    private readonly open: OpenCharges,
  ) {
    super(databases, rules, pages)
  }

  override listConditions(input: ShipmentChargeListInput | object): readonly Sql[] {
    const { shipmentId, status } = input as ShipmentChargeListInput
    return this.view.equal({ shipmentId, status })
  }

  override async create(input: CreateShipmentChargeDto): Promise<ShipmentChargeDto> {
    await this.check(input)
    const shipmentReference = await this.referenceOf(input.shipmentId)
    return this.open.within([input.shipmentId], () => super.create({ ...input, shipmentReference }))
  }

  override async update(id: string, input: UpdateShipmentChargeDto): Promise<ShipmentChargeDto> {
    const charge = await this.changeable(id, input)
    const { chargeCodeId, costAmount, costCurrencyCode, sellAmount, sellCurrencyCode } = charge
    const before = { chargeCodeId, costAmount, costCurrencyCode, sellAmount, sellCurrencyCode }
    await this.check({ ...before, ...defined(input) }, charge)
    const { concurrencyStamp: _, ...values } = input
    await this.charges.update(charge, values)
    return this.get(id)
  }

  override async delete(id: string): Promise<void> {
    const charge = await this.changeable(id, {})
    await this.open.within([charge.shipmentId], () => this.charges.remove(charge))
  }

  @RequiresPermission(ShipmentChargePermissions.Approve)
  async approve(ids: readonly string[]): Promise<void> {
    const charges: ShipmentCharge[] = []
    for (const id of new Set(ids)) {
      const charge = await this.unlocked(id, {})
      if (charge.status > ChargeStatus.Accrued) throw chargeLocked(charge)
      charges.push(charge)
    }
    const shipments = charges.map(({ shipmentId }) => shipmentId)
    await this.open.within(shipments, async () => {
      for (const charge of charges) await this.charges.update(charge, { status: ChargeStatus.Approved })
    })
  }

  @RequiresPermission(ShipmentChargePermissions.Approve)
  async markInvoiced(
    id: string,
    { invoiceNumber, invoiceDate, ...input }: InvoiceDto,
  ): Promise<ShipmentChargeDto> {
    const charge = await this.unlocked(id, input)
    if (charge.status !== ChargeStatus.Approved) throw chargeLocked(charge)
    await this.charges.update(charge, { invoiceNumber, invoiceDate, status: ChargeStatus.Invoiced })
    return this.get(id)
  }

  @RequiresPermission(ShipmentChargePermissions.ViewCost)
  async getProfit(shipmentId: string, input: ProfitInput): Promise<ShipmentProfitDto> {
    const currencyCode = input.currencyCode ?? (await this.conversion.pivotCurrency())
    const date = input.date ?? this.conversion.today
    const [digits = 2] = await this.conversion.minorUnitsOf([currencyCode])
    const { costs, prices } = amountsByCurrency(await this.charges.countedOf(shipmentId))
    const inCurrency = async (amounts: ReadonlyMap<string, Exact>): Promise<Exact> => {
      const converted = await Promise.all(
        [...amounts].map(([fromCurrencyCode, amount]) =>
          this.conversion.convert({
            ...{ amount: amount.toFixed(), fromCurrencyCode, toCurrencyCode: currencyCode, date },
            rateType: ExchangeRateType.Mid,
          }),
        ),
      )
      return sum(converted.map(({ amount }) => exact(amount)))
    }
    const [cost, sell] = await Promise.all([inCurrency(costs), inCurrency(prices)])
    const margin = sell.minus(cost)
    return computedResult(ShipmentProfitDto, {
      ...{ currencyCode, date, cost: cost.toFixed(digits), sell: sell.toFixed(digits) },
      margin: margin.toFixed(digits),
      percent: sell.isZero() ? null : shareOf(margin, sell).toFixed(2),
    })
  }

  /** The charge, which is still to be approved, or of a caller who could approve what it becomes. */
  private async changeable(id: string, input: object): Promise<ShipmentCharge> {
    const charge = await this.unlocked(id, input)
    if (charge.status === ChargeStatus.Approved && !hasPermission(ShipmentChargePermissions.Approve))
      throw chargeLocked(charge)
    return charge
  }

  /** The charge, which was not invoiced or cancelled. */
  private async unlocked(id: string, input: object): Promise<ShipmentCharge> {
    const charge = await this.charges.get(id)
    expectStamp(charge, input)
    if (charge.status >= ChargeStatus.Invoiced) throw chargeLocked(charge)
    return charge
  }

  private async check(input: UpdateShipmentChargeDto, before?: ShipmentCharge): Promise<void> {
    const { chargeCodeId, costCurrencyCode, sellCurrencyCode } = input
    const faults = await chargeCodeFaults(this.references, chargeCodeId, before?.chargeCodeId)
    if (faults.length) throw new ValidationError(faults)
    for (const of of ['sell', 'cost'] as const)
      if (input[`${of}Amount`] != null && !input[`${of}CurrencyCode`])
        throw new BusinessError(PricingErrors.ShipmentChargeCurrencyMissing, { member: `${of}CurrencyCode` })
    if (costCurrencyCode) await demandCurrency(this.references, costCurrencyCode, before?.costCurrencyCode)
    if (sellCurrencyCode) await demandCurrency(this.references, sellCurrencyCode, before?.sellCurrencyCode)
    for (const member of ['debtorOrganizationId', 'creditorOrganizationId'] as const) {
      const id = input[member]
      if (id) await this.organizations.demand(id, member)
    }
  }

  private async referenceOf(shipmentId: string): Promise<string> {
    try {
      return (await this.shipments.get(shipmentId)).shipmentReference
    } catch (error) {
      if (error instanceof EntityNotFoundError)
        throw new ValidationError([faultOf('shipmentId', 'Validation:NoSuchEntity')], { cause: error })
      throw error
    }
  }
}

/** The sums of costs and of prices, each by currency. */
function amountsByCurrency(charges: readonly ShipmentCharge[]) {
  const [costs, prices] = [new Map<string, Exact>(), new Map<string, Exact>()]
  const add = (sums: Map<string, Exact>, currency: string | null, amount: string | null) => {
    if (currency !== null && amount !== null)
      sums.set(currency, (sums.get(currency) ?? exact(0)).plus(amount))
  }
  for (const { costCurrencyCode, costAmount, sellCurrencyCode, sellAmount } of charges) {
    add(costs, costCurrencyCode, costAmount)
    add(prices, sellCurrencyCode, sellAmount)
  }
  return { costs, prices }
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}
