import { CodeEntityPermissions, type ContainerTypeDto } from '@keel/hub-proxy'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import type { Field } from '../parts/fields.js'
import { useFormats } from '../parts/formats.js'
import { containerTypes } from '../parts/hub.js'
import { ListPage } from '../parts/list-page.js'

type ContainerType = InstanceType<typeof ContainerTypeDto>
const own = (name: string) => `Ops:ContainerType:${name}`
const features = ['isReefer', 'isOpenTop', 'isFlatRack', 'isTank'] as const
const titleOf = (feature: string) => own(feature.charAt(0).toUpperCase() + feature.slice(1))

const valuesOf = (type?: ContainerType) => ({
  isoCode: type?.isoCode ?? '',
  alias: type?.alias ?? '',
  name: type?.name ?? '',
  lengthFt: type?.lengthFt ?? '',
  teu: type?.teu ?? '',
  tareWeightKg: type?.tareWeightKg ?? null,
  maxPayloadKg: type?.maxPayloadKg ?? null,
  capacityM3: type?.capacityM3 ?? '',
  isReefer: type?.isReefer ?? false,
  isOpenTop: type?.isOpenTop ?? false,
  isFlatRack: type?.isFlatRack ?? false,
  isTank: type?.isTank ?? false,
})
type Values = ReturnType<typeof valuesOf>

const editing: Editing<ContainerType, Values> = {
  draft: 'container-type',
  get: containerTypes.get,
  create: containerTypes.create as never,
  update: containerTypes.update as never,
  valuesOf,
  fields: [
    { name: 'isoCode', title: own('IsoCode'), hint: own('IsoCodeHint'), isRequired: true },
    { name: 'alias', title: own('Alias'), hint: own('AliasHint'), isRequired: true },
    { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
    { name: 'lengthFt', title: own('LengthFt'), kind: 'decimal', isRequired: true },
    { name: 'teu', title: own('Teu'), kind: 'decimal', isRequired: true },
    { name: 'capacityM3', title: own('CapacityM3'), kind: 'decimal' },
    { name: 'tareWeightKg', title: own('TareWeightKg'), kind: 'number', isRequired: true },
    { name: 'maxPayloadKg', title: own('MaxPayloadKg'), kind: 'number', isRequired: true },
    ...features.map((name): Field<Values> => ({ name, title: titleOf(name), kind: 'check' })),
  ],
  fieldOfCode: { AlreadyExists: 'isoCode' },
}

/** Sizes and types of containers. They have the permissions of the small coded lists. */
export function Page() {
  const { t, may, formatNumber } = useApplication()
  const { decimal } = useFormats()
  const { Create, Edit, Delete } = CodeEntityPermissions
  const columns: Column<ContainerType>[] = [
    {
      id: 'isoCode',
      title: own('IsoCode'),
      sort: 'isoCode',
      isEssential: true,
      cell: ({ isoCode }) => isoCode,
    },
    { id: 'alias', title: own('Alias'), sort: 'alias', cell: ({ alias }) => alias },
    {
      id: 'name',
      title: 'AbpUi::DisplayName:Name',
      sort: 'name',
      isEssential: true,
      cell: ({ name }) => name,
    },
    {
      id: 'length',
      title: own('LengthFt'),
      sort: 'lengthFt',
      isFigure: true,
      cell: ({ lengthFt }) => decimal(lengthFt),
    },
    { id: 'teu', title: own('Teu'), sort: 'teu', isFigure: true, cell: ({ teu }) => decimal(teu) },
    {
      id: 'payload',
      title: own('MaxPayloadKg'),
      sort: 'maxPayloadKg',
      isFigure: true,
      cell: ({ maxPayloadKg }) => formatNumber(maxPayloadKg),
    },
    {
      id: 'features',
      title: 'Kind',
      cell: (type) =>
        features
          .filter((feature) => type[feature])
          .map((feature) => t(titleOf(feature)))
          .join(', '),
    },
    {
      id: 'tare',
      title: own('TareWeightKg'),
      sort: 'tareWeightKg',
      isExtra: true,
      isFigure: true,
      cell: ({ tareWeightKg }) => formatNumber(tareWeightKg),
    },
    {
      id: 'capacity',
      title: own('CapacityM3'),
      sort: 'capacityM3',
      isExtra: true,
      isFigure: true,
      cell: ({ capacityM3 }) => decimal(capacityM3),
    },
  ]
  return (
    <ListPage
      title="Ops:ContainerTypes"
      hint="Ops:ContainerTypesHint"
      icon="box"
      emptyHint="Ops:NoContainerTypesHint"
      views="ContainerTypes"
      list={containerTypes.getList}
      columns={columns}
      work={{
        newTitle: may(Create) && 'Ops:NewContainerType',
        mayEdit: may(Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:ContainerType' : 'Ops:NewContainerType')}
            editing={editing}
            mayChange={may(id ? Edit : Create)}
            onClose={onClose}
          />
        ),
      }}
      revival={containerTypes}
      removal={
        may(Delete) && {
          call: containerTypes.delete,
          warn: ({ isoCode, name }) => t('Pricing:DeactivateHint', { name: `${isoCode} · ${name}` }),
        }
      }
    />
  )
}
