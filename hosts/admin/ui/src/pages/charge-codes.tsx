import { type ChargeCodeDto, ChargeCodePermissions, ChargeGroup, RateBasis } from '@keel/pricing-proxy'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import type { Field } from '../parts/fields.js'
import { codeAndName, ListPage } from '../parts/list-page.js'
import { chargeCodes, useChargeGroups, useRateBases } from '../parts/pricing.js'

type ChargeCode = InstanceType<typeof ChargeCodeDto>
const own = (name: string) => `Pricing::DisplayName:ChargeCode:${name}`
const modes = ['appliesToSea', 'appliesToAir', 'appliesToRoad', 'appliesToRail'] as const
const titleOf = (mode: string) => own(mode.charAt(0).toUpperCase() + mode.slice(1))

const valuesOf = (code?: ChargeCode) => ({
  code: code?.code ?? '',
  name: code?.name ?? '',
  chargeGroup: code?.chargeGroup ?? ChargeGroup.Surcharge,
  defaultBasis: code?.defaultBasis ?? RateBasis.PerShipment,
  uneceCode: code?.uneceCode ?? '',
  sortOrder: code?.sortOrder ?? 0,
  appliesToSea: code?.appliesToSea ?? true,
  appliesToAir: code?.appliesToAir ?? true,
  appliesToRoad: code?.appliesToRoad ?? true,
  appliesToRail: code?.appliesToRail ?? true,
  isTaxable: code?.isTaxable ?? false,
})
type Values = ReturnType<typeof valuesOf>

/** Everything that can be charged, by code. */
export function Page() {
  const { t, may } = useApplication()
  const fields: readonly Field<Values>[] = [
    { name: 'code', title: own('Code'), hint: 'Pricing:ChargeCodeHint', isRequired: true },
    { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
    {
      name: 'chargeGroup',
      title: own('ChargeGroup'),
      kind: 'enum',
      options: useChargeGroups(),
      isRequired: true,
    },
    {
      name: 'defaultBasis',
      title: own('DefaultBasis'),
      kind: 'enum',
      options: useRateBases(),
      isRequired: true,
    },
    { name: 'uneceCode', title: own('UneceCode') },
    { name: 'sortOrder', title: own('SortOrder'), kind: 'number', isRequired: true },
    ...modes.map((mode): Field<Values> => ({ name: mode, title: titleOf(mode), kind: 'check' })),
    { name: 'isTaxable', title: own('IsTaxable'), kind: 'check' },
  ]
  const editing: Editing<ChargeCode, Values> = {
    draft: 'charge-code',
    ownFields: 'Pricing.ChargeCode',
    get: chargeCodes.get,
    create: chargeCodes.create as never,
    update: chargeCodes.update as never,
    valuesOf,
    fields,
    fieldOfCode: { AlreadyExists: 'code' },
  }
  const columns: Column<ChargeCode>[] = [
    ...codeAndName<ChargeCode>({ code: own('Code') }),
    {
      id: 'group',
      title: own('ChargeGroup'),
      sort: 'chargeGroup',
      cell: ({ chargeGroup }) => t(`Pricing::Enum:ChargeGroup.${chargeGroup}`),
    },
    {
      id: 'basis',
      title: own('DefaultBasis'),
      sort: 'defaultBasis',
      cell: ({ defaultBasis }) => t(`Pricing::Enum:RateBasis.${defaultBasis}`),
    },
    {
      id: 'modes',
      title: 'Pricing:Modes',
      cell: (code) =>
        modes
          .filter((mode) => code[mode])
          .map((mode) => t(titleOf(mode)))
          .join(', '),
    },
    { id: 'unece', title: own('UneceCode'), isExtra: true, cell: ({ uneceCode }) => uneceCode },
  ]
  return (
    <ListPage
      title="Pricing:ChargeCodes"
      hint="Pricing:ChargeCodesHint"
      icon="list"
      emptyHint="Pricing:NoChargeCodesHint"
      views="ChargeCodes"
      list={chargeCodes.getList}
      columns={columns}
      work={{
        newTitle: may(ChargeCodePermissions.Create) && 'Pricing:NewChargeCode',
        mayEdit: may(ChargeCodePermissions.Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Pricing::Entity:ChargeCode' : 'Pricing:NewChargeCode')}
            editing={editing}
            mayChange={may(id ? ChargeCodePermissions.Edit : ChargeCodePermissions.Create)}
            onClose={onClose}
          />
        ),
      }}
      revival={chargeCodes}
      removal={
        may(ChargeCodePermissions.Delete) && {
          call: chargeCodes.delete,
          warn: ({ code, name }) => t('Pricing:DeactivateHint', { name: `${code} · ${name}` }),
        }
      }
    />
  )
}
