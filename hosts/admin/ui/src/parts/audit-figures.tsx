import { useQuery } from '@keel/react'
import { Card, Group, SimpleGrid, Text } from '@mantine/core'
import { useMemo } from 'react'
import { useApplication } from '../application.js'
import { auditLogs } from './audit.js'

const dayMs = 86_400_000
const days = 14

/** How many requests of the last days failed, and how long they took. */
export function AuditFigures() {
  const { t, formatNumber, language } = useApplication()
  // One span for the life of the page: another one would be another question.
  const span = useMemo(() => {
    const end = new Date()
    return { startDate: new Date(end.getTime() - (days - 1) * dayMs), endDate: end }
  }, [])
  const rate = useQuery(auditLogs.getErrorRate, span)
  const durations = useQuery(auditLogs.getAverageExecutionDurationPerDay, span)
  const counts = Object.entries(rate.data?.data ?? {})
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  const perDay = Object.entries(durations.data?.data ?? {}).sort(([a], [b]) => a.localeCompare(b))
  const longest = Math.max(1, ...perDay.map(([, ms]) => ms))
  const dayName = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} mb="md">
      <Card withBorder padding="sm">
        <Text size="sm" c="dimmed">
          {t('RequestsOfDays', { days })}
        </Text>
        <Group gap="lg">
          {counts.map(([name, count]) => (
            <Text key={name} size="sm">
              <Text span fz={22} fw={650}>
                {formatNumber(count)}
              </Text>{' '}
              {name} {total > 0 && `(${formatNumber(Math.round((count / total) * 1000) / 10)} %)`}
            </Text>
          ))}
        </Group>
      </Card>
      <Card withBorder padding="sm">
        <Text size="sm" c="dimmed">
          {t('AbpAuditLogging::AverageExecutionDurationInMilliseconds')}
        </Text>
        <ul className="keel-bars">
          {perDay.map(([day, ms]) => {
            const words = `${dayName.format(new Date(day))}: ${formatNumber(Math.round(ms))} ms`
            return (
              <li key={day} title={words} style={{ height: `${Math.max(8, (ms / longest) * 100)}%` }}>
                <span className="visually-hidden">{words}</span>
              </li>
            )
          })}
        </ul>
      </Card>
    </SimpleGrid>
  )
}
