import { type BusinessError, refusalInWords } from '@keel/framework/contracts'
import {
  ChargeStatus,
  PricingErrors,
  type QuoteAction,
  QuoteStatus,
  type RateCardAction,
  RateCardStatus,
} from '../contracts/index.js'

interface Stated<S> {
  readonly reference: string
  readonly status: S
}

/** The error of an action that the status of a quote does not allow. */
export function refusedQuoteAction(
  { reference, status }: Stated<QuoteStatus>,
  action: QuoteAction,
  to: QuoteStatus,
): BusinessError {
  return refusalInWords(
    PricingErrors.QuoteInvalidStatusTransition,
    { reference, action, from: QuoteStatus[status], to: QuoteStatus[to] },
    { action: `Pricing:Quote:Action:${action}`, from: `Enum:QuoteStatus.${status}` },
  )
}

/** The error of a change that the status of a quote does not allow. */
export function quoteNotEditable({ reference, status }: Stated<QuoteStatus>): BusinessError {
  return refusalInWords(
    PricingErrors.QuoteNotEditable,
    { reference, status: QuoteStatus[status] },
    { status: `Enum:QuoteStatus.${status}` },
  )
}

/** The error of an action that the status of a rate card does not allow. */
export function refusedRateCardAction(
  { reference, status }: Stated<RateCardStatus>,
  action: RateCardAction | 'createNewVersion' | 'extendValidity',
  to: RateCardStatus,
): BusinessError {
  return refusalInWords(
    PricingErrors.RateCardInvalidStatusTransition,
    { reference, action, from: RateCardStatus[status], to: RateCardStatus[to] },
    { action: `Pricing:RateCard:Action:${action}`, from: `Enum:RateCardStatus.${status}` },
  )
}

/** The error of a change of a rate card that is no draft. */
export function rateCardNotEditable({ reference, status }: Stated<RateCardStatus>): BusinessError {
  return refusalInWords(
    PricingErrors.RateCardNotEditable,
    { reference, status: RateCardStatus[status] },
    { status: `Enum:RateCardStatus.${status}` },
  )
}

/** The error of a change that the status of a charge of a shipment does not allow. */
export function chargeLocked({
  description,
  status,
}: {
  readonly description: string | null
  readonly status: ChargeStatus
}): BusinessError {
  return refusalInWords(
    PricingErrors.ShipmentChargeLocked,
    { description, status: ChargeStatus[status] },
    { status: `Enum:ChargeStatus.${status}` },
  )
}
