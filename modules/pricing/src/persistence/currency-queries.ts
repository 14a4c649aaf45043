import { type Database, sql } from '@keel/framework/data'

/** True when an exchange rate has a currency. */
export async function isCurrencyUsed(database: Database, code: string): Promise<boolean> {
  const [found] = await database.query<{ used: boolean }>(sql`
    select exists (select from "PricingExchangeRates" where ${code} in ("FromCurrencyCode", "ToCurrencyCode")) as used`)
  return found?.used ?? false
}
