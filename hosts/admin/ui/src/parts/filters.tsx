import { Badge, Button, Popover, Select, Stack, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { type ComponentType, useEffect, useState } from 'react'
import { useTexts } from '../application.js'
import type { Option, PickProps } from './fields.js'
import { Icon } from './icons.js'
import type { UrlState } from './url-state.js'

/** A condition of a list. It stands in the address, and becomes a member of the list's input. */
export interface Filter {
  /** Its name in the address, which is that of the member unless `toInput` says otherwise. */
  readonly name: string
  /** The key of its label. */
  readonly title: string
  readonly kind: 'text' | 'number' | 'date' | 'instant' | 'choice' | 'pick' | 'enum' | 'flag' | 'facet'
  readonly options?: readonly Option[]
  /** The option that stands for the list without the condition: it is shown as chosen, and in no address. */
  readonly initial?: string
  /** Of the kind `pick`: the component that picks a row, as in a form. */
  readonly pick?: ComponentType<PickProps>
  /** Of the kind `facet`: the words for a value. By default the value itself. */
  readonly labelOf?: (value: string) => string
  /** Shown only in the pop-up with all filters. */
  readonly isExtra?: boolean
  readonly toInput?: (value: string) => object
}

const readers: Readonly<Record<Filter['kind'], (value: string) => unknown>> = {
  text: (value) => value,
  number: Number,
  date: (value) => value,
  instant: (value) => new Date(value),
  choice: (value) => value,
  pick: (value) => value,
  enum: Number,
  flag: (value) => value === 'true',
  facet: valuesOfFacet,
}

/** The values of a facet in the address, which stand between commas. */
export function valuesOfFacet(value: string | undefined): readonly string[] {
  return value?.split(',') ?? []
}

/** The members of a list's input that the filters in the address make; those of all facets are the member `filters`. */
export function filterInput(filters: readonly Filter[], url: UrlState): Record<string, unknown> {
  const membersOf = (chosen: readonly Filter[]): Record<string, unknown> =>
    Object.assign(
      {},
      ...chosen.map(({ name, kind, toInput }) => {
        const value = url[name]
        if (value === undefined) return {}
        return toInput ? toInput(value) : { [name]: readers[kind](value) }
      }),
    )
  const facets = membersOf(filters.filter(({ kind }) => kind === 'facet'))
  return {
    ...membersOf(filters.filter(({ kind }) => kind !== 'facet')),
    ...(Object.keys(facets).length > 0 && { filters: facets }),
  }
}

/** What a file of a list is asked for with: its filters, search and order in the address. */
export function fileInput(filters: readonly Filter[], url: UrlState): Record<string, unknown> {
  return { ...filterInput(filters, url), filter: url['filter'], sorting: url['sorting'] }
}

/** The fields of a list's filters: the most common ones in the line, all others in a pop-up. Facets stand beside the list. */
export function FilterFields({
  filters,
  url,
  onChange,
  isNarrow,
}: {
  readonly filters: readonly Filter[]
  readonly url: UrlState
  readonly onChange: (change: UrlState) => void
  readonly isNarrow: boolean
}) {
  const t = useTexts()
  const fields = filters.filter(({ kind }) => kind !== 'facet')
  const inLine = isNarrow ? [] : fields.filter(({ isExtra }) => !isExtra)
  const inPopUp = fields.filter((filter) => !inLine.includes(filter))
  const used = inPopUp.filter(({ name }) => url[name] !== undefined).length
  return (
    <>
      {inLine.map((filter) => (
        <FilterField
          key={filter.name}
          filter={filter}
          value={url[filter.name]}
          onChange={(value) => onChange({ [filter.name]: value })}
        />
      ))}
      {inPopUp.length > 0 && (
        <Popover position="bottom-start" withArrow trapFocus>
          <Popover.Target>
            <Button
              variant="default"
              leftSection={<Icon name="filter" />}
              rightSection={
                used > 0 && (
                  <Badge size="sm" variant="light">
                    {used}
                  </Badge>
                )
              }
            >
              {t('Filters')}
            </Button>
          </Popover.Target>
          <Popover.Dropdown aria-label={t('Filters')}>
            <Stack gap="xs" w={260}>
              {inPopUp.map((filter) => (
                <FilterField
                  key={filter.name}
                  filter={filter}
                  value={url[filter.name]}
                  onChange={(value) => onChange({ [filter.name]: value })}
                  hasLabel
                />
              ))}
            </Stack>
          </Popover.Dropdown>
        </Popover>
      )}
    </>
  )
}

function FilterField({
  filter,
  value,
  onChange,
  hasLabel = false,
}: {
  readonly filter: Filter
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
  readonly hasLabel?: boolean
}) {
  const t = useTexts()
  const { title, kind, options = [], initial, pick: Pick } = filter
  const label = hasLabel ? { label: t(title) } : { 'aria-label': t(title), placeholder: t(title) }
  if (kind === 'choice' || kind === 'enum' || kind === 'flag')
    return (
      <Select
        {...label}
        data={kind === 'flag' && options.length === 0 ? yesNo(t) : [...options]}
        value={value ?? initial ?? null}
        onChange={(next) => onChange(next === null || next === initial ? undefined : next)}
        clearable={initial === undefined}
        allowDeselect={initial === undefined}
        searchable={options.length > 8}
        comboboxProps={{ withinPortal: !hasLabel }}
        {...(!hasLabel && { w: 170 })}
      />
    )
  if (kind === 'pick' && Pick)
    return (
      <Pick
        label={t(title)}
        value={value ?? null}
        onChange={(id) => onChange(id ?? undefined)}
        place={hasLabel ? 'pop-up' : 'line'}
      />
    )
  return (
    <TypedFilter
      {...label}
      type={kind === 'instant' ? 'datetime-local' : kind}
      value={value ?? ''}
      onChange={onChange}
    />
  )
}

function yesNo(t: (key: string) => string): Option[] {
  return [
    { value: 'true', label: t('AbpUi::Yes') },
    { value: 'false', label: t('AbpUi::No') },
  ]
}

/** Reports what is typed after a pause. */
function TypedFilter({
  value,
  onChange,
  ...input
}: {
  readonly type: string
  readonly value: string
  readonly onChange: (value: string | undefined) => void
  readonly label?: string
  readonly placeholder?: string
}) {
  const [typed, setTyped] = useState(value)
  const report = useDebouncedCallback(onChange, 300)
  useEffect(() => setTyped(value), [value])
  return (
    <TextInput
      {...input}
      value={typed}
      maxLength={256}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        report(currentTarget.value || undefined)
      }}
    />
  )
}
