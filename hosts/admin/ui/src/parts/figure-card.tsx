import { Anchor, Card, Group, Skeleton, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useApplication } from '../application.js'
import { Icon, type IconName } from './icons.js'

/** A figure of the dashboard, with a link to what it counts. */
export function FigureCard({
  title,
  icon,
  to,
  count,
  error,
}: {
  readonly title: string
  readonly icon: IconName
  readonly to: string | undefined
  readonly count: number | undefined
  readonly error: Error | null
}) {
  const { formatNumber } = useApplication()
  return (
    // On a phone a title can be one word that is wider than the card.
    <Card withBorder padding="md" style={{ hyphens: 'auto', overflowWrap: 'anywhere' }}>
      <Group gap="xs" c="dimmed" wrap="nowrap" align="flex-start">
        <Icon name={icon} />
        {to ? (
          <Anchor component={Link} to={to as never} size="sm">
            {title}
          </Anchor>
        ) : (
          <Text size="sm">{title}</Text>
        )}
      </Group>
      {error ? (
        <Text size="sm" c="red">
          {error.message}
        </Text>
      ) : count === undefined ? (
        <Skeleton height={28} width={60} mt={6} />
      ) : (
        <Text fz={28} fw={650} lh={1.3}>
          {formatNumber(count)}
        </Text>
      )}
    </Card>
  )
}
