import { type Database, type Sql, sql } from '@keel/framework/data'
import type { RateCard } from '../domain/rate-card.js'
import type { ComparedLine } from '../domain/rate-card-differences.js'

/** The condition that a card `t` counts on a day. */
export function cardCountsOn(day: string): Sql {
  return sql`${day}::date between t."ValidFrom" and t."ValidTo"`
}

/** The condition that a card `t` is in use and ends within some days. */
export function cardEndsWithin(today: string, days: number): Sql {
  return sql`t."Status" in (2, 3) and t."ValidTo" between ${today}::date and ${today}::date + ${days}::int`
}

/** An active card whose validity meets that of another one. */
export interface OverlappingCard {
  readonly reference: string
  readonly version: number
  readonly validFrom: string
  readonly validTo: string
}

/**
 * An active or suspended card that must not count on the same day as this one: another version of it, or a selling card of the same customer, modes and
 * priority. The versions before a card, which its approval supersedes, do not count.
 */
export async function overlappingCard(
  database: Database,
  card: RateCard,
): Promise<OverlappingCard | undefined> {
  const {
    id,
    reference,
    validFrom,
    validTo,
    cardType,
    organizationId,
    transportModeCode,
    containerModeCode,
    priority,
  } = card
  const [found] = await database.query<OverlappingCard>(sql`
    select t."Reference" as reference, t."Version" as version, t."ValidFrom"::text as "validFrom", t."ValidTo"::text as "validTo"
    from "PricingRateCards" t
    where t."Id" <> ${id} and t."Id" is distinct from ${card.previousVersionId}::uuid and t."IsDeleted" = false and t."Status" in (2, 3)
      and t."ValidFrom" <= ${validTo}::date and t."ValidTo" >= ${validFrom}::date
      and (t."Reference" = ${reference} or (${cardType}::smallint = 1 and t."CardType" = 1 and t."OrganizationId" = ${organizationId}::uuid
        and t."TransportModeCode" = ${transportModeCode} and t."ContainerModeCode" is not distinct from ${containerModeCode}::varchar
        and t."Priority" = ${priority}::smallint))
    order by t."ValidFrom" limit 1`)
  return found
}

/** What a draft lacks before it can be handed in; null members lack nothing. */
export interface CardGaps {
  readonly lanes: number
  /** Number of a lane without a freight charge. */
  readonly laneWithoutFreight: number | null
  /** Number of a lane with a line that has neither an amount nor a break from 0. */
  readonly laneWithoutAmount: number | null
  /** The lowest quantity of the breaks of a line that do not begin at 0. */
  readonly firstQuantity: string | null
}

/** Looks for what a card lacks: an active lane, a freight line on each of them, an amount or breaks on each line, breaks from 0 on. */
export async function gapsOf(database: Database, id: string): Promise<CardGaps> {
  const [found] = await database.query<CardGaps>(sql`
    with lanes as (
      select "Id", "LaneNumber" from "PricingRateLanes" where "RateCardId" = ${id} and "IsDeleted" = false and "IsActive"),
    lines as (
      select n.*, l."LaneNumber" from "PricingRateLines" n join lanes l on l."Id" = n."RateLaneId" where n."IsDeleted" = false)
    select (select count(*)::int from lanes) as lanes,
      (select min("LaneNumber") from lanes l where not exists (
        select from lines n join "PricingChargeCodes" c on c."Id" = n."ChargeCodeId" where n."RateLaneId" = l."Id" and c."ChargeGroup" = 0))
        as "laneWithoutFreight",
      (select min("LaneNumber") from lines n where n."Amount" is null and not exists (
        select from "PricingRateBreaks" b where b."RateLineId" = n."Id" and b."IsDeleted" = false and b."FromQuantity" = 0)) as "laneWithoutAmount",
      (select trim_scale(min(first))::text from (select min(b."FromQuantity") as first from "PricingRateBreaks" b join lines n on n."Id" = b."RateLineId"
        where b."IsDeleted" = false group by b."RateLineId") f where first > 0) as "firstQuantity"`)
  return found ?? { lanes: 0, laneWithoutFreight: null, laneWithoutAmount: null, firstQuantity: null }
}

/** The lines of a card as they are compared with those of another one. */
export function comparedLines(database: Database, cardId: string): Promise<ComparedLine[]> {
  return database.query<ComparedLine>(sql`
    select concat_ws(' ', coalesce(l."OriginUnLocode", oz."Code", l."OriginCountryCode", '*'), '→',
        coalesce(l."DestinationUnLocode", dz."Code", l."DestinationCountryCode", '*'), 'via ' || l."ViaUnLocode", l."CarrierCode", l."ServiceLevelCode") as lane,
      c."Code" as "chargeCode", n."ContainerTypeCode" as "containerTypeCode", n."AppliesWhen" as "appliesWhen",
      json_build_object('basis', n."Basis", 'currencyCode', n."CurrencyCode", 'amount', n."Amount"::text, 'minAmount', n."MinAmount"::text,
        'maxAmount', n."MaxAmount"::text, 'breaks', coalesce((
          select json_agg(concat(trim_scale(b."FromQuantity"), ': ', trim_scale(b."Amount"), case when b."IsFlat" then ' flat' end) order by b."FromQuantity")
          from "PricingRateBreaks" b where b."RateLineId" = n."Id" and b."IsDeleted" = false), '[]')) as rate
    from "PricingRateLanes" l
    join "PricingRateLines" n on n."RateLaneId" = l."Id" and n."IsDeleted" = false
    join "PricingChargeCodes" c on c."Id" = n."ChargeCodeId"
    left join "PricingRateZones" oz on oz."Id" = l."OriginZoneId"
    left join "PricingRateZones" dz on dz."Id" = l."DestinationZoneId"
    where l."RateCardId" = ${cardId} and l."IsDeleted" = false and l."IsActive"`)
}
