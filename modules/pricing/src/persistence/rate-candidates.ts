import { type Database, sql } from '@keel/framework/data'
import type { RateData } from '../domain/calculation.js'

/** What rates are looked for. Days are ISO dates. */
export interface RateQuestion {
  readonly transportModeCode: string
  readonly containerModeCode: string
  readonly originUnLocode: string
  readonly destinationUnLocode: string
  readonly pricingDate: string
  readonly cargoReadyDate: string | null
  readonly currencyCode: string
  readonly organizationId: string | null
  /** False for selling cards alone. */
  readonly buying: boolean
  readonly pivotCurrency: string
  readonly maxRateAgeDays: number
}

/** The most lanes that a question finds, the most specific ones first. */
const mostLanes = 300

/**
 * Everything that a price may be made of, by one statement: lanes with lines and breaks, surcharges with the values of their fuel indices, margins, the latest
 * exchange rates between all their currencies. Row rules are not asked: the question says what its caller may be told.
 */
export async function rateCandidates(database: Database, question: RateQuestion): Promise<RateData> {
  const {
    transportModeCode: mode,
    containerModeCode,
    originUnLocode: from,
    destinationUnLocode: to,
  } = question
  const { pricingDate, cargoReadyDate, organizationId, buying, currencyCode, pivotCurrency, maxRateAgeDays } =
    question
  const readyDate = cargoReadyDate ?? pricingDate
  const [found] = await database.query<{ data: RateData }>(sql`
    with zones as materialized (
      select array(select m."RateZoneId" from "PricingRateZoneMembers" m
          where m."IsDeleted" = false and (m."UnLocode" = ${from} or m."CountryCode" = ${from.slice(0, 2)})) as origins,
        array(select m."RateZoneId" from "PricingRateZoneMembers" m
          where m."IsDeleted" = false and (m."UnLocode" = ${to} or m."CountryCode" = ${to.slice(0, 2)})) as destinations),
    lanes as materialized (
      select l."Id", l."LaneNumber", l."OriginType", l."DestinationType", coalesce(l."CarrierCode", c."CarrierCode") as "CarrierCode", l."ViaUnLocode",
        l."TransitDays", c."Id" as "CardId", c."Reference", c."Version", c."CardType", c."OrganizationId", c."Priority", c."ValidFrom", c."ValidTo",
        c."VolumetricDivisor", c."MinimumRevenueTon"
      from "PricingRateLanes" l
      join "PricingRateCards" c on c."Id" = l."RateCardId"
      where l."IsDeleted" = false and l."IsActive"
        and (l."OriginUnLocode" = ${from} or l."OriginZoneId" = any((select origins from zones)::uuid[])
          or l."OriginCountryCode" = ${from.slice(0, 2)} or l."OriginType" = 3)
        and (l."DestinationUnLocode" = ${to} or l."DestinationZoneId" = any((select destinations from zones)::uuid[])
          or l."DestinationCountryCode" = ${to.slice(0, 2)} or l."DestinationType" = 3)
        and c."IsDeleted" = false and c."Status" = 2 and c."TransportModeCode" = ${mode}
        and (c."ContainerModeCode" is null or c."ContainerModeCode" = ${containerModeCode})
        and (case when c."DateBasis" = 2 then ${pricingDate}::date else ${readyDate}::date end) between c."ValidFrom" and c."ValidTo"
        and ((c."CardType" = 0 and ${buying}::boolean) or (c."CardType" = 1 and (c."OrganizationId" is null or c."OrganizationId" = ${organizationId}::uuid)))
      order by 10 * l."OriginType" + l."DestinationType", c."Priority", c."ValidFrom" desc, l."Id"
      limit ${mostLanes}::int),
    lines as materialized (
      select n.*, h."Code", h."Name", h."ChargeGroup" from lanes l
      join "PricingRateLines" n on n."RateLaneId" = l."Id" and n."IsDeleted" = false
      join "PricingChargeCodes" h on h."Id" = n."ChargeCodeId"),
    surcharges as materialized (
      select s.*, h."Code", h."Name", h."ChargeGroup", f."Code" as "FuelCode", (
        select v."Value" from "PricingFuelIndexValues" v
        where v."FuelIndexId" = s."FuelIndexId" and v."IsDeleted" = false and v."ValueDate" <= ${pricingDate}::date
        order by v."ValueDate" desc limit 1) as "FuelValue"
      from "PricingSurchargeRules" s
      join "PricingChargeCodes" h on h."Id" = s."ChargeCodeId"
      left join "PricingFuelIndices" f on f."Id" = s."FuelIndexId"
      where s."IsDeleted" = false and s."IsActive" and s."TransportModeCode" = ${mode} and ${buying}::boolean
        and s."ValidFrom" <= ${pricingDate}::date and (s."ValidTo" is null or s."ValidTo" >= ${pricingDate}::date)
        and (s."OriginZoneId" is null or s."OriginZoneId" = any((select origins from zones)::uuid[]))
        and (s."DestinationZoneId" is null or s."DestinationZoneId" = any((select destinations from zones)::uuid[]))),
    margins as materialized (
      select m.* from "PricingMarginRules" m
      where m."IsDeleted" = false and m."IsActive" and ${buying}::boolean
        and (m."TransportModeCode" is null or m."TransportModeCode" = ${mode})
        and (m."ContainerModeCode" is null or m."ContainerModeCode" = ${containerModeCode})
        and (m."OrganizationId" is null or m."OrganizationId" = ${organizationId}::uuid)
        and m."ValidFrom" <= ${pricingDate}::date and (m."ValidTo" is null or m."ValidTo" >= ${pricingDate}::date)
        and (m."OriginZoneId" is null or m."OriginZoneId" = any((select origins from zones)::uuid[]))
        and (m."DestinationZoneId" is null or m."DestinationZoneId" = any((select destinations from zones)::uuid[]))),
    currencies as materialized (
      select "CurrencyCode" as code from lines union select "CurrencyCode" from surcharges union select "CurrencyCode" from margins
      union select ${currencyCode}::char(3) union select ${pivotCurrency}::char(3))
    select json_build_object(
      'lanes', coalesce((select json_agg(json_build_object(
        'id', l."Id", 'laneNumber', l."LaneNumber", 'originType', l."OriginType", 'destinationType', l."DestinationType", 'carrierCode', l."CarrierCode",
        'viaUnLocode', l."ViaUnLocode", 'transitDays', l."TransitDays", 'cardId', l."CardId", 'cardReference', l."Reference", 'cardVersion', l."Version",
        'cardType', l."CardType", 'organizationId', l."OrganizationId", 'priority', l."Priority", 'validFrom', l."ValidFrom", 'validTo', l."ValidTo",
        'volumetricDivisor', l."VolumetricDivisor", 'minimumRevenueTon', l."MinimumRevenueTon"::text,
        'lines', coalesce((select json_agg(json_build_object(
          'id', n."Id", 'chargeCodeId', n."ChargeCodeId", 'chargeCode', n."Code", 'chargeName', n."Name", 'chargeGroup', n."ChargeGroup", 'basis', n."Basis",
          'containerTypeCode', n."ContainerTypeCode", 'currencyCode', n."CurrencyCode", 'amount', n."Amount"::text, 'minAmount', n."MinAmount"::text,
          'maxAmount', n."MaxAmount"::text, 'appliesWhen', n."AppliesWhen", 'allowHigherBreak', n."AllowHigherBreak",
          'breaks', coalesce((select json_agg(json_build_object('fromQuantity', trim_scale(b."FromQuantity")::text, 'amount', b."Amount"::text, 'isFlat', b."IsFlat")
            order by b."FromQuantity") from "PricingRateBreaks" b where b."RateLineId" = n."Id" and b."IsDeleted" = false), '[]'::json)))
          from lines n where n."RateLaneId" = l."Id"), '[]'::json))) from lanes l), '[]'::json),
      'surcharges', coalesce((select json_agg(json_build_object(
        'id', s."Id", 'chargeCodeId', s."ChargeCodeId", 'chargeCode', s."Code", 'chargeName', s."Name", 'chargeGroup', s."ChargeGroup", 'basis', s."Basis",
        'containerTypeCode', null, 'currencyCode', s."CurrencyCode", 'amount', s."Amount"::text, 'minAmount', s."MinAmount"::text, 'maxAmount', s."MaxAmount"::text,
        'appliesWhen', s."AppliesWhen", 'containerModeCode', s."ContainerModeCode", 'carrierCode', s."CarrierCode", 'originZoneId', s."OriginZoneId",
        'destinationZoneId', s."DestinationZoneId", 'percentOfGroup', s."PercentOfGroup", 'validFrom', s."ValidFrom",
        'fuel', case when s."FuelIndexId" is not null then json_build_object('code', s."FuelCode", 'current', s."FuelValue"::text, 'base', s."FuelBaseValue"::text,
          'step', s."FuelStep"::text, 'amountPerStep', s."FuelAmountPerStep"::text) end)) from surcharges s), '[]'::json),
      'margins', coalesce((select json_agg(json_build_object(
        'id', m."Id", 'name', m."Name", 'organizationId', m."OrganizationId", 'transportModeCode', m."TransportModeCode", 'containerModeCode', m."ContainerModeCode",
        'chargeGroup', m."ChargeGroup", 'chargeCodeId', m."ChargeCodeId", 'originZoneId', m."OriginZoneId", 'destinationZoneId', m."DestinationZoneId",
        'marginType', m."MarginType", 'value', trim_scale(m."Value")::text, 'minMarginAmount', m."MinMarginAmount"::text, 'maxMarginAmount', m."MaxMarginAmount"::text,
        'currencyCode', m."CurrencyCode", 'priority', m."Priority")) from margins m), '[]'::json),
      'rates', coalesce((select json_agg(json_build_object('from', a.code, 'to', b.code, 'rate', r."Rate"::text, 'date', r."RateDate"))
        from currencies a cross join currencies b cross join lateral (
          select e."Rate", e."RateDate" from "PricingExchangeRates" e
          where e."FromCurrencyCode" = a.code and e."ToCurrencyCode" = b.code and e."RateType" = 0 and e."IsDeleted" = false
            and e."RateDate" between ${pricingDate}::date - ${maxRateAgeDays}::int and ${pricingDate}::date
          order by e."RateDate" desc limit 1) r
        where a.code <> b.code), '[]'::json),
      'minorUnits', coalesce((select json_object_agg(u."Code", u."MinorUnits") from "PricingCurrencies" u join currencies k on k.code = u."Code"), '{}'::json)
    ) as data`)
  return found?.data ?? { lanes: [], surcharges: [], margins: [], rates: [], minorUnits: {} }
}
