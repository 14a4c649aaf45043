import { Injectable } from '@keel/framework'
import { EventHandler } from '@keel/framework/events'
import {
  ShipmentCancelledEto,
  ShipmentDeletedEto,
  ShipmentRequestAnsweredEto,
  ShipmentStatus,
  ShipmentStatusForcedEto,
} from '@keel/hub/contracts'
import { ChargeStatus, QuoteStatus } from '../contracts/index.js'
import type { Quote } from '../domain/quote.js'
import { QuoteChargeStore, QuoteStore, ShipmentChargeStore } from '../persistence/stores.js'
import { OpenCharges } from './open-charges.js'
import { QuoteChanges } from './quote-changes.js'

/** Makes charges of shipments out of accepted quotes, and keeps them true when shipments end. Each event is handled exactly once. */
@Injectable()
export class QuoteConversion {
  constructor(
    private readonly quotes: QuoteStore,
    private readonly quoteCharges: QuoteChargeStore,
    private readonly charges: ShipmentChargeStore,
    private readonly changes: QuoteChanges,
    private readonly open: OpenCharges,
  ) {}

  /** Hub made the shipment of an accepted quote, or says why not. A second answer for a quote changes nothing. */
  @EventHandler(ShipmentRequestAnsweredEto)
  async convert(answer: ShipmentRequestAnsweredEto): Promise<void> {
    if (answer.sourceSystem !== 'Pricing') return
    const quote = await this.quotes.find(answer.externalId)
    if (!quote || quote.status !== QuoteStatus.Accepted) return
    const { shipmentId, shipmentReference, refusal } = answer
    if (!shipmentId) {
      await this.quotes.update(quote, { statusReason: refusal ?? null })
      return
    }
    const priced = await this.quoteCharges.ofOption(quote.selectedOptionId ?? '')
    await this.open.within([shipmentId], async () => {
      for (const charge of priced)
        if (!charge.isOptional)
          await this.charges.insert({ ...chargeOf(charge, quote), shipmentId, shipmentReference })
    })
    await this.changes.perform(quote, 'convert', { values: { shipmentId } })
  }

  @EventHandler(ShipmentCancelledEto)
  async cancelCharges({ entityId }: ShipmentCancelledEto): Promise<void> {
    await this.cancel(entityId)
  }

  /** Staff may cancel a shipment without the guards of the action. */
  @EventHandler(ShipmentStatusForcedEto)
  async cancelForcedCharges({ entityId, to }: ShipmentStatusForcedEto): Promise<void> {
    if (to === ShipmentStatus.Cancelled) await this.cancel(entityId)
  }

  @EventHandler(ShipmentDeletedEto)
  async dropCharges({ entityId }: ShipmentDeletedEto): Promise<void> {
    await this.cancel(entityId)
  }

  /** Charges of a shipment that ends are cancelled, as far as they were not invoiced. */
  private async cancel(shipmentId: string): Promise<void> {
    const charges = (await this.charges.ofShipment(shipmentId)).filter(
      ({ status }) => status < ChargeStatus.Invoiced,
    )
    if (!charges.length) return
    await this.open.within([shipmentId], async () => {
      for (const charge of charges) await this.charges.update(charge, { status: ChargeStatus.Cancelled })
    })
  }
}

function chargeOf(
  {
    id,
    chargeCodeId,
    description,
    rateCurrencyCode,
    costAmount,
    sellAmount,
  }: Awaited<ReturnType<QuoteChargeStore['ofOption']>>[number],
  { organizationId, currencyCode }: Quote,
) {
  return {
    ...{ chargeCodeId, description, costAmount, sellAmount, quoteChargeId: id },
    ...{ costCurrencyCode: costAmount === null ? null : rateCurrencyCode, sellCurrencyCode: currencyCode },
    debtorOrganizationId: organizationId,
  }
}
