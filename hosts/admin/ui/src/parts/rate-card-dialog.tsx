import { type RateCardDto, RateCardType, RateDateBasis } from '@keel/pricing-proxy'
import { useTexts } from '../application.js'
import { EditDialog, type Editing } from './edit-dialog.js'
import type { Field } from './fields.js'
import { OrganizationSelect } from './organizations.js'
import { lookups, ofCard, rateCards, useCurrencies, usePricingEnum, useTransportModes } from './pricing.js'

type Card = InstanceType<typeof RateCardDto>

function valuesOf(card?: Card) {
  return {
    reference: card?.reference ?? '',
    name: card?.name ?? '',
    cardType: card?.cardType ?? RateCardType.Buy,
    transportModeCode: card?.transportModeCode ?? 'Sea',
    containerModeCode: card?.containerModeCode ?? '',
    carrierCode: card?.carrierCode ?? '',
    organizationId: card?.organizationId ?? null,
    contractNumber: card?.contractNumber ?? '',
    currencyCode: card?.currencyCode ?? 'USD',
    validFrom: card?.validFrom ?? '',
    validTo: card?.validTo ?? '',
    dateBasis: card?.dateBasis ?? RateDateBasis.EstimatedDeparture,
    priority: card?.priority ?? 100,
    volumetricDivisor: card?.volumetricDivisor ?? 6000,
    minimumRevenueTon: card?.minimumRevenueTon ?? '1',
    notes: card?.notes ?? '',
    concurrencyStamp: card?.concurrencyStamp ?? '',
  }
}
type Values = ReturnType<typeof valuesOf>

/** The head of a rate card: what it is, for whom, and when it counts. */
export function RateCardDialog({
  id,
  onClose,
  onSaved,
}: {
  /** Undefined for a new one. */
  readonly id: string | undefined
  readonly onClose: () => void
  readonly onSaved?: (answer: unknown) => void
}) {
  const t = useTexts()
  const fields: readonly Field<Values>[] = [
    { name: 'reference', title: ofCard('Reference'), isRequired: true },
    { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
    {
      name: 'cardType',
      title: ofCard('CardType'),
      kind: 'enum',
      options: usePricingEnum('RateCardType', RateCardType),
      isRequired: true,
    },
    {
      name: 'transportModeCode',
      title: ofCard('TransportModeCode'),
      kind: 'choice',
      options: useTransportModes(),
      isRequired: true,
    },
    {
      name: 'containerModeCode',
      title: ofCard('ContainerModeCode'),
      kind: 'code',
      lookup: lookups.containerMode,
      hint: 'Pricing:EmptyForAll',
    },
    { name: 'carrierCode', title: ofCard('CarrierCode'), kind: 'code', lookup: lookups.carrier },
    {
      name: 'currencyCode',
      title: ofCard('CurrencyCode'),
      kind: 'choice',
      options: useCurrencies(),
      isRequired: true,
    },
    { name: 'contractNumber', title: ofCard('ContractNumber') },
    {
      name: 'organizationId',
      title: ofCard('OrganizationCode'),
      kind: 'pick',
      pick: OrganizationSelect,
      hint: 'Pricing:CardOrganizationHint',
    },
    { name: 'validFrom', title: ofCard('ValidFrom'), kind: 'date', isRequired: true },
    { name: 'validTo', title: ofCard('ValidTo'), kind: 'date', isRequired: true },
    {
      name: 'dateBasis',
      title: ofCard('DateBasis'),
      kind: 'enum',
      options: usePricingEnum('RateDateBasis', RateDateBasis),
      isRequired: true,
    },
    {
      name: 'priority',
      title: ofCard('Priority'),
      kind: 'number',
      hint: 'Pricing:PriorityHint',
      isRequired: true,
    },
    {
      name: 'volumetricDivisor',
      title: ofCard('VolumetricDivisor'),
      kind: 'number',
      isRequired: true,
    },
    { name: 'minimumRevenueTon', title: ofCard('MinimumRevenueTon'), kind: 'decimal', isRequired: true },
    { name: 'notes', title: ofCard('Notes'), kind: 'area' },
  ]
  const editing: Editing<Card, Values> = {
    draft: 'rate-card',
    ownFields: 'Pricing.RateCard',
    get: rateCards.get,
    create: rateCards.create as never,
    update: rateCards.update as never,
    valuesOf,
    fields,
    fieldOfCode: { ReferenceAlreadyExists: 'reference' },
  }
  return (
    <EditDialog
      id={id}
      title={t(id ? 'Pricing::Entity:RateCard' : 'Pricing:NewRateCard')}
      editing={editing}
      onClose={onClose}
      {...(onSaved && { onSaved })}
    />
  )
}
