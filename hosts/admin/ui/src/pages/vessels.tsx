import { CarrierPermissions, type VesselDto, VesselType } from '@keel/hub-proxy'
import { useApplication } from '../application.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { enumOptions } from '../parts/fields.js'
import { vessels } from '../parts/hub.js'
import { CarrierSelect } from '../parts/hub-selects.js'
import { ListPage } from '../parts/list-page.js'

type Vessel = InstanceType<typeof VesselDto>
const own = (name: string) => `Ops:Vessel:${name}`

const valuesOf = (vessel?: Vessel) => ({
  name: vessel?.name ?? '',
  imoNumber: vessel?.imoNumber ?? '',
  vesselType: (vessel?.vesselType ?? VesselType.Container) as number,
  carrierId: vessel?.carrierId ?? null,
  callSign: vessel?.callSign ?? '',
  mmsi: vessel?.mmsi ?? '',
  flagCountryCode: vessel?.flagCountryCode ?? '',
  teuCapacity: vessel?.teuCapacity ?? null,
  yearBuilt: vessel?.yearBuilt ?? null,
})

/** Ships of carriers. They have the permissions of carriers. */
export function Page() {
  const { t, may, formatNumber } = useApplication()
  const { Create, Edit, Delete } = CarrierPermissions
  const editing: Editing<Vessel, ReturnType<typeof valuesOf>> = {
    draft: 'vessel',
    get: vessels.get,
    create: vessels.create as never,
    update: vessels.update as never,
    valuesOf,
    fields: [
      { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
      { name: 'imoNumber', title: own('ImoNumber'), hint: own('ImoNumberHint') },
      {
        name: 'vesselType',
        title: 'Kind',
        kind: 'enum',
        isRequired: true,
        options: enumOptions(t, 'Hub::Enum:VesselType', VesselType),
      },
      { name: 'carrierId', title: 'Hub::Entity:Carrier', kind: 'pick', pick: CarrierSelect },
      { name: 'callSign', title: own('CallSign') },
      { name: 'mmsi', title: own('Mmsi'), hint: own('MmsiHint') },
      { name: 'flagCountryCode', title: own('Flag'), hint: 'CountryCodeHint' },
      { name: 'teuCapacity', title: own('TeuCapacity'), kind: 'number' },
      { name: 'yearBuilt', title: own('YearBuilt'), kind: 'number' },
    ],
    fieldOfCode: { AlreadyExists: 'imoNumber' },
  }
  const columns: Column<Vessel>[] = [
    {
      id: 'name',
      title: 'AbpUi::DisplayName:Name',
      sort: 'name',
      isEssential: true,
      cell: ({ name }) => name,
    },
    {
      id: 'imo',
      title: own('ImoNumber'),
      sort: 'imoNumber',
      isEssential: true,
      cell: ({ imoNumber }) => imoNumber,
    },
    {
      id: 'kind',
      title: 'Kind',
      sort: 'vesselType',
      cell: ({ vesselType }) => t(`Hub::Enum:VesselType.${vesselType}`),
    },
    { id: 'flag', title: own('Flag'), cell: ({ flagCountryCode }) => flagCountryCode },
    {
      id: 'teu',
      title: own('TeuCapacity'),
      sort: 'teuCapacity',
      isFigure: true,
      cell: ({ teuCapacity }) => (teuCapacity == null ? '' : formatNumber(teuCapacity)),
    },
    // A year is no number to put separators into.
    {
      id: 'year',
      title: own('YearBuilt'),
      sort: 'yearBuilt',
      cell: ({ yearBuilt }) => yearBuilt && String(yearBuilt),
    },
    { id: 'callSign', title: own('CallSign'), isExtra: true, cell: ({ callSign }) => callSign },
    { id: 'mmsi', title: own('Mmsi'), isExtra: true, cell: ({ mmsi }) => mmsi },
  ]
  return (
    <ListPage
      title="Ops:Vessels"
      hint="Ops:VesselsHint"
      icon="ship"
      emptyHint="Ops:NoVesselsHint"
      views="Vessels"
      list={vessels.getList}
      columns={columns}
      filters={[{ name: 'carrierId', title: 'Hub::Entity:Carrier', kind: 'pick', pick: CarrierSelect }]}
      work={{
        newTitle: may(Create) && 'Ops:NewVessel',
        mayEdit: may(Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:Vessel' : 'Ops:NewVessel')}
            editing={editing}
            mayChange={may(id ? Edit : Create)}
            onClose={onClose}
          />
        ),
      }}
      revival={vessels}
      removal={
        may(Delete) && {
          call: vessels.delete,
          warn: ({ name }) => t('Pricing:DeactivateHint', { name }),
        }
      }
    />
  )
}
