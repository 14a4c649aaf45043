import { Select } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useTexts } from '../application.js'
import type { Option, PickProps } from './fields.js'

/** Picks one of many rows, from those that a query finds by the text that was typed. */
export function SearchSelect({
  options,
  chosen,
  onSearch,
  label,
  value,
  onChange,
  error,
  isRequired = false,
  isDisabled = false,
  isFirst = false,
  description,
  place,
}: PickProps & {
  /** The rows that the query found. */
  readonly options: readonly Option[] | undefined
  /** The row that is chosen already, which need not be among them. */
  readonly chosen: Option | undefined
  /** Gets the text to search for, a moment after it was typed; undefined for all rows. */
  readonly onSearch: (filter: string | undefined) => void
}) {
  const t = useTexts()
  // The words of a chosen row are its code and its name: the code finds it.
  const search = useDebouncedCallback((text: string) => onSearch(text.split(' · ')[0] || undefined), 250)
  const offered = new Map([...(options ?? []), ...(chosen ? [chosen] : [])].map((one) => [one.value, one]))
  return (
    <Select
      {...(place === 'line' ? { 'aria-label': label, placeholder: label, w: 200 } : { label })}
      // A click into the list of options is no click outside of the pop-up.
      comboboxProps={{ withinPortal: place !== 'pop-up' }}
      description={description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      required={isRequired}
      disabled={isDisabled}
      searchable
      clearable={!isRequired}
      data={[...offered.values()]}
      value={value}
      onChange={onChange}
      onSearchChange={search}
      filter={({ options: all }) => all}
      nothingFoundMessage={t(options ? 'NothingFound' : 'AbpUi::Loading')}
      error={error}
      {...(isFirst && { 'data-autofocus': true })}
    />
  )
}
