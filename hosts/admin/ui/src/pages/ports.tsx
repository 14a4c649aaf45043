import {
  Iso3166AppService,
  type PortDto,
  PortPermissions,
  ReferenceDataPermissions,
  UnLocodeAppService,
} from '@keel/hub-proxy'
import { useApplication } from '../application.js'
import { openProxy } from '../clients.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { ports } from '../parts/hub.js'
import { ImportFiles } from '../parts/import-files.js'
import { ListFiles } from '../parts/list-files.js'
import { activeFilter, ListPage } from '../parts/list-page.js'

type Port = InstanceType<typeof PortDto>
const own = (name: string) => `Hub::DisplayName:Port:${name}`
const { unLocode, iso3166 } = openProxy({
  unLocode: { service: UnLocodeAppService },
  iso3166: { service: Iso3166AppService },
})

const valuesOf = (port?: Port) => ({
  unLocode: port?.unLocode ?? '',
  name: port?.name ?? '',
  iataCode: port?.iataCode ?? '',
  subdivisionCode: port?.subdivisionCode ?? '',
  latitude: port?.latitude ?? null,
  longitude: port?.longitude ?? null,
  timeZone: port?.timeZone ?? '',
  isSeaport: port?.isSeaport ?? false,
  isAirport: port?.isAirport ?? false,
})

const editing: Editing<Port, ReturnType<typeof valuesOf>> = {
  draft: 'port',
  ownFields: 'Hub.Port',
  get: ports.get,
  create: ports.create as never,
  update: ports.update as never,
  valuesOf,
  fields: [
    { name: 'unLocode', title: own('UnLocode'), isRequired: true },
    { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
    { name: 'isSeaport', title: own('IsSeaport'), kind: 'check' },
    { name: 'isAirport', title: own('IsAirport'), kind: 'check' },
    { name: 'iataCode', title: own('IataCode') },
    { name: 'subdivisionCode', title: own('SubdivisionCode') },
    { name: 'latitude', title: own('Latitude'), kind: 'number' },
    { name: 'longitude', title: own('Longitude'), kind: 'number' },
    { name: 'timeZone', title: own('TimeZone') },
  ],
  fieldOfCode: { CodeAlreadyExists: 'unLocode' },
}

/** Ports, and the official lists that they come from. */
export function Page() {
  const { t, may } = useApplication()
  const { Create, Edit, Delete } = PortPermissions
  const columns: Column<Port>[] = [
    {
      id: 'unLocode',
      title: own('UnLocode'),
      sort: 'unLocode',
      isEssential: true,
      cell: (port) => port.unLocode,
    },
    {
      id: 'name',
      title: 'AbpUi::DisplayName:Name',
      sort: 'name',
      isEssential: true,
      cell: ({ name }) => name,
    },
    { id: 'iataCode', title: own('IataCode'), sort: 'iataCode', cell: ({ iataCode }) => iataCode },
    {
      id: 'isSeaport',
      title: own('IsSeaport'),
      cell: ({ isSeaport }) => t(isSeaport ? 'AbpUi::Yes' : 'AbpUi::No'),
    },
    {
      id: 'isAirport',
      title: own('IsAirport'),
      cell: ({ isAirport }) => t(isAirport ? 'AbpUi::Yes' : 'AbpUi::No'),
    },
    { id: 'timeZone', title: own('TimeZone'), isExtra: true, cell: ({ timeZone }) => timeZone },
  ]
  return (
    <ListPage
      title="Ops:Ports"
      hint="Ops:PortsHint"
      icon="pin"
      emptyHint="Ops:NoPortsHint"
      views="Ports"
      list={ports.getList}
      columns={columns}
      commands={
        <>
          <ListFiles
            excel={ports.getListAsExcelFile}
            csv={ports.getListAsCsvFile}
            filters={[activeFilter(t)]}
          />
          {may(ReferenceDataPermissions.Import) && (
            <>
              <ImportFiles service={unLocode} title="Import:UnLocode" hint="Import:UnLocodeHint" />
              <ImportFiles service={iso3166} title="Import:Iso3166" hint="Import:Iso3166Hint" />
            </>
          )}
          {may(Create) && may(Edit) && <ImportFiles service={ports} />}
        </>
      }
      work={{
        newTitle: may(Create) && 'Ops:NewPort',
        mayEdit: may(Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:Port' : 'Ops:NewPort')}
            editing={editing}
            mayChange={may(id ? Edit : Create)}
            onClose={onClose}
          />
        ),
      }}
      revival={ports}
      removal={
        may(Delete) && {
          call: ports.delete,
          warn: (port) => t('Pricing:DeactivateHint', { name: `${port.unLocode} · ${port.name}` }),
        }
      }
    />
  )
}
