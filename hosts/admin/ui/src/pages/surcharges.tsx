import {
  ChargeCondition,
  type ChargeGroup,
  RateBasis,
  SurchargePermissions,
  type SurchargeRuleDto,
} from '@keel/pricing-proxy'
import { useQuery } from '@keel/react'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import type { Field } from '../parts/fields.js'
import type { Filter } from '../parts/filters.js'
import { useFormats } from '../parts/formats.js'
import { ListPage } from '../parts/list-page.js'
import {
  ActiveBadge,
  fuelIndices,
  lookups,
  ofCard,
  surchargeRules,
  useChargeCodes,
  useChargeGroups,
  useCurrencies,
  usePricingEnum,
  useRateBases,
  useTransportModes,
  useZones,
} from '../parts/pricing.js'

type Rule = InstanceType<typeof SurchargeRuleDto>

const valuesOf = (rule?: Rule) => ({
  chargeCodeId: rule?.chargeCodeId ?? (null as string | null),
  transportModeCode: rule?.transportModeCode ?? 'Sea',
  containerModeCode: rule?.containerModeCode ?? '',
  carrierCode: rule?.carrierCode ?? '',
  originZoneId: rule?.originZoneId ?? (null as string | null),
  destinationZoneId: rule?.destinationZoneId ?? (null as string | null),
  basis: rule?.basis ?? RateBasis.PerContainer,
  percentOfGroup: rule?.percentOfGroup ?? (null as ChargeGroup | null),
  currencyCode: rule?.currencyCode ?? 'USD',
  amount: rule?.amount ?? '',
  minAmount: rule?.minAmount ?? '',
  maxAmount: rule?.maxAmount ?? '',
  fuelIndexId: rule?.fuelIndexId ?? (null as string | null),
  fuelBaseValue: rule?.fuelBaseValue ?? '',
  fuelStep: rule?.fuelStep ?? '',
  fuelAmountPerStep: rule?.fuelAmountPerStep ?? '',
  appliesWhen: rule?.appliesWhen ?? ChargeCondition.Always,
  validFrom: rule?.validFrom ?? '',
  validTo: rule?.validTo ?? '',
  isActive: rule?.isActive ?? true,
  concurrencyStamp: rule?.concurrencyStamp ?? '',
})
type Values = ReturnType<typeof valuesOf>

/** Surcharges that are added across rate cards, fixed or by a fuel index. */
export function Page() {
  const { t, may } = useApplication()
  const formats = useFormats()
  const zones = useZones()
  const modes = useTransportModes()
  const charges = useChargeCodes()
  const indices = useQuery(fuelIndices.getLookup, {})
  const hasIndex = ({ fuelIndexId }: Values) => fuelIndexId !== null
  const fields: readonly Field<Values>[] = [
    {
      name: 'chargeCodeId',
      title: 'Pricing:Charge',
      kind: 'choice',
      options: charges,
      isRequired: true,
    },
    {
      name: 'transportModeCode',
      title: ofCard('TransportModeCode'),
      kind: 'choice',
      options: modes,
      isRequired: true,
    },
    {
      name: 'containerModeCode',
      title: ofCard('ContainerModeCode'),
      kind: 'code',
      lookup: lookups.containerMode,
    },
    { name: 'carrierCode', title: ofCard('CarrierCode'), kind: 'code', lookup: lookups.carrier },
    { name: 'originZoneId', title: 'Pricing:OriginZone', kind: 'choice', options: zones },
    { name: 'destinationZoneId', title: 'Pricing:DestinationZone', kind: 'choice', options: zones },
    {
      name: 'basis',
      title: 'Pricing::DisplayName:ChargeCode:DefaultBasis',
      kind: 'enum',
      options: useRateBases(),
      isRequired: true,
    },
    {
      name: 'percentOfGroup',
      title: 'Pricing:PercentOfGroup',
      kind: 'enum',
      options: useChargeGroups(),
      isShown: ({ basis }) => basis === RateBasis.PercentOfGroup,
    },
    {
      name: 'fuelIndexId',
      title: 'Pricing::Entity:FuelIndex',
      hint: 'Pricing:FuelIndexHint',
      kind: 'choice',
      options: indices.data?.map(({ id, code, name }) => ({ value: id, label: `${code} · ${name}` })) ?? [],
    },
    {
      name: 'currencyCode',
      title: ofCard('CurrencyCode'),
      kind: 'choice',
      options: useCurrencies(),
      isRequired: true,
    },
    { name: 'amount', title: 'Pricing:Line:Amount', kind: 'decimal', isShown: (values) => !hasIndex(values) },
    { name: 'fuelBaseValue', title: 'Pricing:FuelBaseValue', kind: 'decimal', isShown: hasIndex },
    { name: 'fuelStep', title: 'Pricing:FuelStep', kind: 'decimal', isShown: hasIndex },
    { name: 'fuelAmountPerStep', title: 'Pricing:FuelAmountPerStep', kind: 'decimal', isShown: hasIndex },
    { name: 'minAmount', title: 'Pricing:Line:MinAmount', kind: 'decimal' },
    { name: 'maxAmount', title: 'Pricing:Line:MaxAmount', kind: 'decimal' },
    {
      name: 'appliesWhen',
      title: 'Pricing:Line:AppliesWhen',
      kind: 'enum',
      options: usePricingEnum('ChargeCondition', ChargeCondition),
      isRequired: true,
    },
    { name: 'validFrom', title: ofCard('ValidFrom'), kind: 'date', isRequired: true },
    { name: 'validTo', title: ofCard('ValidTo'), kind: 'date', hint: 'ValidUntilHint' },
    { name: 'isActive', title: 'Active', kind: 'switch' },
  ]
  const editing: Editing<Rule, Values> = {
    draft: 'surcharge',
    ownFields: 'Pricing.SurchargeRule',
    get: surchargeRules.get,
    create: surchargeRules.create as never,
    update: surchargeRules.update as never,
    valuesOf,
    fields,
    // What is hidden belongs to another kind of surcharge.
    toInput: (values) => ({
      ...values,
      ...Object.fromEntries(
        fields.filter(({ isShown }) => isShown && !isShown(values)).map(({ name }) => [name, null]),
      ),
    }),
    fieldOfCode: { FuelFieldsIncomplete: 'amount' },
  }
  const filters: readonly Filter[] = [
    { name: 'transportModeCode', title: ofCard('TransportModeCode'), kind: 'choice', options: modes },
    { name: 'chargeCodeId', title: 'Pricing:Charge', kind: 'choice', options: charges },
  ]
  const columns: Column<Rule>[] = [
    {
      id: 'charge',
      title: 'Pricing:Charge',
      isEssential: true,
      cell: ({ chargeCode }) => `${chargeCode?.code ?? ''} · ${chargeCode?.name ?? ''}`,
    },
    {
      id: 'amount',
      title: 'Pricing:Line:Amount',
      isEssential: true,
      cell: ({ amount, currencyCode, percentOfGroup, basis, fuelIndex }) =>
        fuelIndex
          ? fuelIndex.code
          : `${formats.decimal(amount)} ${percentOfGroup != null || basis === RateBasis.PercentOfValue ? '%' : currencyCode}`,
    },
    {
      id: 'basis',
      title: 'Pricing::DisplayName:ChargeCode:DefaultBasis',
      cell: ({ basis }) => t(`Pricing::Enum:RateBasis.${basis}`),
    },
    {
      id: 'mode',
      title: ofCard('TransportModeCode'),
      sort: 'transportModeCode',
      cell: ({ transportModeCode, containerModeCode, carrierCode }) =>
        [transportModeCode, containerModeCode, carrierCode].filter(Boolean).join(' · '),
    },
    {
      id: 'zones',
      title: 'Pricing:Relation',
      cell: ({ originZone, destinationZone }) =>
        (originZone || destinationZone) && `${originZone?.code ?? '*'} → ${destinationZone?.code ?? '*'}`,
    },
    {
      id: 'validity',
      title: 'Pricing:Validity',
      sort: 'validFrom',
      cell: ({ validFrom, validTo }) => `${formats.date(validFrom)} – ${formats.date(validTo)}`,
    },
    { id: 'state', title: 'State', cell: ({ isActive }) => <ActiveBadge isActive={isActive} /> },
  ]
  return (
    <ListPage
      title="Pricing:Surcharges"
      hint="Pricing:SurchargesHint"
      icon="plus"
      emptyHint="Pricing:NoSurchargesHint"
      views="SurchargeRules"
      list={surchargeRules.getList}
      columns={columns}
      filters={filters}
      work={{
        newTitle: may(SurchargePermissions.Create) && 'Pricing:NewSurcharge',
        mayEdit: may(SurchargePermissions.Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Pricing::Entity:SurchargeRule' : 'Pricing:NewSurcharge')}
            editing={editing}
            mayChange={may(id ? SurchargePermissions.Edit : SurchargePermissions.Create)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        may(SurchargePermissions.Delete) && {
          call: surchargeRules.delete,
          warn: ({ chargeCode }) => t('Pricing:DeleteRuleHint', { name: chargeCode?.name ?? '' }),
        }
      }
    />
  )
}
