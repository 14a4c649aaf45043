import { ChargeGroup, type MarginRuleDto, MarginRulePermissions, MarginType } from '@keel/pricing-proxy'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import type { Field } from '../parts/fields.js'
import { useFormats } from '../parts/formats.js'
import { ListPage } from '../parts/list-page.js'
import { OrganizationSelect } from '../parts/organizations.js'
import {
  ActiveBadge,
  lookups,
  marginRules,
  ofCard,
  useChargeCodes,
  useChargeGroups,
  useCurrencies,
  usePricingEnum,
  useTransportModes,
  useZones,
} from '../parts/pricing.js'

type Rule = InstanceType<typeof MarginRuleDto>

const valuesOf = (rule?: Rule) => ({
  name: rule?.name ?? '',
  marginType: rule?.marginType ?? MarginType.MarkupPercent,
  value: rule?.value ?? '',
  currencyCode: rule?.currencyCode ?? 'EUR',
  minMarginAmount: rule?.minMarginAmount ?? '',
  maxMarginAmount: rule?.maxMarginAmount ?? '',
  organizationId: rule?.organizationId ?? (null as string | null),
  transportModeCode: rule?.transportModeCode ?? null,
  containerModeCode: rule?.containerModeCode ?? '',
  chargeGroup: rule?.chargeGroup ?? (null as ChargeGroup | null),
  chargeCodeId: rule?.chargeCodeId ?? (null as string | null),
  originZoneId: rule?.originZoneId ?? (null as string | null),
  destinationZoneId: rule?.destinationZoneId ?? (null as string | null),
  priority: rule?.priority ?? 100,
  validFrom: rule?.validFrom ?? '',
  validTo: rule?.validTo ?? '',
  isActive: rule?.isActive ?? true,
  concurrencyStamp: rule?.concurrencyStamp ?? '',
})
type Values = ReturnType<typeof valuesOf>

/** How costs become prices. */
export function Page() {
  const { t, may } = useApplication()
  const formats = useFormats()
  const zones = useZones()
  const fields: readonly Field<Values>[] = [
    { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
    {
      name: 'marginType',
      title: 'Kind',
      kind: 'enum',
      options: usePricingEnum('MarginType', MarginType),
      isRequired: true,
    },
    { name: 'value', title: 'Pricing:Value', kind: 'decimal', isRequired: true },
    {
      name: 'currencyCode',
      title: ofCard('CurrencyCode'),
      kind: 'choice',
      options: useCurrencies(),
      isRequired: true,
    },
    { name: 'minMarginAmount', title: 'Pricing:MinMargin', kind: 'decimal' },
    { name: 'maxMarginAmount', title: 'Pricing:MaxMargin', kind: 'decimal' },
    {
      name: 'transportModeCode',
      title: ofCard('TransportModeCode'),
      kind: 'choice',
      options: useTransportModes(),
    },
    {
      name: 'containerModeCode',
      title: ofCard('ContainerModeCode'),
      kind: 'code',
      lookup: lookups.containerMode,
    },
    {
      name: 'chargeGroup',
      title: 'Pricing::DisplayName:ChargeCode:ChargeGroup',
      kind: 'enum',
      options: useChargeGroups(),
    },
    { name: 'chargeCodeId', title: 'Pricing:Charge', kind: 'choice', options: useChargeCodes() },
    { name: 'originZoneId', title: 'Pricing:OriginZone', kind: 'choice', options: zones },
    { name: 'destinationZoneId', title: 'Pricing:DestinationZone', kind: 'choice', options: zones },
    {
      name: 'organizationId',
      title: 'Pricing::DisplayName:Quote:OrganizationName',
      kind: 'pick',
      pick: OrganizationSelect,
      hint: 'Pricing:EmptyForAll',
    },
    { name: 'validFrom', title: ofCard('ValidFrom'), kind: 'date', isRequired: true },
    { name: 'validTo', title: ofCard('ValidTo'), kind: 'date', hint: 'ValidUntilHint' },
    {
      name: 'priority',
      title: ofCard('Priority'),
      kind: 'number',
      hint: 'Pricing:PriorityHint',
      isRequired: true,
    },
    { name: 'isActive', title: 'Active', kind: 'switch' },
  ]
  const editing: Editing<Rule, Values> = {
    draft: 'margin-rule',
    ownFields: 'Pricing.MarginRule',
    get: marginRules.get,
    create: marginRules.create as never,
    update: marginRules.update as never,
    valuesOf,
    fields,
    fieldOfCode: { InvalidPercent: 'value' },
  }
  const isPercent = ({ marginType }: Rule) =>
    marginType === MarginType.MarkupPercent || marginType === MarginType.MarginPercent
  const columns: Column<Rule>[] = [
    {
      id: 'name',
      title: 'AbpUi::DisplayName:Name',
      sort: 'name',
      isEssential: true,
      cell: ({ name }) => name,
    },
    {
      id: 'value',
      title: 'Pricing:Margin',
      isEssential: true,
      cell: (rule) =>
        isPercent(rule) ? `${formats.decimal(rule.value)} %` : formats.money(rule.value, rule.currencyCode),
    },
    {
      id: 'kind',
      title: 'Kind',
      sort: 'marginType',
      cell: ({ marginType }) => t(`Pricing::Enum:MarginType.${marginType}`),
    },
    {
      id: 'for',
      title: 'Pricing:AppliesTo',
      cell: ({ organizationCode, transportModeCode, chargeCode, chargeGroup, originZone, destinationZone }) =>
        [
          organizationCode,
          transportModeCode,
          chargeCode?.code,
          chargeGroup != null && t(`Pricing::Enum:ChargeGroup.${chargeGroup}`),
          (originZone || destinationZone) && `${originZone?.code ?? '*'} → ${destinationZone?.code ?? '*'}`,
        ]
          .filter(Boolean)
          .join(' · ') || t('Pricing:Everything'),
    },
    {
      id: 'validity',
      title: 'Pricing:Validity',
      sort: 'validFrom',
      cell: ({ validFrom, validTo }) => `${formats.date(validFrom)} – ${formats.date(validTo)}`,
    },
    {
      id: 'priority',
      title: ofCard('Priority'),
      sort: 'priority',
      isExtra: true,
      cell: ({ priority }) => priority,
    },
    { id: 'state', title: 'State', cell: ({ isActive }) => <ActiveBadge isActive={isActive} /> },
  ]
  return (
    <ListPage
      title="Pricing:MarginRules"
      hint="Pricing:MarginRulesHint"
      icon="up"
      emptyHint="Pricing:NoMarginRulesHint"
      views="MarginRules"
      list={marginRules.getList}
      columns={columns}
      work={{
        newTitle: may(MarginRulePermissions.Create) && 'Pricing:NewMarginRule',
        mayEdit: may(MarginRulePermissions.Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Pricing::Entity:MarginRule' : 'Pricing:NewMarginRule')}
            editing={editing}
            mayChange={may(id ? MarginRulePermissions.Edit : MarginRulePermissions.Create)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        may(MarginRulePermissions.Delete) && {
          call: marginRules.delete,
          warn: ({ name }) => t('Pricing:DeleteRuleHint', { name }),
        }
      }
    />
  )
}
