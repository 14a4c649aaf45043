import { type Database, type Sql, sql } from '@keel/framework/data'
import { ExchangeRateType } from '../contracts/index.js'

/** The amount to convert, and the rates to use. */
export interface RateRequest {
  /** A decimal. */
  readonly amount: string
  readonly from: string
  readonly to: string
  /** The digits behind the point of the currency `to`. */
  readonly minorUnits: number
  /** ISO date; later rates do not count. */
  readonly date: string
  readonly maxAgeDays: number
  readonly rateType: ExchangeRateType
  readonly pivot: string
}

/** A converted amount. */
export interface ConvertedAmount {
  /** A decimal, rounded half away from zero to the digits of its currency. */
  readonly amount: string
  /** The JSON of a `ConversionDto`. */
  readonly json: string
}

/**
 * Converts an amount in one statement (domain model, section 7.3); undefined where there is no rate. Rates that are computed of others have 8
 * digits behind the point.
 */
export async function convertAmount(
  database: Database,
  request: RateRequest,
): Promise<ConvertedAmount | undefined> {
  const { amount, from, to, minorUnits, date, maxAgeDays, rateType, pivot } = request
  const latest = (one: string, other: string): Sql => sql`(
    select "Rate" as rate, "RateDate" as day from "PricingExchangeRates"
    where "FromCurrencyCode" = ${one} and "ToCurrencyCode" = ${other} and "RateType" = k.type and "IsDeleted" = false
      and "RateDate" between ${date}::date - ${maxAgeDays}::int and ${date}::date
    order by "RateDate" desc limit 1)`
  const ofPair = (one: string, other: string): Sql => sql`(
    select way, rate, day from (
      select 0 as way, d.rate, d.day from ${latest(one, other)} d
      union all select 1, 1 / i.rate, i.day from ${latest(other, one)} i) p
    order by way limit 1)`
  const [found] = await database.query<ConvertedAmount>(sql`
    select round(${amount}::numeric * r.rate, ${minorUnits}::int)::text as amount, json_build_object('fromCurrencyCode', ${from}::text, 'toCurrencyCode', ${to}::text, 'amount', ${amount}::numeric,
      'convertedAmount', round(${amount}::numeric * r.rate, ${minorUnits}::int), 'rate', r.rate, 'rateDate', r.day,
      'rateType', k.type, 'pivotCurrencyCode', case when r.way = 3 then ${pivot}::text end)::text as json
    from (values (0, ${rateType}::smallint), (1, ${ExchangeRateType.Mid}::smallint)) k(rank, type)
    cross join lateral (
      select 0 as way, 1::numeric as rate, null::date as day where ${from}::text = ${to}::text
      union all select 1 + p.way, round(p.rate, 8), p.day from ${ofPair(from, to)} p
      union all select 3, round(b.rate / a.rate, 8), least(a.day, b.day) from ${ofPair(pivot, from)} a, ${ofPair(pivot, to)} b) r
    where r.rate > 0
    order by k.rank, r.way limit 1`)
  return found
}

/** The condition that a rate `t` from a currency counts on a day: no later one of the same kind does. */
export function isCurrentRate(
  from: string,
  { date, maxAgeDays }: Pick<RateRequest, 'date' | 'maxAgeDays'>,
): Sql {
  return sql`(t."FromCurrencyCode" = ${from} and t."RateDate" between ${date}::date - ${maxAgeDays}::int and ${date}::date
    and not exists (select from "PricingExchangeRates" e
      where e."FromCurrencyCode" = ${from} and e."ToCurrencyCode" = t."ToCurrencyCode" and e."RateType" = t."RateType" and e."IsDeleted" = false
        and e."RateDate" > t."RateDate" and e."RateDate" <= ${date}::date))`
}
