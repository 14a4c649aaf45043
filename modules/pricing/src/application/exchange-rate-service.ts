import { AutoApiController, jsonResult } from '@keel/framework'
import { faultOf, pageLimits, ValidationError } from '@keel/framework/contracts'
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
} from '../contracts/index.js'
import { Currency } from '../domain/currency.js'
import { ExchangeRate } from '../domain/exchange-rate.js'
import { isCurrentRate } from '../persistence/exchange-rate-queries.js'
import { AmountConversion } from './amount-conversion.js'
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
    private readonly conversion: AmountConversion,
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
    await this.conversion.minorUnitsOf([fromCurrencyCode])
    const days = { date: date ?? this.conversion.today, maxAgeDays: await this.conversion.maxAgeDays() }
    return this.pages.array(ExchangeRateDto, this.view, {
      conditions: [isCurrentRate(fromCurrencyCode, days), ...this.view.equal({ rateType })],
      maxResultCount: pageLimits.most,
      defaultSorting: 'toCurrencyCode, rateType',
    })
  }

  @RequiresPermission(ExchangeRatePermissions.View)
  async convert({ date, rateType, ...input }: ConvertAmountDto): Promise<ConversionDto> {
    const { json } = await this.conversion.convert({
      ...input,
      date: date ?? this.conversion.today,
      rateType: rateType ?? ExchangeRateType.Mid,
    })
    return jsonResult(ConversionDto, json)
  }

  private async checkCurrencies({ fromCurrencyCode, toCurrencyCode }: ExchangeRateInput): Promise<void> {
    if (fromCurrencyCode === toCurrencyCode)
      throw new ValidationError([faultOf('toCurrencyCode', 'Pricing:Validation:SameCurrency')])
    await this.conversion.minorUnitsOf([fromCurrencyCode, toCurrencyCode])
  }
}
