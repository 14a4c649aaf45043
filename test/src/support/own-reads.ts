import { expect } from 'vitest'
import { type Sender, send } from './wire.js'

interface Facet {
  readonly Field: string
  readonly Values: readonly { readonly Value: string; readonly Count: number }[]
}

/** How many shipments the facet of their status tells of, by REST and by OData. */
export async function facetCounts(caller: Sender): Promise<number[]> {
  const rest = await send(caller, 'GET', '/api/hub/shipment?MaxResultCount=1&IncludeFacets=true')
  const odata = await caller.fetch('/odata/Shipments?$top=0', {
    headers: { prefer: 'odata.include-annotations="*"' },
  })
  const annotated = (await odata.json()) as { '@core.facets': readonly object[] }
  const counts = (facets: readonly object[]): number => {
    const status = facets.map(pascalFacet).find(({ Field }) => Field === 'Status')
    expect(status).toBeDefined()
    return (status?.Values ?? []).reduce((sum, { Count }) => sum + Count, 0)
  }
  return [counts(rest.body.facets), counts(annotated['@core.facets'])]
}

/** REST tells facets in camelCase. */
function pascalFacet(facet: object): Facet {
  const text = JSON.stringify(facet).replace(
    /"(field|values|value|count)":/g,
    (_, name: string) => `"${name.charAt(0).toUpperCase()}${name.slice(1)}":`,
  )
  return JSON.parse(text) as Facet
}

/** The description of a shipment's cargo, by REST and by OData; the status where there is none. */
export async function cargoByKey(caller: Sender, id: string): Promise<unknown[]> {
  const rest = await send(caller, 'GET', `/api/hub/shipment/${id}`)
  const odata = await send(caller, 'GET', `/odata/Shipments(${id})?$select=CargoDescription`)
  return [
    rest.status === 200 ? rest.body.cargoDescription : rest.status,
    odata.status === 200 ? odata.body.CargoDescription : odata.status,
  ]
}

/** The name of the port that a shipment leaves from, as its REST list, its list in OData and its entity show it. */
export async function portNames(
  caller: Sender,
  { id, shipmentReference }: { readonly id: string; readonly shipmentReference: string },
): Promise<unknown[]> {
  const get = async (path: string) => (await send(caller, 'GET', path)).body
  const list = await get(`/api/hub/shipment?MaxResultCount=1&Filter=${shipmentReference}`)
  const set = await get(
    `/odata/Shipments?$filter=${encodeURIComponent(`ShipmentReference eq '${shipmentReference}'`)}&$expand=FirstConsolLegDeparturePort`,
  )
  const one = await get(`/api/hub/shipment/${id}`)
  return [
    list.items[0].firstConsolLegDeparturePort?.name,
    set.value[0].FirstConsolLegDeparturePort?.Name,
    one.firstConsolLegDeparturePort?.name,
  ]
}
