import { AutoApiController } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { CrudService } from '@keel/framework/data'
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

@AutoApiController(CurrencyAppService)
@RequiresPermission(ExchangeRatePermissions)
export class CurrencyService extends CrudService(CurrencyAppService, Currency, {
  searchIn: ['code', 'name'],
  defaultSorting: 'code',
}) {
  override async update(id: string, input: CurrencyInput): Promise<CurrencyDto> {
    const row = await this.store.get(id)
    if (input.code !== row.code && (await isCurrencyUsed(this.store.database, row.code)))
      throw new BusinessError(PricingErrors.CurrencyInUse, { code: row.code })
    return super.update(id, input)
  }
}
