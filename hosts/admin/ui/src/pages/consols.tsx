import { ConsolPermissions, ConsolStatus } from '@keel/hub-proxy'
import { useApplication } from '../application.js'
import type { Consol } from '../parts/consol-actions.js'
import { ConsolDialog } from '../parts/consol-form.js'
import type { Column } from '../parts/data-list.js'
import { enumOptions } from '../parts/fields.js'
import { routeOf } from '../parts/formats.js'
import { consols } from '../parts/hub.js'
import { CarrierSelect, useCodeName } from '../parts/hub-selects.js'
import { ListPage } from '../parts/list-page.js'
import { ConsolState } from '../parts/statuses.js'

/** Consolidations that the caller sees. */
export function Page() {
  const { t, may, formatInstant } = useApplication()
  const modeName = useCodeName('TransportMode')
  const columns: Column<Consol>[] = [
    {
      id: 'number',
      title: 'Hub::Entity:Consol',
      sort: 'consolNumber',
      isEssential: true,
      cell: ({ consolNumber }) => consolNumber,
    },
    {
      id: 'status',
      title: 'State',
      sort: 'status',
      isEssential: true,
      cell: ({ status }) => <ConsolState status={status} />,
    },
    {
      id: 'mode',
      title: 'Hub::DisplayName:TransportMode',
      cell: ({ transportMode }) => modeName(transportMode),
    },
    { id: 'carrier', title: 'Hub::Entity:Carrier', cell: ({ carrier }) => carrier?.name },
    {
      id: 'bill',
      title: 'Hub::DisplayName:Shipment:MasterBillNumber',
      sort: 'masterBillNumber',
      cell: ({ masterBillNumber }) => masterBillNumber,
    },
    {
      id: 'route',
      title: 'Ops:Route',
      cell: ({ firstLoadPort: from, lastDischargePort: to }) => routeOf(from?.unLocode, to?.unLocode),
    },
    {
      id: 'departure',
      title: 'Ops:Departure',
      sort: 'estimatedDeparture',
      cell: ({ estimatedDeparture }) => formatInstant(estimatedDeparture),
    },
    {
      id: 'arrival',
      title: 'Ops:Arrival',
      sort: 'estimatedArrival',
      cell: ({ estimatedArrival }) => formatInstant(estimatedArrival),
    },
    {
      id: 'cutOff',
      title: 'Ops:Consol:CargoCutOff',
      sort: 'cargoCutOff',
      isExtra: true,
      cell: ({ cargoCutOff }) => formatInstant(cargoCutOff),
    },
  ]
  return (
    <ListPage
      title="Ops:Consols"
      hint="Ops:ConsolsHint"
      icon="ship"
      emptyHint="Ops:NoConsolsHint"
      views="Consols"
      list={consols.getList}
      columns={columns}
      hrefOf={({ id }) => `/consols/${id}`}
      filters={[
        {
          name: 'status',
          title: 'State',
          kind: 'enum',
          options: enumOptions(t, 'Hub::Enum:ConsolStatus', ConsolStatus),
        },
        { name: 'carrierId', title: 'Hub::Entity:Carrier', kind: 'pick', pick: CarrierSelect },
      ]}
      work={{
        newTitle: may(ConsolPermissions.Create) && 'Ops:NewConsol',
        mayEdit: may(ConsolPermissions.Edit),
        isEditable: ({ status }) => status < ConsolStatus.Completed,
        dialog: (id, onClose) => <ConsolDialog id={id} onClose={onClose} />,
      }}
      removal={
        may(ConsolPermissions.Delete) && {
          call: consols.delete,
          warn: ({ consolNumber }) => t('Ops:DeleteConsolHint', { name: consolNumber }),
          isAllowed: ({ status }) => status === ConsolStatus.Planned || status === ConsolStatus.Cancelled,
        }
      }
    />
  )
}
