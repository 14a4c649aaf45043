import { useQuery } from '@keel/react'
import { SimpleGrid } from '@mantine/core'
import { useTexts } from '../application.js'
import { FigureCard } from './figure-card.js'
import { shipments } from './hub.js'
import { shipmentStatusOf } from './statuses.js'

/** How many shipments the person sees, all of them and by status, each a link to them. */
export function ShipmentCounts() {
  const t = useTexts()
  const { data, error } = useQuery(shipments.getList, { maxResultCount: 1, includeFacets: true })
  const counts = data?.facets?.find(({ field }) => field === 'Status')?.values ?? []
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="md">
      <FigureCard
        title={t('Ops:Shipments')}
        icon="box"
        to="/shipments"
        count={data?.totalCount}
        error={error}
      />
      {counts
        .map(({ value, count }) => ({ value, count, status: shipmentStatusOf(value) }))
        .sort((one, other) => one.status - other.status)
        .map(({ value, count, status }) => (
          <FigureCard
            key={value}
            title={t(`Hub::Enum:ShipmentStatus.${status}`)}
            icon="box"
            to={`/shipments?Status=${value}`}
            count={count}
            error={null}
          />
        ))}
    </SimpleGrid>
  )
}
