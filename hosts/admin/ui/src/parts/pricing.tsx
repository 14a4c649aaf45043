import {
  CarrierAppService,
  CodeEntityAppService,
  ContainerTypeAppService,
  PortAppService,
} from '@keel/hub-proxy'
import { ChargeGroup, pricingMembers, QuoteStatus, RateBasis, RateCardStatus } from '@keel/pricing-proxy'
import { type Call, useQuery } from '@keel/react'
import { Badge } from '@mantine/core'
import { useTexts } from '../application.js'
import { openProxy } from '../clients.js'
import { enumOptions, type Field, type Lookup, type Option } from './fields.js'

/** The clients of Pricing. */
export const {
  currencies,
  exchangeRates,
  chargeCodes,
  rateZones,
  rateZoneMembers,
  rateCards,
  rateLanes,
  rateLines,
  surchargeRules,
  fuelIndices,
  fuelIndexValues,
  marginRules,
  quotes,
  rateSearch,
} = openProxy(pricingMembers)
const { ports, carriers, containerTypes, codeEntities } = openProxy({
  ports: { service: PortAppService },
  carriers: { service: CarrierAppService },
  containerTypes: { service: ContainerTypeAppService },
  codeEntities: { service: CodeEntityAppService },
})

/** Codes of Hub that rates and quotes name. */
export const lookups = {
  port: [ports.getLookup],
  carrier: [carriers.getLookup],
  containerType: [containerTypes.getLookup],
  containerMode: [codeEntities.getLookup, { type: 'ContainerMode' }],
  incoterm: [codeEntities.getLookup, { type: 'Incoterm' }],
  serviceLevel: [codeEntities.getLookup, { type: 'ServiceLevel' }],
} as const satisfies Record<string, Lookup>

/** The most rows that a select offers: currencies, charge codes and zones are fewer. */
const all = { maxResultCount: 1000, sorting: 'code' } as const
const allWithRetired = { ...all, includeInactive: true, sorting: 'isActive desc, code' } as const

/** Currencies to choose. */
export function useCurrencies(): readonly Option[] {
  const rows = useWithRetired(currencies.getList)
  return rows.map(({ code, name, isRetired }) => ({ value: code, label: `${code} · ${name}`, isRetired }))
}

/** Charge codes to choose, by id. */
export function useChargeCodes(): readonly Option[] {
  const rows = useWithRetired(chargeCodes.getList)
  return rows.map(({ id, code, name, isRetired }) => ({ value: id, label: `${code} · ${name}`, isRetired }))
}

/** All rows of a list, those last that were deactivated. */
function useWithRetired<T extends { readonly isActive: boolean }>(
  list: Call<[input: typeof allWithRetired], { readonly items: readonly T[] }>,
): readonly (T & { readonly isRetired: boolean })[] {
  const { data } = useQuery(list, allWithRetired)
  return data?.items.map((row) => ({ ...row, isRetired: !row.isActive })) ?? []
}

/** Zones to choose, by id. */
export function useZones(): readonly Option[] {
  const { data } = useQuery(rateZones.getList, all)
  return data?.items.map(({ id, code, name }) => ({ value: id, label: `${code} · ${name}` })) ?? []
}

/** Transport modes to choose, in the words of Hub. */
export function useTransportModes(): readonly Option[] {
  const { data } = useQuery(codeEntities.getLookup, { type: 'TransportMode' })
  return data?.map(({ code, name }) => ({ value: code, label: name })) ?? []
}

/** The options of an enumeration of Pricing. */
export function usePricingEnum(name: string, enumeration: Readonly<Record<string, string | number>>) {
  return enumOptions(useTexts(), `Pricing::Enum:${name}`, enumeration)
}

export const useRateBases = () => usePricingEnum('RateBasis', RateBasis)
export const useChargeGroups = () => usePricingEnum('ChargeGroup', ChargeGroup)

const quoteColors: Readonly<Record<QuoteStatus, string>> = {
  [QuoteStatus.Draft]: 'gray',
  [QuoteStatus.Calculated]: 'indigo',
  [QuoteStatus.PendingApproval]: 'orange',
  [QuoteStatus.Sent]: 'blue',
  [QuoteStatus.Accepted]: 'teal',
  [QuoteStatus.Rejected]: 'red',
  [QuoteStatus.Expired]: 'gray',
  [QuoteStatus.Converted]: 'green',
  [QuoteStatus.Cancelled]: 'gray',
}

/** The status of a quote in words. */
export function QuoteBadge({ status }: { readonly status: QuoteStatus }) {
  const t = useTexts()
  return (
    <Badge variant="light" color={quoteColors[status]}>
      {t(`Pricing::Enum:QuoteStatus.${status}`)}
    </Badge>
  )
}

const cardColors: Readonly<Record<RateCardStatus, string>> = {
  [RateCardStatus.Draft]: 'gray',
  [RateCardStatus.PendingApproval]: 'orange',
  [RateCardStatus.Active]: 'teal',
  [RateCardStatus.Suspended]: 'red',
  [RateCardStatus.Expired]: 'gray',
  [RateCardStatus.Superseded]: 'gray',
  [RateCardStatus.Archived]: 'gray',
}

/** The status of a rate card in words. */
export function CardBadge({ status }: { readonly status: RateCardStatus }) {
  const t = useTexts()
  return (
    <Badge variant="light" color={cardColors[status]}>
      {t(`Pricing::Enum:RateCardStatus.${status}`)}
    </Badge>
  )
}

/** Whether a rule or a lane counts. */
export function ActiveBadge({ isActive }: { readonly isActive: boolean }) {
  const t = useTexts()
  return (
    <Badge variant="light" color={isActive ? 'teal' : 'gray'}>
      {t(isActive ? 'Active' : 'Inactive')}
    </Badge>
  )
}

/** Origin and destination of a request for prices. */
export interface Relation {
  transportModeCode: string
  containerModeCode: string
  incotermCode: string
  originUnLocode: string
  destinationUnLocode: string
  cargoReadyDate: string
  pricingDate: string
  currencyCode: string
  goodsValue: string
  isDangerousGoods: boolean
  isTemperatureControlled: boolean
}

/** The key of a label of rate cards. */
export const ofCard = (name: string) => `Pricing::DisplayName:RateCard:${name}`

/** The key of a label of quotes. */
export const ofQuote = (name: string) => `Pricing::DisplayName:Quote:${name}`

/** The fields of a request for prices, of quotes and of the rate search. */
export function useRequestFields<V extends Relation>(): readonly Field<V>[] {
  const modes = useTransportModes()
  const codes = useCurrencies()
  return [
    {
      name: 'originUnLocode',
      title: ofQuote('OriginUnLocode'),
      kind: 'code',
      lookup: lookups.port,
      isRequired: true,
    },
    {
      name: 'destinationUnLocode',
      title: ofQuote('DestinationUnLocode'),
      kind: 'code',
      lookup: lookups.port,
      isRequired: true,
    },
    {
      name: 'transportModeCode',
      title: ofQuote('TransportModeCode'),
      kind: 'choice',
      options: modes,
      isRequired: true,
    },
    {
      name: 'containerModeCode',
      title: ofQuote('ContainerModeCode'),
      kind: 'code',
      lookup: lookups.containerMode,
      isRequired: true,
    },
    {
      name: 'currencyCode',
      title: ofQuote('CurrencyCode'),
      kind: 'choice',
      options: codes,
      isRequired: true,
    },
    { name: 'incotermCode', title: ofQuote('IncotermCode'), kind: 'code', lookup: lookups.incoterm },
    { name: 'cargoReadyDate', title: ofQuote('CargoReadyDate'), kind: 'date' },
    { name: 'pricingDate', title: ofQuote('PricingDate'), kind: 'date', hint: 'Pricing:TodayHint' },
    { name: 'goodsValue', title: ofQuote('GoodsValue'), kind: 'decimal' },
    { name: 'isDangerousGoods', title: ofQuote('IsDangerousGoods'), kind: 'check' },
    { name: 'isTemperatureControlled', title: ofQuote('IsTemperatureControlled'), kind: 'check' },
  ] as readonly Field<Relation>[] as unknown as readonly Field<V>[]
}

/** The values of a request for prices, of a new one without it. */
export function requestOf(
  stored?: Partial<Record<keyof Relation, string | boolean | null | undefined>>,
): Relation {
  const text = (name: keyof Relation) => String(stored?.[name] ?? '')
  return {
    transportModeCode: text('transportModeCode') || 'Sea',
    containerModeCode: text('containerModeCode'),
    incotermCode: text('incotermCode'),
    originUnLocode: text('originUnLocode'),
    destinationUnLocode: text('destinationUnLocode'),
    cargoReadyDate: text('cargoReadyDate'),
    pricingDate: text('pricingDate'),
    currencyCode: text('currencyCode') || 'EUR',
    goodsValue: text('goodsValue'),
    isDangerousGoods: stored?.isDangerousGoods === true,
    isTemperatureControlled: stored?.isTemperatureControlled === true,
  }
}
