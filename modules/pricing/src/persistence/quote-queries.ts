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

/** The condition that a quote `t` has an option by a rate card. */
export function hasOptionByCard(rateCardId: string): Sql {
  return sql`exists (select from "PricingQuoteOptions" o
    where o."QuoteId" = t."Id" and o."RateCardId" = ${rateCardId} and o."IsDeleted" = false)`
}

/** The condition that a quote `t`, calculated and not accepted, has an option by a rate card that does not count on a day. */
export function isOutdatedOn(day: string): Sql {
  return sql`(t."Status" in (1, 2, 3) and exists (
    select from "PricingQuoteOptions" o join "PricingRateCards" c on c."Id" = o."RateCardId"
    where o."QuoteId" = t."Id" and o."IsDeleted" = false and (c."Status" <> 2 or c."ValidTo" < ${day}::date)))`
}
