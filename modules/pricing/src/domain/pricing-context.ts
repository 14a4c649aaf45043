import { type RowScope, raw, rowRule, type Sql, sql } from '@keel/framework/data'

/** The data of Pricing that a caller sees (domain model, section 3). */
export interface PricingScope {
  /** Staff and the program itself: everything that permissions allow. */
  readonly all: boolean
  /** The organizations of the caller; empty without membership. */
  readonly organizationIds: readonly string[]
  readonly userId: string | undefined
  /** True when staff may see buying cards. */
  readonly seesBuying: boolean
}

/** Extension point: the scope of the caller at hand. */
export abstract class PricingContext implements RowScope<PricingScope> {
  abstract current(): PricingScope | Promise<PricingScope>
}

/** Buying cards for staff who may see them; for customers active selling cards of their own, and public tariffs. */
export const rateCardsOfCaller = rowRule(PricingContext, cardIsVisible)

/** Lanes are visible when their card is. */
export const withItsRateCard = rowRule(PricingContext, (scope, t) => {
  const visible = cardIsVisible(scope, raw('c'))
  return (
    visible &&
    sql`exists (select from "PricingRateCards" c where c."Id" = ${t}."RateCardId" and c."IsDeleted" = false and ${visible})`
  )
})

/** Lines are visible when the card of their lane is. */
export const withItsRateLane = rowRule(PricingContext, (scope, t) => {
  const visible = cardIsVisible(scope, raw('c'))
  return (
    visible &&
    sql`exists (select from "PricingRateLanes" l join "PricingRateCards" c on c."Id" = l."RateCardId"
      where l."Id" = ${t}."RateLaneId" and l."IsDeleted" = false and c."IsDeleted" = false and ${visible})`
  )
})

/** Breaks are visible when the card of their line is. */
export const withItsRateLine = rowRule(PricingContext, (scope, t) => {
  const visible = cardIsVisible(scope, raw('c'))
  return (
    visible &&
    sql`exists (select from "PricingRateLines" n join "PricingRateLanes" l on l."Id" = n."RateLaneId" join "PricingRateCards" c on c."Id" = l."RateCardId"
      where n."Id" = ${t}."RateLineId" and n."IsDeleted" = false and l."IsDeleted" = false and c."IsDeleted" = false and ${visible})`
  )
})

/** Quotes of the caller's organizations that were sent, and the caller's own requests. */
export const quotesOfCaller = rowRule(PricingContext, quoteIsVisible)

/** Cargo lines and options are visible when their quote is. */
export const withItsQuote = rowRule(PricingContext, (scope, t) => {
  const visible = quoteIsVisible(scope, raw('q'))
  return (
    visible &&
    sql`exists (select from "PricingQuotes" q where q."Id" = ${t}."QuoteId" and q."IsDeleted" = false and ${visible})`
  )
})

/** Charges are visible when the quote of their option is. */
export const withItsQuoteOption = rowRule(PricingContext, (scope, t) => {
  const visible = quoteIsVisible(scope, raw('q'))
  return (
    visible &&
    sql`exists (select from "PricingQuoteOptions" o join "PricingQuotes" q on q."Id" = o."QuoteId"
      where o."Id" = ${t}."QuoteOptionId" and o."IsDeleted" = false and q."IsDeleted" = false and ${visible})`
  )
})

/** Approved and invoiced charges that the caller's organizations pay. */
export const shipmentChargesOfCaller = rowRule(PricingContext, ({ all, organizationIds }, t) =>
  all
    ? undefined
    : sql`(${t}."DebtorOrganizationId" = any(${organizationIds}::uuid[]) and ${t}."Status" >= 2)`,
)

function quoteIsVisible({ all, organizationIds, userId }: PricingScope, t: Sql): Sql | undefined {
  if (all) return undefined
  const own = userId ? sql`or ${t}."CreatorId" = ${userId}::uuid` : sql``
  return sql`(${t}."OrganizationId" = any(${organizationIds}::uuid[]) and (${t}."Status" >= 3 ${own}))`
}

function cardIsVisible({ all, organizationIds, seesBuying }: PricingScope, t: Sql): Sql | undefined {
  if (all) return seesBuying ? undefined : sql`${t}."CardType" = 1`
  return sql`(${t}."CardType" = 1 and ${t}."Status" = 2
    and (${t}."OrganizationId" is null or ${t}."OrganizationId" = any(${organizationIds}::uuid[])))`
}
