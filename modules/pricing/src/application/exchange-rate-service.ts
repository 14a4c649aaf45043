import { AutoApiController, Clock, jsonResult, Settings } from '@keel/framework'
import { BusinessError, faultOf, pageLimits, ValidationError } from '@keel/framework/contracts'
import {
  CrudService,
  Databases,
  type ImportedRow,
  Imports,
  type ImportTarget,
  PageReader,
  ReferenceSets,
  RowRules,
} from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  ConversionDto,
  type ConvertAmountDto,
  type CurrentRatesInput,
  ExchangeRateAppService,
  ExchangeRateDto,
  type ExchangeRateInput,
  ExchangeRatePermissions,
  ExchangeRateType,
  PricingErrors,
  PricingSettings,
} from '../contracts/index.js'
import { Currency } from '../domain/currency.js'
import { ExchangeRate } from '../domain/exchange-rate.js'
import { convertAmount, isCurrentRate } from '../persistence/exchange-rate-queries.js'
import { exchangeRateLines } from './exchange-rate-files.js'

@AutoApiController(ExchangeRateAppService)
@RequiresPermission(ExchangeRatePermissions)
export class ExchangeRateService extends CrudService(ExchangeRateAppService, ExchangeRate, {
  searchIn: ['fromCurrencyCode', 'toCurrencyCode'],
  defaultSorting: 'rateDate DESC',
  sheet: { fileName: 'exchange-rates' },
  imports: { key: ['fromCurrencyCode', 'toCurrencyCode', 'rateType', 'rateDate'] },
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    imports: Imports,
    private readonly references: ReferenceSets,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {
    super(databases, rules, pages, imports)
  }

  override get importTarget(): ImportTarget<ExchangeRate, ExchangeRateInput> {
    return {
      ...super.importTarget,
      linesOf: exchangeRateLines,
      inputOf: (values) => ({ ...values, rateType: values.rateType ?? ExchangeRateType.Mid }),
    }
  }

  override async prepareImport(rows: readonly ImportedRow<ExchangeRate, ExchangeRateInput>[]): Promise<void> {
    const codesOf = ({ input }: (typeof rows)[number]) => [input.fromCurrencyCode, input.toCurrencyCode]
    const currencies = await this.references.matching(Currency, 'code', [...new Set(rows.flatMap(codesOf))])
    for (const row of rows) {
      for (const member of ['fromCurrencyCode', 'toCurrencyCode'] as const) {
        const code = row.input[member]
        if (!currencies.idsBy('code', code).length)
          row.refuse(member, PricingErrors.CurrencyUnknown, { code })
      }
      if (row.input.fromCurrencyCode === row.input.toCurrencyCode)
        row.refuse('toCurrencyCode', 'Pricing:Validation:SameCurrency')
    }
  }

  override async create(input: ExchangeRateInput): Promise<ExchangeRateDto> {
    await this.checkCurrencies(input)
    return super.create(input)
  }

  override async update(id: string, input: ExchangeRateInput): Promise<ExchangeRateDto> {
    await this.checkCurrencies(input)
    return super.update(id, input)
  }

  @RequiresPermission(ExchangeRatePermissions.View)
  async getCurrent(input: CurrentRatesInput): Promise<ExchangeRateDto[]> {
    const { fromCurrencyCode, rateType, date } = input
    await this.minorUnitsOf([fromCurrencyCode])
    const days = { date: date ?? this.today, maxAgeDays: await this.maxAgeDays() }
    return this.pages.array(ExchangeRateDto, this.view, {
      conditions: [isCurrentRate(fromCurrencyCode, days), ...this.view.equal({ rateType })],
      maxResultCount: pageLimits.most,
      defaultSorting: 'toCurrencyCode, rateType',
    })
  }

  @RequiresPermission(ExchangeRatePermissions.View)
  async convert(input: ConvertAmountDto): Promise<ConversionDto> {
    const { amount, fromCurrencyCode, toCurrencyCode } = input
    const [, minorUnits = 0] = await this.minorUnitsOf([fromCurrencyCode, toCurrencyCode])
    const date = input.date ?? this.today
    const pivot = (await this.settings.valueOf(PricingSettings.PivotCurrency.name)) ?? ''
    const json = await convertAmount(this.store.database, {
      ...{ amount, from: fromCurrencyCode, to: toCurrencyCode, minorUnits, date, pivot },
      maxAgeDays: await this.maxAgeDays(),
      rateType: input.rateType ?? ExchangeRateType.Mid,
    })
    if (json === undefined)
      throw new BusinessError(PricingErrors.ExchangeRateNotFound, { fromCurrencyCode, toCurrencyCode, date })
    return jsonResult(ConversionDto, json)
  }

  private get today(): string {
    return this.clock.now.toISOString().slice(0, 10)
  }

  private async maxAgeDays(): Promise<number> {
    return Number(await this.settings.valueOf(PricingSettings.MaxRateAgeDays.name))
  }

  private async checkCurrencies({ fromCurrencyCode, toCurrencyCode }: ExchangeRateInput): Promise<void> {
    if (fromCurrencyCode === toCurrencyCode)
      throw new ValidationError([faultOf('toCurrencyCode', 'Pricing:Validation:SameCurrency')])
    await this.minorUnitsOf([fromCurrencyCode, toCurrencyCode])
  }

  /** The digits behind the point that currencies have. Refuses codes of no currency. */
  private async minorUnitsOf(codes: readonly string[]): Promise<number[]> {
    const currencies = await this.references.matching(Currency, 'code', codes)
    return codes.map((code) => {
      const [id] = currencies.idsBy('code', code)
      if (id === undefined) throw new BusinessError(PricingErrors.CurrencyUnknown, { code })
      return Number(currencies.value(id, 'minorUnits'))
    })
  }
}
