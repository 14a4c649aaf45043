import {
  AirProhibition,
  CodeEntityPermissions,
  type DangerousSubstanceDto,
  PackingGroup,
} from '@keel/hub-proxy'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { enumOptions } from '../parts/fields.js'
import { dangerousSubstances } from '../parts/hub.js'
import { ListPage } from '../parts/list-page.js'

type Substance = InstanceType<typeof DangerousSubstanceDto>
const own = (name: string) => `Ops:DangerousGoods:${name}`

const valuesOf = (substance?: Substance) => ({
  unNumber: substance?.unNumber ?? '',
  variant: substance?.variant ?? '',
  properShippingName: substance?.properShippingName ?? '',
  hazardClass: substance?.hazardClass ?? '',
  subsidiaryHazards: substance?.subsidiaryHazards ?? '',
  packingGroup: (substance?.packingGroup ?? null) as number | null,
  emsCode: substance?.emsCode ?? '',
  airProhibition: (substance?.airProhibition ?? AirProhibition.Allowed) as number,
  isMarinePollutant: substance?.isMarinePollutant ?? false,
})

const nameOf = ({ unNumber, variant }: Substance) => [unNumber, variant].filter(Boolean).join(' ')

/** The list of dangerous goods that lines of cargo name. It has the permissions of the small coded lists. */
export function Page() {
  const { t, may } = useApplication()
  const { Create, Edit, Delete } = CodeEntityPermissions
  const groups = enumOptions(t, 'Hub::Enum:PackingGroup', PackingGroup)
  const editing: Editing<Substance, ReturnType<typeof valuesOf>> = {
    draft: 'dangerous-substance',
    get: dangerousSubstances.get,
    create: dangerousSubstances.create as never,
    update: dangerousSubstances.update as never,
    valuesOf,
    fields: [
      { name: 'unNumber', title: own('UnNumber'), hint: 'Ops:Substance:UnNumberHint', isRequired: true },
      {
        name: 'variant',
        title: 'Ops:Substance:Variant',
        hint: 'Ops:Substance:VariantHint',
        keepsEmpty: true,
      },
      { name: 'properShippingName', title: own('ProperShippingName'), isRequired: true },
      {
        name: 'hazardClass',
        title: own('HazardClass'),
        hint: 'Ops:Substance:HazardClassHint',
        isRequired: true,
      },
      {
        name: 'subsidiaryHazards',
        title: own('SubsidiaryHazards'),
        hint: 'Ops:Substance:SubsidiaryHazardsHint',
      },
      { name: 'packingGroup', title: own('PackingGroup'), kind: 'enum', options: groups },
      { name: 'emsCode', title: 'Ops:Substance:EmsCode', hint: 'Ops:Substance:EmsCodeHint' },
      {
        name: 'airProhibition',
        title: 'Ops:Substance:AirProhibition',
        kind: 'enum',
        isRequired: true,
        options: enumOptions(t, 'Hub::Enum:AirProhibition', AirProhibition),
      },
      { name: 'isMarinePollutant', title: own('IsMarinePollutant'), kind: 'check' },
    ],
    fieldOfCode: { AlreadyExists: 'unNumber' },
  }
  const columns: Column<Substance>[] = [
    { id: 'unNumber', title: own('UnNumber'), sort: 'unNumber', isEssential: true, cell: nameOf },
    {
      id: 'name',
      title: own('ProperShippingName'),
      sort: 'properShippingName',
      isEssential: true,
      cell: ({ properShippingName }) => properShippingName,
    },
    {
      id: 'class',
      title: own('HazardClass'),
      sort: 'hazardClass',
      cell: ({ hazardClass, subsidiaryHazards }) =>
        subsidiaryHazards ? `${hazardClass} (${subsidiaryHazards})` : hazardClass,
    },
    {
      id: 'group',
      title: own('PackingGroup'),
      sort: 'packingGroup',
      cell: ({ packingGroup }) => groups.find(({ value }) => value === String(packingGroup))?.label,
    },
    {
      id: 'air',
      title: 'Ops:Substance:AirProhibition',
      sort: 'airProhibition',
      cell: ({ airProhibition }) => t(`Hub::Enum:AirProhibition.${airProhibition}`),
    },
    {
      id: 'pollutant',
      title: own('IsMarinePollutant'),
      cell: ({ isMarinePollutant }) => t(isMarinePollutant ? 'AbpUi::Yes' : 'AbpUi::No'),
    },
    { id: 'ems', title: 'Ops:Substance:EmsCode', isExtra: true, cell: ({ emsCode }) => emsCode },
  ]
  return (
    <ListPage
      title="Ops:Substances"
      hint="Ops:SubstancesHint"
      icon="flag"
      emptyHint="Ops:NoSubstancesHint"
      views="DangerousSubstances"
      list={dangerousSubstances.getList}
      columns={columns}
      work={{
        newTitle: may(Create) && 'Ops:NewSubstance',
        mayEdit: may(Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:DangerousSubstance' : 'Ops:NewSubstance')}
            editing={editing}
            mayChange={may(id ? Edit : Create)}
            onClose={onClose}
          />
        ),
      }}
      revival={dangerousSubstances}
      removal={
        may(Delete) && {
          call: dangerousSubstances.delete,
          warn: (substance) =>
            t('Pricing:DeactivateHint', {
              name: `UN ${nameOf(substance)} · ${substance.properShippingName}`,
            }),
        }
      }
    />
  )
}
