import { type Database, type Sql, sql } from '@keel/framework/data'

/** The next number of a quote. Numbers of transactions that fail are not used again. */
export async function nextQuoteNumber(database: Database): Promise<number> {
  const [found] = await database.query<{ number: string }>(
    sql`select nextval('"PricingQuoteNumbers"')::text as number`,
  )
  return Number(found?.number)
}

/** The condition that a charge `t` is one of a quote. */
export function isChargeOfQuote(quoteId: string): Sql {
  return sql`exists (select from "PricingQuoteOptions" o
    where o."Id" = t."QuoteOptionId" and o."QuoteId" = ${quoteId} and o."IsDeleted" = false)`
}
