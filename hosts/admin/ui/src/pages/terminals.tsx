import { facilityTypes, PortPermissions, type TerminalDto } from '@keel/hub-proxy'
import { useQuery as useTanstackQuery } from '@tanstack/react-query'
import { useApplication } from '../application.js'
import { batched } from '../parts/batch.js'
import type { Column } from '../parts/data-list.js'
import { EditDialog, type Editing } from '../parts/edit-dialog.js'
import { ports, terminals } from '../parts/hub.js'
import { PortSelect } from '../parts/hub-selects.js'
import { codeAndName, ListPage } from '../parts/list-page.js'

type Terminal = InstanceType<typeof TerminalDto>
const own = (name: string) => `Ops:Terminal:${name}`
const ofPort = (name: string) => `Hub::DisplayName:Port:${name}`

const valuesOf = (terminal?: Terminal) => ({
  portId: terminal?.portId ?? null,
  facilityTypeCode: (terminal?.facilityTypeCode ?? 'POTE') as string | null,
  code: terminal?.code ?? '',
  name: terminal?.name ?? '',
  bicFacilityCode: terminal?.bicFacilityCode ?? '',
  smdgCode: terminal?.smdgCode ?? '',
  latitude: terminal?.latitude ?? null,
  longitude: terminal?.longitude ?? null,
})

/** Terminals, depots and other facilities of ports. They have the permissions of ports. */
export function Page() {
  const { t, may } = useApplication()
  const { Create, Edit, Delete } = PortPermissions
  const typeName = (code: string) => t(own(code))
  const editing: Editing<Terminal, ReturnType<typeof valuesOf>> = {
    draft: 'terminal',
    get: terminals.get,
    create: terminals.create as never,
    update: terminals.update as never,
    valuesOf,
    fields: [
      { name: 'portId', title: 'Hub::Entity:Port', kind: 'pick', pick: PortSelect, isRequired: true },
      {
        name: 'facilityTypeCode',
        title: 'Kind',
        kind: 'choice',
        isRequired: true,
        options: facilityTypes.map((value) => ({ value, label: typeName(value) })),
      },
      { name: 'code', title: 'AbpUi::DisplayName:Code', hint: own('CodeHint'), isRequired: true },
      { name: 'name', title: 'AbpUi::DisplayName:Name', isRequired: true },
      { name: 'bicFacilityCode', title: own('BicCode') },
      { name: 'smdgCode', title: own('SmdgCode') },
      { name: 'latitude', title: ofPort('Latitude'), hint: 'LatitudeHint', kind: 'number' },
      { name: 'longitude', title: ofPort('Longitude'), hint: 'LongitudeHint', kind: 'number' },
    ],
    fieldOfCode: { AlreadyExists: 'code' },
  }
  const columns: Column<Terminal>[] = [
    ...codeAndName<Terminal>(),
    {
      id: 'port',
      title: 'Hub::Entity:Port',
      cell: ({ portId }) => <PortName id={portId} />,
    },
    {
      id: 'kind',
      title: 'Kind',
      sort: 'facilityTypeCode',
      cell: ({ facilityTypeCode }) => typeName(facilityTypeCode),
    },
    {
      id: 'bic',
      title: own('BicCode'),
      sort: 'bicFacilityCode',
      cell: ({ bicFacilityCode }) => bicFacilityCode,
    },
    { id: 'smdg', title: own('SmdgCode'), sort: 'smdgCode', cell: ({ smdgCode }) => smdgCode },
  ]
  return (
    <ListPage
      title="Ops:Terminals"
      hint="Ops:TerminalsHint"
      icon="columns"
      emptyHint="Ops:NoTerminalsHint"
      views="Terminals"
      list={terminals.getList}
      columns={columns}
      filters={[{ name: 'portId', title: 'Hub::Entity:Port', kind: 'pick', pick: PortSelect }]}
      work={{
        newTitle: may(Create) && 'Ops:NewTerminal',
        mayEdit: may(Edit),
        dialog: (id, onClose) => (
          <EditDialog
            id={id}
            title={t(id ? 'Hub::Entity:Terminal' : 'Ops:NewTerminal')}
            editing={editing}
            mayChange={may(id ? Edit : Create)}
            onClose={onClose}
          />
        ),
      }}
      revival={terminals}
      removal={
        may(Delete) && {
          call: terminals.delete,
          warn: ({ code, name }) => t('Pricing:DeactivateHint', { name: `${code} · ${name}` }),
        }
      }
    />
  )
}

const portOf = batched(async (ids) => {
  const { items } = await ports.query((q) =>
    q
      .filter((port) => port.id.in([...ids]))
      .select('id', 'unLocode', 'name')
      .top(ids.length),
  )
  return new Map(items.map(({ id, unLocode, name }) => [id, `${unLocode} · ${name}`]))
})

/** The code and the name of the port that a terminal is in. All names of a page come with one query. */
function PortName({ id }: { readonly id: string }) {
  const { data } = useTanstackQuery({ queryKey: ['port-name', id], queryFn: () => portOf(id) })
  return data ?? '…'
}
