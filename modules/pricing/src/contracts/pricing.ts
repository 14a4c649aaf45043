import { remoteService } from '@keel/framework/contracts'

/** The Pricing module's remote service: routes under `/api/pricing`. */
export const Pricing = remoteService('Pricing', 'pricing')

/** The codes of Pricing's domain errors. */
export const PricingErrors = {
  CurrencyAlreadyExists: 'Pricing:Currency:AlreadyExists',
  CurrencyUnknown: 'Pricing:Currency:Unknown',
  CurrencyInUse: 'Pricing:Currency:InUse',
  ExchangeRateNotFound: 'Pricing:ExchangeRate:NotFound',
  ExchangeRateDuplicate: 'Pricing:ExchangeRate:Duplicate',
  ChargeCodeAlreadyExists: 'Pricing:ChargeCode:AlreadyExists',
  RateZoneCodeAlreadyExists: 'Pricing:RateZone:CodeAlreadyExists',
  RateZoneMemberAlreadyExists: 'Pricing:RateZone:MemberAlreadyExists',
  RateZoneInUse: 'Pricing:RateZone:InUse',
  UnknownPort: 'Pricing:RateZone:UnknownPort',
  RateCardReferenceAlreadyExists: 'Pricing:RateCard:ReferenceAlreadyExists',
  RateCardNotEditable: 'Pricing:RateCard:NotEditable',
  RateCardOverlappingValidity: 'Pricing:RateCard:OverlappingValidity',
  RateCardNoLane: 'Pricing:RateCard:NoLane',
  RateCardNoFreightLine: 'Pricing:RateCard:NoFreightLine',
  RateCardLineWithoutAmount: 'Pricing:RateCard:LineWithoutAmount',
  RateCardApproverIsEditor: 'Pricing:RateCard:ApproverIsEditor',
  RateCardInvalidStatusTransition: 'Pricing:RateCard:InvalidStatusTransition',
  RateCardOpenVersionExists: 'Pricing:RateCard:OpenVersionExists',
  RateCardValidityNotLonger: 'Pricing:RateCard:ValidityNotLonger',
  RateLaneAlreadyExists: 'Pricing:RateLane:AlreadyExists',
  RateLineDuplicate: 'Pricing:RateLine:Duplicate',
  RateBreakNotAscending: 'Pricing:RateBreak:NotAscending',
  FuelIndexAlreadyExists: 'Pricing:FuelIndex:AlreadyExists',
  FuelIndexValueAlreadyExists: 'Pricing:FuelIndex:ValueAlreadyExists',
  FuelIndexValueMissing: 'Pricing:FuelIndex:ValueMissing',
  SurchargeFuelFieldsIncomplete: 'Pricing:Surcharge:FuelFieldsIncomplete',
  MarginRuleInvalidPercent: 'Pricing:MarginRule:InvalidPercent',
} as const
