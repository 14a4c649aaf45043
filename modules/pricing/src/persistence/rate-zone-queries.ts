import { type Database, sql } from '@keel/framework/data'

/** True when a lane, a surcharge or a margin names a zone. */
export async function isZoneUsed(database: Database, id: string): Promise<boolean> {
  const [found] = await database.query<{ used: boolean }>(sql`
    select exists (select from "PricingRateLanes" where "IsDeleted" = false and ${id} in ("OriginZoneId", "DestinationZoneId"))
      or exists (select from "PricingSurchargeRules" where "IsDeleted" = false and ${id} in ("OriginZoneId", "DestinationZoneId"))
      or exists (select from "PricingMarginRules" where "IsDeleted" = false and ${id} in ("OriginZoneId", "DestinationZoneId")) as used`)
  return found?.used ?? false
}

/** A zone by its code. */
export interface ZoneOfPort {
  readonly id: string
  readonly code: string
  readonly name: string
}

/** The zones that a port belongs to, by itself or by its country. */
export function zonesOfPort(database: Database, unLocode: string): Promise<ZoneOfPort[]> {
  return database.query<ZoneOfPort>(sql`
    select z."Id" as id, z."Code" as code, z."Name" as name from "PricingRateZones" z
    where z."IsDeleted" = false and exists (
      select from "PricingRateZoneMembers" m
      where m."RateZoneId" = z."Id" and m."IsDeleted" = false and (m."UnLocode" = ${unLocode} or m."CountryCode" = ${unLocode.slice(0, 2)}))
    order by z."Code"`)
}
