import { PackingGroup, type PackLineDangerousGoodsDto, type PackLineDto } from '@keel/hub-proxy'
import { useQueryWhen } from '@keel/react'
import { useEffect, useRef } from 'react'
import { useApplication } from '../application.js'
import { Drawer } from './drawer.js'
import { EditDialog, type Editing } from './edit-dialog.js'
import { enumOptions, type PickProps } from './fields.js'
import type { Form } from './form.js'
import { dangerousGoods, dangerousSubstances, shipments, unitsOfMeasure } from './hub.js'
import { LookupSelect } from './lookup-select.js'
import { SmallList } from './small-list.js'

type Goods = InstanceType<typeof PackLineDangerousGoodsDto>
const own = (name: string) => `Ops:DangerousGoods:${name}`

const valuesOf = (goods?: Goods) => ({
  dangerousSubstanceId: goods?.dangerousSubstanceId ?? null,
  properShippingName: goods?.properShippingName ?? '',
  hazardClass: goods?.hazardClass ?? '',
  subsidiaryHazards: goods?.subsidiaryHazards ?? '',
  packingGroup: (goods?.packingGroup ?? null) as number | null,
  netQuantity: (goods?.netQuantity ?? null) as number | null,
  unitCode: goods?.unitCode ?? 'KGM',
  flashPointC: (goods?.flashPointC ?? null) as number | null,
  emergencyContact: goods?.emergencyContact ?? '',
  emergencyPhone: goods?.emergencyPhone ?? '',
  isLimitedQuantity: goods?.isLimitedQuantity ?? false,
  isMarinePollutant: goods?.isMarinePollutant ?? false,
})
type Values = ReturnType<typeof valuesOf>

/** Picks an entry of the list of dangerous goods by UN number or name. */
function SubstanceSelect(props: PickProps) {
  return (
    <LookupSelect
      {...props}
      find={dangerousSubstances.getLookup}
      get={dangerousSubstances.get}
      labelOf={({ unNumber, properShippingName }) => `${unNumber} · ${properShippingName}`}
    />
  )
}

/** Fills in what the list says of an entry when it is chosen for new goods. What a draft holds beside its entry stays. */
function FromList({ form }: { readonly form: Form<Values> }) {
  const { dangerousSubstanceId: id } = form.values
  const { data } = useQueryWhen(id !== null, dangerousSubstances.get, id ?? '')
  const filledIn = useRef(id)
  useEffect(() => {
    if (!data || data.id !== id || data.id === filledIn.current) return
    filledIn.current = data.id
    form.set('properShippingName', data.properShippingName)
    form.set('hazardClass', data.hazardClass)
    form.set('subsidiaryHazards', data.subsidiaryHazards ?? '')
    form.set('packingGroup', data.packingGroup ?? null)
    form.set('isMarinePollutant', data.isMarinePollutant)
  })
  return null
}

/** The dangerous goods in a line of cargo, beside the shipment. */
export function DangerousGoods({
  line,
  mayEdit,
  onClose,
}: {
  readonly line: InstanceType<typeof PackLineDto>
  readonly mayEdit: boolean
  readonly onClose: () => void
}) {
  const { t, formatNumber } = useApplication()
  const groups = enumOptions(t, 'Hub::Enum:PackingGroup', PackingGroup)
  const editingOf = (isNew: boolean): Editing<Goods, Values> => ({
    draft: `dangerous-goods:${line.id}`,
    get: dangerousGoods.get,
    create: dangerousGoods.create as never,
    update: dangerousGoods.update as never,
    valuesOf,
    sendsChangesOnly: true,
    toInput: (values) => (isNew ? { ...values, packLineId: line.id } : values),
    alsoInvalidates: [shipments.get],
    fieldOfCode: { ForbiddenByAir: 'dangerousSubstanceId', InvalidCode: 'unitCode' },
    fields: [
      {
        name: 'dangerousSubstanceId',
        title: 'Hub::Entity:DangerousSubstance',
        hint: own('SubstanceHint'),
        kind: 'pick',
        pick: SubstanceSelect,
        isRequired: true,
      },
      { name: 'properShippingName', title: own('ProperShippingName'), isRequired: true },
      { name: 'hazardClass', title: own('HazardClass'), isRequired: true },
      { name: 'subsidiaryHazards', title: own('SubsidiaryHazards') },
      { name: 'packingGroup', title: own('PackingGroup'), kind: 'enum', options: groups },
      { name: 'netQuantity', title: own('NetQuantity'), kind: 'number', isRequired: true },
      {
        name: 'unitCode',
        title: 'Ops:OrderLine:UnitCode',
        kind: 'code',
        lookup: [unitsOfMeasure.getLookup],
        isRequired: true,
      },
      { name: 'flashPointC', title: own('FlashPoint'), kind: 'number' },
      { name: 'emergencyContact', title: own('EmergencyContact'), isRequired: true },
      { name: 'emergencyPhone', title: own('EmergencyPhone'), isRequired: true },
      { name: 'isLimitedQuantity', title: own('IsLimitedQuantity'), kind: 'check' },
      { name: 'isMarinePollutant', title: own('IsMarinePollutant'), kind: 'check' },
    ],
  })
  return (
    <Drawer
      onClose={onClose}
      size="xl"
      title={`${t('Hub::Entity:PackLineDangerousGoods')}: ${t('Ops:PackLine:LineNumber')} ${line.lineNumber}`}
    >
      <SmallList
        title="Hub::Entity:PackLineDangerousGoods"
        list={dangerousGoods.getList}
        input={{ packLineId: line.id }}
        emptyHint="Ops:NoDangerousGoodsHint"
        alsoInvalidates={[shipments.get]}
        columns={[
          {
            id: 'substance',
            title: own('UnNumber'),
            isEssential: true,
            cell: ({ dangerousSubstance }) => dangerousSubstance && `UN ${dangerousSubstance.unNumber}`,
          },
          {
            id: 'name',
            title: own('ProperShippingName'),
            isEssential: true,
            cell: ({ properShippingName }) => properShippingName,
          },
          {
            id: 'class',
            title: own('HazardClass'),
            cell: ({ hazardClass, subsidiaryHazards }) =>
              subsidiaryHazards ? `${hazardClass} (${subsidiaryHazards})` : hazardClass,
          },
          {
            id: 'group',
            title: own('PackingGroup'),
            cell: ({ packingGroup }) => groups.find(({ value }) => value === String(packingGroup))?.label,
          },
          {
            id: 'quantity',
            title: own('NetQuantity'),
            isFigure: true,
            cell: ({ netQuantity, unitCode }) => `${formatNumber(netQuantity)} ${unitCode}`,
          },
        ]}
        work={{
          newTitle: mayEdit && 'Ops:AddDangerousGoods',
          mayEdit,
          dialog: (id, onDone) => (
            <EditDialog
              id={id}
              title={t(id ? 'Hub::Entity:PackLineDangerousGoods' : 'Ops:AddDangerousGoods')}
              editing={editingOf(id === undefined)}
              onClose={onDone}
            >
              {(form) => id === undefined && <FromList form={form} />}
            </EditDialog>
          ),
        }}
        removal={
          mayEdit && {
            call: dangerousGoods.delete,
            warn: ({ properShippingName }) => t('Ops:DeleteRowHint', { name: properShippingName }),
          }
        }
      />
    </Drawer>
  )
}
