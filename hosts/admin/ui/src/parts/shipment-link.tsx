import { Anchor } from '@mantine/core'
import { useQuery as useTanstackQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import { batched } from './batch.js'
import { shipments } from './hub.js'

const referenceOf = batched(async (ids) => {
  const { items } = await shipments.query((q) =>
    q
      .filter((shipment) => shipment.id.in([...ids]))
      .select('id', 'shipmentReference')
      .top(ids.length),
  )
  return new Map(items.map(({ id, shipmentReference }) => [id, shipmentReference]))
})

/** A link to a shipment by its id; the references of all links of a page come with one query. */
export function ShipmentLink({ id }: { readonly id: string | null | undefined }) {
  const { may } = useApplication()
  const { data } = useTanstackQuery({
    queryKey: ['shipment-reference', id],
    queryFn: () => referenceOf(id as string),
    enabled: Boolean(id) && may('Shipment.View'),
    staleTime: 60_000,
  })
  if (!id) return null
  return (
    <Anchor component={Link} to={`/shipments/${id}` as never} size="sm">
      {data ?? '…'}
    </Anchor>
  )
}
