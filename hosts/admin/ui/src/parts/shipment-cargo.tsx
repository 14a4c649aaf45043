import {
  type ContainerDto,
  ContainerPermissions,
  type PackLineDto,
  type ShipmentContainerDto,
  ShipmentPermissions,
} from '@keel/hub-proxy'
import { useQuery as useTanstackQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApplication } from '../application.js'
import { batched } from './batch.js'
import { DangerousGoods } from './dangerous-goods.js'
import { EditDialog, type Editing } from './edit-dialog.js'
import { containers, hsCodes, packLines, shipmentContainers, shipments } from './hub.js'
import { useCodeName, useCodes, useContainers } from './hub-selects.js'
import { isShipmentOpen, type Shipment } from './shipment-actions.js'
import { SmallList } from './small-list.js'

type PackLine = InstanceType<typeof PackLineDto>
type Loading = InstanceType<typeof ShipmentContainerDto>
type Container = InstanceType<typeof ContainerDto>
const own = (name: string) => `Ops:PackLine:${name}`
const packages = 'Hub::DisplayName:Shipment:TotalPackages'
const weight = 'Hub::DisplayName:Shipment:TotalGrossWeight'
const volume = 'Hub::DisplayName:Shipment:TotalVolume'

function lineValues(line?: PackLine) {
  return {
    lineNumber: (line?.lineNumber ?? null) as number | null,
    packageCount: (line?.packageCount ?? null) as number | null,
    packageTypeId: line?.packageTypeId ?? null,
    description: line?.description ?? '',
    grossWeightKg: (line?.grossWeightKg ?? null) as number | null,
    netWeightKg: (line?.netWeightKg ?? null) as number | null,
    lengthCm: (line?.lengthCm ?? null) as number | null,
    widthCm: (line?.widthCm ?? null) as number | null,
    heightCm: (line?.heightCm ?? null) as number | null,
    volumeM3: (line?.volumeM3 ?? null) as number | null,
    marksAndNumbers: line?.marksAndNumbers ?? '',
    hsCode: line?.hsCode ?? '',
    countryOfOriginCode: line?.countryOfOriginCode ?? '',
    isStackable: line?.isStackable ?? true,
  }
}

/** The cargo of a shipment, line by line. */
export function PackLines({ shipment }: { readonly shipment: Shipment }) {
  const { t, may, formatNumber } = useApplication()
  const [dangerous, showDangerous] = useState<PackLine>()
  const types = useCodes('PackageType')
  const typeName = useCodeName('PackageType')
  const mayEdit = may(ShipmentPermissions.Edit) && isShipmentOpen(shipment)
  const number = (value: number | null | undefined) => (value == null ? '' : formatNumber(value))
  const editingOf = (isNew: boolean): Editing<PackLine, ReturnType<typeof lineValues>> => ({
    draft: `pack-line:${shipment.id}`,
    get: packLines.get,
    create: packLines.create as never,
    update: packLines.update as never,
    valuesOf: lineValues,
    sendsChangesOnly: true,
    toInput: (values) => (isNew ? { ...values, shipmentId: shipment.id } : values),
    alsoInvalidates: [shipments.get],
    fieldOfCode: {
      DuplicateLineNumber: 'lineNumber',
      DimensionsIncomplete: 'heightCm',
      InvalidCode: 'hsCode',
    },
    fields: [
      { name: 'lineNumber', title: own('LineNumber'), kind: 'number', isRequired: true },
      { name: 'packageCount', title: packages, kind: 'number', isRequired: true },
      {
        name: 'packageTypeId',
        title: 'Hub::DisplayName:Shipment:PackageType',
        kind: 'choice',
        options: types,
        isRequired: true,
      },
      { name: 'grossWeightKg', title: weight, kind: 'number', isRequired: true },
      { name: 'description', title: 'Hub::DisplayName:Shipment:CargoDescription', kind: 'area' },
      { name: 'lengthCm', title: own('Length'), kind: 'number' },
      { name: 'widthCm', title: own('Width'), kind: 'number' },
      { name: 'heightCm', title: own('Height'), kind: 'number' },
      { name: 'volumeM3', title: volume, hint: 'Ops:VolumeHint', kind: 'number' },
      { name: 'netWeightKg', title: own('NetWeight'), kind: 'number' },
      { name: 'marksAndNumbers', title: own('Marks') },
      { name: 'hsCode', title: own('HsCode'), kind: 'code', lookup: [hsCodes.getLookup] },
      { name: 'countryOfOriginCode', title: own('CountryOfOrigin'), hint: 'CountryCodeHint' },
      { name: 'isStackable', title: own('IsStackable'), kind: 'check' },
    ],
  })
  return (
    <>
      <SmallList
        title="Hub::DisplayName:Shipment:PackLines"
        list={packLines.getList}
        input={{ shipmentId: shipment.id }}
        emptyHint="Ops:NoPackLinesHint"
        alsoInvalidates={[shipments.get]}
        columns={[
          {
            id: 'line',
            title: own('LineNumber'),
            isEssential: true,
            cell: ({ lineNumber }) => String(lineNumber),
          },
          {
            id: 'packages',
            title: packages,
            isEssential: true,
            cell: ({ packageCount, packageType }) =>
              `${formatNumber(packageCount)} ${typeName(packageType) ?? ''}`,
          },
          {
            id: 'description',
            title: 'Hub::DisplayName:Shipment:CargoDescription',
            cell: ({ description }) => description,
          },
          { id: 'weight', title: weight, isFigure: true, cell: ({ grossWeightKg }) => number(grossWeightKg) },
          { id: 'volume', title: volume, isFigure: true, cell: ({ volumeM3 }) => number(volumeM3) },
          { id: 'hs', title: own('HsCode'), cell: ({ hsCode }) => hsCode },
        ]}
        work={{
          newTitle: mayEdit && 'Ops:AddPackLine',
          mayEdit,
          dialog: (id, onClose) => (
            <EditDialog
              id={id}
              title={t(id ? 'Hub::Entity:PackLine' : 'Ops:AddPackLine')}
              editing={editingOf(id === undefined)}
              onClose={onClose}
            />
          ),
        }}
        actions={[{ title: 'Hub::Entity:PackLineDangerousGoods', icon: 'flag', run: showDangerous }]}
        removal={
          mayEdit && {
            call: packLines.delete,
            warn: ({ lineNumber }) =>
              t('Ops:DeleteRowHint', { name: `${t(own('LineNumber'))} ${lineNumber}` }),
          }
        }
      />
      {dangerous && (
        <DangerousGoods line={dangerous} mayEdit={mayEdit} onClose={() => showDangerous(undefined)} />
      )}
    </>
  )
}

const containerOf = batched(async (ids) => {
  const { items } = await containers.query((q) =>
    q
      .filter((container) => container.id.in([...ids]))
      .expand('containerType')
      .top(ids.length),
  )
  return new Map(items.map((container) => [container.id, container as unknown as Container]))
})

/** The number and the type of a container, by its id. */
function ContainerName({ id }: { readonly id: string }) {
  const { t } = useApplication()
  const { data } = useTanstackQuery({ queryKey: ['container', id], queryFn: () => containerOf(id) })
  if (!data) return '…'
  return [data.containerNumber ?? t('Ops:ContainerUnknown'), data.containerType?.alias]
    .filter(Boolean)
    .join(' · ')
}

function loadingValues(loading?: Loading) {
  return {
    containerId: loading?.containerId ?? null,
    packages: loading?.packages ?? null,
    grossWeightKg: loading?.grossWeightKg ?? null,
    volumeM3: loading?.volumeM3 ?? null,
    sealNumber: loading?.sealNumber ?? '',
  }
}

/** The containers that carry a shipment, and how much of it; nothing for callers who see no containers. */
export function Loadings(props: { readonly shipment: Shipment }) {
  const { may } = useApplication()
  return may(ContainerPermissions.View) && <LoadingList {...props} />
}

function LoadingList({ shipment }: { readonly shipment: Shipment }) {
  const { t, may, formatNumber } = useApplication()
  const options = useContainers()
  const mayEdit = may(ShipmentPermissions.ChangeStatus) && isShipmentOpen(shipment)
  const number = (value: number | null | undefined) => (value == null ? '' : formatNumber(value))
  const editingOf = (isNew: boolean): Editing<Loading, ReturnType<typeof loadingValues>> => ({
    draft: `loading:${shipment.id}`,
    get: shipmentContainers.get,
    create: shipmentContainers.create as never,
    update: shipmentContainers.update as never,
    valuesOf: loadingValues,
    sendsChangesOnly: true,
    toInput: (values) => (isNew ? { ...values, shipmentId: shipment.id } : values),
    fieldOfCode: { AlreadyOnShipment: 'containerId' },
    fields: [
      {
        name: 'containerId',
        title: 'Hub::Entity:Container',
        kind: 'choice',
        options,
        isRequired: true,
        isShown: () => isNew,
      },
      { name: 'packages', title: packages, kind: 'number' },
      { name: 'grossWeightKg', title: weight, kind: 'number' },
      { name: 'volumeM3', title: volume, kind: 'number' },
      { name: 'sealNumber', title: 'Ops:SealNumber' },
    ],
  })
  return (
    <SmallList
      title="Hub::DisplayName:Shipment:Containers"
      list={shipmentContainers.getList}
      input={{ shipmentId: shipment.id }}
      emptyHint="Ops:NoLoadingsHint"
      columns={[
        {
          id: 'container',
          title: 'Hub::Entity:Container',
          isEssential: true,
          cell: ({ containerId }) => <ContainerName id={containerId} />,
        },
        {
          id: 'packages',
          title: packages,
          isEssential: true,
          isFigure: true,
          cell: (row) => number(row.packages),
        },
        { id: 'weight', title: weight, isFigure: true, cell: ({ grossWeightKg }) => number(grossWeightKg) },
        { id: 'volume', title: volume, isFigure: true, cell: ({ volumeM3 }) => number(volumeM3) },
        { id: 'seal', title: 'Ops:SealNumber', cell: ({ sealNumber }) => sealNumber },
      ]}
      work={{
        newTitle: mayEdit && 'Ops:AddLoading',
        mayEdit,
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:ShipmentContainer' : 'Ops:AddLoading')}
            editing={editingOf(id === undefined)}
            onClose={onClose}
          />
        ),
      }}
      removal={
        mayEdit && {
          call: shipmentContainers.delete,
          warn: () => t('Ops:DeleteLoadingHint', { name: shipment.shipmentReference }),
        }
      }
    />
  )
}
