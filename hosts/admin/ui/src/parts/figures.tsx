import { Anchor, Card, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import { ErrorAlert } from './states.js'
import type { UrlState } from './url-state.js'

/** Figures above a list: title (key), count, and the filters that show what is counted. */
export function Figures({
  figures,
  error,
}: {
  readonly figures: readonly (readonly [title: string, count: number | undefined, filters?: UrlState])[]
  readonly error?: Error | null
}) {
  const { t, formatNumber } = useApplication()
  if (error) return <ErrorAlert error={error} />
  return (
    <SimpleGrid
      cols={{ base: 3, md: Math.min(6, figures.length) }}
      mb="md"
      spacing="sm"
      maw={figures.length * 220}
    >
      {figures.map(([title, count, filters]) => (
        <Card key={title} withBorder padding="sm">
          {filters ? (
            <Anchor component={Link} to="." search={filters as never} size="sm">
              {t(title)}
            </Anchor>
          ) : (
            <Text size="sm" c="dimmed">
              {t(title)}
            </Text>
          )}
          {count === undefined ? (
            <Skeleton height={26} width={48} mt={4} />
          ) : (
            <Text fz={22} fw={650} lh={1.3}>
              {formatNumber(count)}
            </Text>
          )}
        </Card>
      ))}
    </SimpleGrid>
  )
}
