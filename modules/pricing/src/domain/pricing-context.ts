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

function cardIsVisible({ all, organizationIds, seesBuying }: PricingScope, t: Sql): Sql | undefined {
  if (all) return seesBuying ? undefined : sql`${t}."CardType" = 1`
  return sql`(${t}."CardType" = 1 and ${t}."Status" = 2
    and (${t}."OrganizationId" is null or ${t}."OrganizationId" = any(${organizationIds}::uuid[])))`
}
