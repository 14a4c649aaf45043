import { type Call, useQuery } from '@keel/react'
import { Anchor, Button, Checkbox, Skeleton, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { useApplication } from '../application.js'
import { type Filter, filterInput, valuesOfFacet } from './filters.js'
import { ErrorAlert } from './states.js'
import { useUrlState } from './url-state.js'

/** So many values of a facet are shown at first. */
const shownValues = 6

interface FacetedPage {
  readonly facets:
    | readonly {
        readonly field: string
        readonly values: readonly { readonly value: string; readonly count: number }[]
      }[]
    | null
}

/**
 * A list with its facets beside it, on a narrow screen folded above it: each value with the number of rows that have it, to be chosen.
 * @param list the operation that counts; it is asked for one row
 * @param filters those of the list; the ones of the kind `facet` are shown, by the names that the operation gives its facets
 */
export function WithFacets({
  list,
  filters,
  children,
}: {
  // biome-ignore lint/suspicious/noExplicitAny: inputs differ beside the members that are sent here
  readonly list: Call<[input: any], FacetedPage>
  readonly filters: readonly Filter[]
  readonly children: ReactNode
}) {
  const { t } = useApplication()
  const [url, setUrl] = useUrlState()
  const isWide = useMediaQuery('(min-width: 75em)', window.innerWidth >= 1200)
  // Rows are only counted for those who look.
  const [isOpen, setOpen] = useState(false)
  const facets = filters.filter(({ kind }) => kind === 'facet')
  const used = facets.filter(({ name }) => url[name] !== undefined).length
  const panel = (
    <Panel
      list={list}
      filters={filters}
      clear={
        used > 0 && (
          <Button
            size="xs"
            variant="default"
            onClick={() => setUrl(Object.fromEntries(facets.map(({ name }) => [name, undefined])))}
          >
            {t('ClearFilters')}
          </Button>
        )
      }
    />
  )
  return (
    <div className="keel-beside">
      {isWide ? (
        <aside aria-label={t('Filters')}>{panel}</aside>
      ) : (
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>{used > 0 ? `${t('Filters')} (${used})` : t('Filters')}</summary>
          {isOpen && panel}
        </details>
      )}
      <div style={{ minWidth: 0 }}>{children}</div>
    </div>
  )
}

function Panel({
  list,
  filters,
  clear,
}: {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly list: Call<[input: any], FacetedPage>
  readonly filters: readonly Filter[]
  readonly clear: ReactNode
}) {
  const [url, setUrl] = useUrlState()
  const counted = useQuery(list, {
    ...filterInput(filters, url),
    filter: url['filter'],
    includeFacets: true,
    maxResultCount: 1,
  })
  if (counted.error) return <ErrorAlert error={counted.error} retry={() => void counted.refetch()} />
  return (
    <Stack gap="md" className="keel-facets">
      {clear}
      {filters
        .filter(({ kind }) => kind === 'facet')
        .map((filter) => (
          <Facet
            key={filter.name}
            filter={filter}
            values={counted.data?.facets?.find(({ field }) => field === filter.name)?.values}
            isLoading={counted.isPending}
            chosen={valuesOfFacet(url[filter.name])}
            onChange={(values) => setUrl({ [filter.name]: values.join(',') || undefined })}
          />
        ))}
    </Stack>
  )
}

function Facet({
  filter: { title, labelOf = (value) => value },
  values = [],
  isLoading,
  chosen,
  onChange,
}: {
  readonly filter: Filter
  readonly values: readonly { readonly value: string; readonly count: number }[] | undefined
  readonly isLoading: boolean
  readonly chosen: readonly string[]
  readonly onChange: (values: readonly string[]) => void
}) {
  const { t, formatNumber } = useApplication()
  const [isWhole, setWhole] = useState(false)
  if (isLoading) return <Skeleton height={120} />
  const isChosen = (value: string) => chosen.some((one) => one.toLowerCase() === value.toLowerCase())
  const missing = chosen.filter(
    (one) => !values.some(({ value }) => value.toLowerCase() === one.toLowerCase()),
  )
  const all = [...values, ...missing.map((value) => ({ value, count: 0 }))]
  const shown = all.filter(({ value }, index) => isWhole || index < shownValues || isChosen(value))
  if (all.length === 0) return null
  return (
    <fieldset className="keel-plain">
      <Text component="legend" size="sm" fw={600} mb={6}>
        {t(title)}
      </Text>
      <Stack gap={6}>
        {shown.map(({ value, count }) => (
          <Checkbox
            key={value}
            size="xs"
            label={
              <span className="keel-facet">
                <span>{labelOf(value)}</span>
                <Text span size="xs" c="dimmed">
                  {formatNumber(count)}
                </Text>
              </span>
            }
            checked={isChosen(value)}
            onChange={({ currentTarget }) =>
              onChange(
                currentTarget.checked
                  ? [...chosen, value]
                  : chosen.filter((one) => one.toLowerCase() !== value.toLowerCase()),
              )
            }
          />
        ))}
        {all.length > shownValues && (
          <Anchor component="button" type="button" size="xs" ta="start" onClick={() => setWhole(!isWhole)}>
            {isWhole ? t('Ops:FewerValues') : t('Ops:AllValues', { count: formatNumber(all.length) })}
          </Anchor>
        )}
      </Stack>
    </fieldset>
  )
}
