import { Injectable } from '@keel/framework'
import { StoreOf, sql, undeleted } from '@keel/framework/data'
import { ChargeStatus, RateCardStatus } from '../contracts/index.js'
import { Quote, QuoteCargoLine, QuoteCharge, QuoteOption, ShipmentCharge } from '../domain/quote.js'
import { RateBreak, RateCard, RateLane, RateLine } from '../domain/rate-card.js'
import { RateZone, RateZoneMember } from '../domain/rate-zone.js'
import { FuelIndexValue } from '../domain/surcharge.js'

@Injectable()
export class RateZoneStore extends StoreOf(RateZone) {}

@Injectable()
export class RateZoneMemberStore extends StoreOf(RateZoneMember) {
  ofZone(rateZoneId: string): Promise<RateZoneMember[]> {
    return this.where(sql`t."RateZoneId" = ${rateZoneId}`)
  }
}

@Injectable()
export class RateCardStore extends StoreOf(RateCard) {
  /** A draft, or one that waits for approval, of the next version of a card. */
  openVersionsOf(id: string): Promise<RateCard[]> {
    const open = [RateCardStatus.Draft, RateCardStatus.PendingApproval]
    return this.everyWhere(sql`t."PreviousVersionId" = ${id} and t."Status" = any(${open}::smallint[])`)
  }

  /** Active and suspended cards whose validity ended before a day. */
  endedBefore(day: string): Promise<RateCard[]> {
    return this.everyWhere(sql`t."Status" in (2, 3) and t."ValidTo" < ${day}::date`)
  }

  /**
   * The active and suspended selling cards of one organization that could not be another one's as well, because that has such a card of the same modes and
   * priority with days in common.
   */
  sellingBeside(organizationId: string, ofOrganizationId: string): Promise<RateCard[]> {
    return this.everyWhere(sql`t."OrganizationId" = ${ofOrganizationId} and t."CardType" = 1 and t."Status" in (2, 3)
      and exists (select from "PricingRateCards" same where same."OrganizationId" = ${organizationId} and same."CardType" = 1
        and same."Status" in (2, 3) and ${undeleted(RateCard, 'same')}
        and same."TransportModeCode" = t."TransportModeCode" and same."Priority" = t."Priority"
        and same."ContainerModeCode" is not distinct from t."ContainerModeCode"
        and daterange(same."ValidFrom", same."ValidTo", '[]') && daterange(t."ValidFrom", t."ValidTo", '[]'))`)
  }
}

@Injectable()
export class RateLaneStore extends StoreOf(RateLane) {
  ofCard(rateCardId: string): Promise<RateLane[]> {
    return this.where(sql`t."RateCardId" = ${rateCardId}`)
  }
}

@Injectable()
export class RateLineStore extends StoreOf(RateLine) {
  ofLane(rateLaneId: string): Promise<RateLine[]> {
    return this.where(sql`t."RateLaneId" = ${rateLaneId}`)
  }

  ofCard(rateCardId: string): Promise<RateLine[]> {
    return this.where(sql`exists (select from "PricingRateLanes" l
      where l."Id" = t."RateLaneId" and l."RateCardId" = ${rateCardId} and l."IsDeleted" = false)`)
  }
}

@Injectable()
export class RateBreakStore extends StoreOf(RateBreak) {
  ofLine(rateLineId: string): Promise<RateBreak[]> {
    return this.where(sql`t."RateLineId" = ${rateLineId}`)
  }

  ofCard(rateCardId: string): Promise<RateBreak[]> {
    return this.where(sql`exists (select from "PricingRateLines" n join "PricingRateLanes" l on l."Id" = n."RateLaneId"
      where n."Id" = t."RateLineId" and n."IsDeleted" = false and l."RateCardId" = ${rateCardId} and l."IsDeleted" = false)`)
  }
}

@Injectable()
export class FuelIndexValueStore extends StoreOf(FuelIndexValue) {
  /** The latest value of an index up to a day. */
  async current(fuelIndexId: string, day: string): Promise<FuelIndexValue | undefined> {
    const [found] = await this.where(sql`t."FuelIndexId" = ${fuelIndexId} and t."ValueDate" = (
      select max(v."ValueDate") from "PricingFuelIndexValues" v
      where v."FuelIndexId" = ${fuelIndexId} and v."IsDeleted" = false and v."ValueDate" <= ${day}::date)`)
    return found
  }
}

@Injectable()
export class QuoteStore extends StoreOf(Quote) {
  /** Sent quotes whose last day is before a day. */
  endedBefore(day: string): Promise<Quote[]> {
    return this.everyWhere(sql`t."Status" = 3 and t."ValidUntil" < ${day}::date`)
  }
}

@Injectable()
export class QuoteCargoLineStore extends StoreOf(QuoteCargoLine) {
  /** In their order. */
  async ofQuote(quoteId: string): Promise<QuoteCargoLine[]> {
    const lines = await this.where(sql`t."QuoteId" = ${quoteId}`)
    return lines.sort((one, other) => one.lineNumber - other.lineNumber)
  }
}

@Injectable()
export class QuoteOptionStore extends StoreOf(QuoteOption) {
  ofQuote(quoteId: string): Promise<QuoteOption[]> {
    return this.where(sql`t."QuoteId" = ${quoteId}`)
  }
}

@Injectable()
export class QuoteChargeStore extends StoreOf(QuoteCharge) {
  ofQuote(quoteId: string): Promise<QuoteCharge[]> {
    return this.where(sql`exists (select from "PricingQuoteOptions" o
      where o."Id" = t."QuoteOptionId" and o."QuoteId" = ${quoteId} and o."IsDeleted" = false)`)
  }

  ofOption(quoteOptionId: string): Promise<QuoteCharge[]> {
    return this.where(sql`t."QuoteOptionId" = ${quoteOptionId}`)
  }
}

@Injectable()
export class ShipmentChargeStore extends StoreOf(ShipmentCharge) {
  ofShipment(shipmentId: string): Promise<ShipmentCharge[]> {
    return this.everyWhere(sql`t."ShipmentId" = ${shipmentId}`)
  }

  /** How many of a shipment wait for an approval. */
  async countOpen(shipmentId: string): Promise<number> {
    const [found] = await this.database.query<{ count: number }>(sql`
      select count(*)::int as count from "PricingShipmentCharges" t
      where t."ShipmentId" = ${shipmentId} and t."Status" < ${ChargeStatus.Approved}::smallint and ${undeleted(ShipmentCharge, 't')}`)
    return found?.count ?? 0
  }

  /** Those that the caller sees and that were not cancelled. */
  countedOf(shipmentId: string): Promise<ShipmentCharge[]> {
    return this.where(sql`t."ShipmentId" = ${shipmentId} and t."Status" <> ${ChargeStatus.Cancelled}`)
  }
}
