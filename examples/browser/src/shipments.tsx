import { type HubProxy, type ShipmentDto, ShipmentStatus } from '@keel/hub-proxy'
import { useEdit, useInfiniteList, useMutation, useRows } from '@keel/react'
import { useState } from 'react'

type Shipment = InstanceType<typeof ShipmentDto>

export function Page({ hub }: { readonly hub: HubProxy }) {
  const [edited, edit] = useState<Shipment>()
  const seaports = useRows(hub.ports, (ports) =>
    ports.query((q) =>
      q
        .filter((port) => port.isSeaport.eq(true))
        .select('name')
        .top(1)
        .count(),
    ),
  )
  return (
    <>
      <h1>Shipments</h1>
      <p>Between {seaports.data?.totalCount ?? '…'} seaports.</p>
      <NewShipment hub={hub} />
      <List hub={hub} onEdit={edit} />
      {edited && <Description key={edited.id} hub={hub} shipment={edited} onClose={() => edit(undefined)} />}
    </>
  )
}

function NewShipment({ hub }: { readonly hub: HubProxy }) {
  const [shipmentReference, setReference] = useState('')
  const [refusal, setRefusal] = useState('')
  const { run, isRunning } = useMutation()
  async function create() {
    try {
      await run(hub.shipments.create, { shipmentReference })
      setReference('')
      setRefusal('')
    } catch (error) {
      setRefusal((error as Error).message)
    }
  }
  return (
    <form action={create}>
      <label>
        Reference <input value={shipmentReference} onChange={({ target }) => setReference(target.value)} />
      </label>{' '}
      <button type="submit" disabled={isRunning}>
        Create
      </button>
      {refusal && <p role="alert">{refusal}</p>}
    </form>
  )
}

function List({ hub, onEdit }: { readonly hub: HubProxy; readonly onEdit: (shipment: Shipment) => void }) {
  const [filter, setFilter] = useState('')
  const input = { filter, sorting: 'shipmentReference' }
  const { rows, totalCount, isLoading, error, fetchMore } = useInfiniteList(hub.shipments.getList, input, 20)
  if (error) return <p role="alert">{error.message}</p>
  return (
    <>
      <label>
        Search <input type="search" value={filter} onChange={({ target }) => setFilter(target.value)} />
      </label>
      <p>{isLoading ? 'Loading…' : `${rows.length} of ${totalCount}`}</p>
      <ul>
        {rows.map((shipment) => (
          <li key={shipment.id}>
            {shipment.shipmentReference}, {ShipmentStatus[shipment.status]}:{' '}
            {shipment.cargoDescription ?? '–'}{' '}
            <button type="button" onClick={() => onEdit(shipment)}>
              Describe {shipment.shipmentReference}
            </button>
          </li>
        ))}
      </ul>
      {rows.length < totalCount && (
        <button type="button" onClick={fetchMore}>
          More
        </button>
      )}
    </>
  )
}

/** Changes what is in a shipment. The stamp is that of the version that was opened, however often the list is fetched again. */
function Description({
  hub,
  shipment,
  onClose,
}: {
  readonly hub: HubProxy
  readonly shipment: Shipment
  readonly onClose: () => void
}) {
  const { id, shipmentReference, concurrencyStamp } = shipment
  const [cargoDescription, describe] = useState(shipment.cargoDescription ?? '')
  const [refusal, setRefusal] = useState('')
  const { save, conflict, isRunning } = useEdit(hub.shipments.get, hub.shipments.update)
  /** Closes the dialog when the change is saved. A conflict is shown below, other refusals as they are. */
  const closeAfter = (change: Promise<unknown>) =>
    change.then(onClose, (error: Error) => error.name !== 'EditConflictError' && setRefusal(error.message))
  return (
    <dialog open aria-label={`Cargo of ${shipmentReference}`}>
      <label>
        Cargo <input value={cargoDescription} onChange={({ target }) => describe(target.value)} />
      </label>
      {conflict ? (
        <>
          <p role="alert">Somebody else has changed it: {conflict.theirs.cargoDescription}</p>
          <button type="button" onClick={() => closeAfter(conflict.keepMine())}>
            Keep mine
          </button>{' '}
          <button type="button" onClick={onClose}>
            Take theirs
          </button>
        </>
      ) : (
        <button
          type="button"
          disabled={isRunning}
          onClick={() => closeAfter(save(id, { cargoDescription, concurrencyStamp }))}
        >
          Save
        </button>
      )}
      {refusal && <p role="alert">{refusal}</p>}
    </dialog>
  )
}
