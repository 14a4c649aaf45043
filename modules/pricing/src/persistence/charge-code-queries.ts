import { type Database, sql } from '@keel/framework/data'

/** True when a rate, a surcharge, a margin rule, a quote or a shipment has a charge. Deleted rows count: they can come back, and are read. */
export async function isChargeCodeUsed(database: Database, id: string): Promise<boolean> {
  const [found] = await database.query<{ used: boolean }>(sql`
    select exists (select from "PricingRateLines" where "ChargeCodeId" = ${id})
      or exists (select from "PricingSurchargeRules" where "ChargeCodeId" = ${id})
      or exists (select from "PricingMarginRules" where "ChargeCodeId" = ${id})
      or exists (select from "PricingQuoteCharges" where "ChargeCodeId" = ${id})
      or exists (select from "PricingShipmentCharges" where "ChargeCodeId" = ${id}) as used`)
  return found?.used ?? false
}
