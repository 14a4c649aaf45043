import { AutoApiController } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { CrudService, type ImportTarget } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  CurrencyAppService,
  type CurrencyDto,
  type CurrencyInput,
  ExchangeRatePermissions,
  PricingErrors,
} from '../contracts/index.js'
import { Currency } from '../domain/currency.js'
import { isCurrencyUsed } from '../persistence/currency-queries.js'
import { currencyLines } from './currency-files.js'

@AutoApiController(CurrencyAppService)
@RequiresPermission(ExchangeRatePermissions)
export class CurrencyService extends CrudService(CurrencyAppService, Currency, {
  searchIn: ['code', 'name'],
  defaultSorting: 'code',
  sheet: { fileName: 'currencies' },
  imports: { key: 'code' },
}) {
  override get importTarget(): ImportTarget<Currency, CurrencyInput> {
    return { ...super.importTarget, linesOf: currencyLines }
  }

  /** A file finds currencies by their codes, and so changes none of these. */
  override async prepareImport(): Promise<void> {}

  override async update(id: string, input: CurrencyInput): Promise<CurrencyDto> {
    const row = await this.store.get(id)
    if (input.code !== row.code && (await isCurrencyUsed(this.store.database, row.code)))
      throw new BusinessError(PricingErrors.CurrencyInUse, { code: row.code })
    return super.update(id, input)
  }
}
