import { requestBytes } from './load.js'

/** A host with shipments, and who calls it. */
export interface Called {
  readonly port: number
  readonly headers: Record<string, string>
  /** Ids of shipments. */
  readonly ids: readonly string[]
}

/** A request that is measured, by a name; `next` makes its bytes, one after the other. */
export interface FrequentRequest {
  readonly name: string
  next(called: Called): () => string
}

let turn = 0
const get = ({ port, headers }: Called, path: string) => requestBytes(port, 'GET', path, headers)
const sameEachTime = (path: string) => (called: Called) => {
  const bytes = get(called, path)
  return () => bytes
}

/** Gets a shipment, another each time. */
export const getById: FrequentRequest = {
  name: 'get by id, another each time',
  next: (called) => {
    const all = called.ids.map((id) => get(called, `/api/hub/shipment/${id}`))
    return () => all[turn++ % all.length] as string
  },
}

/** Creates a shipment with a reference of its own. */
export const creation: FrequentRequest = {
  name: 'create',
  next:
    ({ port, headers }) =>
    () =>
      requestBytes(
        port,
        'POST',
        '/api/hub/shipment',
        headers,
        JSON.stringify({
          shipmentReference: `B-${process.pid}-${turn++}`,
          totalPackages: 3,
          cargoDescription: 'Benchmark',
        }),
      ),
}

/** The five requests that an installation serves most. */
export const frequentRequests: readonly FrequentRequest[] = [
  { name: 'trivial authenticated call', next: sameEachTime('/api/bench/echo/echo') },
  { name: 'page of 50', next: sameEachTime('/api/hub/shipment?MaxResultCount=50') },
  getById,
  {
    name: 'OData page of 50 with 3 expands',
    next: sameEachTime(
      '/odata/Shipments?$top=50&$orderby=CreationTime%20desc&$expand=FirstConsolLegDeparturePort($select=UnLocode,Name),LastConsolLegArrivalPort($select=UnLocode,Name),TransportMode($select=Code,Name)',
    ),
  },
  creation,
]
