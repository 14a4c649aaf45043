import { AutoApiController } from '@keel/framework'
import { BusinessError, faultOf, ValidationError } from '@keel/framework/contracts'
import { CrudService, Databases, PageReader, ReferenceSets, RowRules } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  ExchangeRateAppService,
  type ExchangeRateDto,
  type ExchangeRateInput,
  ExchangeRatePermissions,
  PricingErrors,
} from '../contracts/index.js'
import { Currency } from '../domain/currency.js'
import { ExchangeRate } from '../domain/exchange-rate.js'

@AutoApiController(ExchangeRateAppService)
@RequiresPermission(ExchangeRatePermissions)
export class ExchangeRateService extends CrudService(ExchangeRateAppService, ExchangeRate, {
  searchIn: ['fromCurrencyCode', 'toCurrencyCode'],
  defaultSorting: 'rateDate DESC',
}) {
  constructor(
    databases: Databases,
    rules: RowRules,
    pages: PageReader,
    private readonly references: ReferenceSets,
  ) {
    super(databases, rules, pages)
  }

  override async create(input: ExchangeRateInput): Promise<ExchangeRateDto> {
    await this.checkCurrencies(input)
    return super.create(input)
  }

  override async update(id: string, input: ExchangeRateInput): Promise<ExchangeRateDto> {
    await this.checkCurrencies(input)
    return super.update(id, input)
  }

  private async checkCurrencies({ fromCurrencyCode, toCurrencyCode }: ExchangeRateInput): Promise<void> {
    if (fromCurrencyCode === toCurrencyCode)
      throw new ValidationError([faultOf('toCurrencyCode', 'Pricing:Validation:SameCurrency')])
    const currencies = await this.references.matching(Currency, 'code', [fromCurrencyCode, toCurrencyCode])
    for (const code of [fromCurrencyCode, toCurrencyCode]) {
      if (!currencies.idsBy('code', code).length)
        throw new BusinessError(PricingErrors.CurrencyUnknown, { code })
    }
  }
}
