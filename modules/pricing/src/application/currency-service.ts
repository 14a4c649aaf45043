import { AutoApiController } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { CrudService, sql } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  CurrencyAppService,
  type CurrencyDto,
  type CurrencyInput,
  ExchangeRatePermissions,
  PricingErrors,
} from '../contracts/index.js'
import { Currency } from '../domain/currency.js'

@AutoApiController(CurrencyAppService)
@RequiresPermission(ExchangeRatePermissions)
export class CurrencyService extends CrudService(CurrencyAppService, Currency, {
  searchIn: ['code', 'name'],
  defaultSorting: 'code',
}) {
  override async update(id: string, input: CurrencyInput): Promise<CurrencyDto> {
    const row = await this.store.get(id)
    if (input.code !== row.code && (await this.isUsed(row.code)))
      throw new BusinessError(PricingErrors.CurrencyInUse, { code: row.code })
    return super.update(id, input)
  }

  private async isUsed(code: string): Promise<boolean> {
    const [found] = await this.store.database.query<{ used: boolean }>(sql`
      select exists (select from "PricingExchangeRates" where ${code} in ("FromCurrencyCode", "ToCurrencyCode")) as used`)
    return found?.used ?? false
  }
}
