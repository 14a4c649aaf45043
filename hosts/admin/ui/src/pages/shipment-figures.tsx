import './shipment-figures.css'
import type { ShipmentStatisticsDto } from '@keel/hub-proxy'
import { ShipmentStatus } from '@keel/hub-proxy'
import { useQuery } from '@keel/react'
import { Anchor, Card, Select, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useApplication } from '../application.js'
import { shipments } from '../parts/hub.js'
import { useCodeNames } from '../parts/hub-selects.js'
import { PageHead } from '../parts/page-head.js'
import { EmptyState, ErrorAlert } from '../parts/states.js'
import { useUrlState } from '../parts/url-state.js'

type Sums = InstanceType<typeof ShipmentStatisticsDto>

const dayMs = 86_400_000
/** Days before and after today. */
const periods = { year: [365, 0], quarter: [90, 0], ahead: [0, 90] } as const
const topCustomers = 10

/** How many shipments leave, how many are late, and what they weigh: by month, status, mode and customer. */
export function Page() {
  const { t } = useApplication()
  const [url, setUrl] = useUrlState()
  const period = url['period'] && url['period'] in periods ? (url['period'] as keyof typeof periods) : 'year'
  // Whole days, so that all questions of a day are the same.
  const span = useMemo(() => {
    const today = Math.floor(Date.now() / dayMs) * dayMs
    const [before, after] = periods[period]
    return { from: new Date(today - before * dayMs), to: new Date(today + (after + 1) * dayMs) }
  }, [period])
  const byStatus = useQuery(shipments.getStatistics, { ...span, groupBy: 'status' })
  const byMonth = useQuery(shipments.getStatistics, { ...span, groupBy: 'month' })
  const byMode = useQuery(shipments.getStatistics, { ...span, groupBy: 'transportMode' })
  const byCustomer = useQuery(shipments.getStatistics, { ...span, groupBy: 'organization' })
  const modeName = useCodeNames('TransportMode')
  const error = byStatus.error ?? byMonth.error ?? byMode.error ?? byCustomer.error
  if (error) return <ErrorAlert error={error} retry={() => void byStatus.refetch()} />
  const isEmpty = byStatus.data?.length === 0
  return (
    <>
      <PageHead title={t('Ops:Figures')} hint={t('Ops:FiguresHint')}>
        <Select
          aria-label={t('Ops:Period')}
          allowDeselect={false}
          value={period}
          onChange={(next) => setUrl({ period: next === null || next === 'year' ? undefined : next })}
          data={Object.keys(periods).map((value) => ({ value, label: t(`Ops:Period.${value}`) }))}
        />
      </PageHead>
      {isEmpty ? (
        <EmptyState icon="box" title={t('NothingYet')}>
          {t('Ops:NoFiguresHint')}
        </EmptyState>
      ) : (
        <Stack gap="md">
          <Totals sums={byStatus.data} />
          <Part title="Ops:ByMonth" isLoading={!byMonth.data}>
            <Months sums={byMonth.data ?? []} />
            <Text size="xs" c="dimmed" className="keel-late">
              {t('Ops:Late')}
            </Text>
          </Part>
          <SimpleGrid cols={{ base: 1, lg: 3 }} spacing="md">
            <Part title="Ops:ByStatus" isLoading={!byStatus.data}>
              <Shares
                sums={[...(byStatus.data ?? [])].sort((a, b) => Number(a.key) - Number(b.key))}
                nameOf={(key) => t(`Hub::Enum:ShipmentStatus.${key}`)}
                filterOf={(key) => ({ Status: ShipmentStatus[Number(key)] ?? key })}
              />
            </Part>
            <Part title="Ops:ByMode" isLoading={!byMode.data}>
              <Shares
                sums={byMode.data ?? []}
                nameOf={modeName}
                filterOf={(TransportMode) => ({ TransportMode })}
              />
            </Part>
            <Part title="Ops:TopCustomers" isLoading={!byCustomer.data}>
              <Shares
                sums={(byCustomer.data ?? []).filter(({ key }) => key !== null).slice(0, topCustomers)}
                nameOf={(key) => key}
                filterOf={(Organization) => ({ Organization })}
              />
            </Part>
          </SimpleGrid>
        </Stack>
      )}
    </>
  )
}

function Part({
  title,
  isLoading,
  children,
}: {
  readonly title: string
  readonly isLoading: boolean
  readonly children: ReactNode
}) {
  const { t } = useApplication()
  return (
    <Card withBorder padding="md">
      <Title order={2} mb="sm">
        {t(title)}
      </Title>
      {isLoading ? <Skeleton height={160} /> : children}
    </Card>
  )
}

/** The sums over all groups. */
function Totals({ sums }: { readonly sums: readonly Sums[] | undefined }) {
  const { t, formatNumber } = useApplication()
  const sum = (member: 'count' | 'onHold' | 'late' | 'totalGrossWeight' | 'totalVolume' | 'co2Emissions') =>
    (sums ?? []).reduce((all, one) => all + (one[member] ?? 0), 0)
  const count = sum('count')
  const figures = [
    ['Ops:Shipments', formatNumber(count)],
    [
      'Ops:Late',
      formatNumber(sum('late')),
      `${formatNumber(count ? Math.round((sum('late') / count) * 1000) / 10 : 0)} %`,
    ],
    ['Ops:OnHold', formatNumber(sum('onHold'))],
    // Their labels name the unit.
    ['Hub::DisplayName:Shipment:TotalGrossWeight', formatNumber(Math.round(sum('totalGrossWeight')))],
    ['Hub::DisplayName:Shipment:TotalVolume', formatNumber(Math.round(sum('totalVolume')))],
    ['Hub::DisplayName:Shipment:Co2Emissions', formatNumber(Math.round(sum('co2Emissions')))],
  ] as const
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
      {figures.map(([title, text, share]) => (
        <Card key={title} withBorder padding="sm">
          <Text size="sm" c="dimmed">
            {t(title)}
          </Text>
          {sums ? (
            <Text fz={22} fw={650} lh={1.3}>
              {text}{' '}
              {share && (
                <Text span size="sm" c="dimmed">
                  {share}
                </Text>
              )}
            </Text>
          ) : (
            <Skeleton height={26} width={64} mt={4} />
          )}
        </Card>
      ))}
    </SimpleGrid>
  )
}

/** A column for each month, the late ones on top in another colour. */
function Months({ sums }: { readonly sums: readonly Sums[] }) {
  const { t, language, formatNumber } = useApplication()
  const months = [...sums].sort((a, b) => (a.key ?? '').localeCompare(b.key ?? ''))
  const most = Math.max(1, ...months.map(({ count }) => count))
  const short = new Intl.DateTimeFormat(language, { month: 'short', timeZone: 'UTC' })
  const long = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return (
    <ul className="keel-columns">
      {months.map(({ key, count, late }) => {
        const day = new Date(`${key}-01T00:00:00Z`)
        const words = `${long.format(day)}: ${formatNumber(count)}, ${t('Ops:Late')}: ${formatNumber(late)}`
        return (
          <li key={key} title={words}>
            <span className="visually-hidden">{words}</span>
            <span aria-hidden="true">{formatNumber(count)}</span>
            <i style={{ height: `${((count - late) / most) * 70}%`, order: 2 }} />
            <i style={{ height: `${(late / most) * 70}%`, order: 1 }} />
            <span aria-hidden="true" style={{ order: 3 }}>
              {short.format(day)}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

/** A bar for each group, with the way to its shipments. */
function Shares({
  sums,
  nameOf,
  filterOf,
}: {
  readonly sums: readonly Sums[]
  readonly nameOf: (key: string) => string
  readonly filterOf: (key: string) => Readonly<Record<string, string>>
}) {
  const { t, formatNumber } = useApplication()
  const most = Math.max(1, ...sums.map(({ count }) => count))
  return (
    <ul className="keel-shares">
      {sums.map(({ key, count, late }) => (
        <li key={key}>
          {key === null ? (
            <Text span size="sm" c="dimmed">
              {t('Ops:Without')}
            </Text>
          ) : (
            <Anchor component={Link} to={'/shipments' as never} search={filterOf(key) as never} size="sm">
              {nameOf(key)}
            </Anchor>
          )}
          <div aria-hidden="true">
            <i style={{ width: `${((count - late) / most) * 100}%` }} />
            <i style={{ width: `${(late / most) * 100}%` }} />
          </div>
          <Text size="sm" ta="end">
            {formatNumber(count)}
          </Text>
        </li>
      ))}
    </ul>
  )
}
