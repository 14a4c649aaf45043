import { type Call, useQuery, useQueryWhen } from '@keel/react'
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { Option, PickProps } from './fields.js'

/** Picks one of many rows by code or name, from those that the caller sees. */
export function LookupSelect<T extends { readonly id: string }>({
  find,
  get,
  labelOf,
  label,
  value,
  onChange,
  error,
  isRequired = false,
  isDisabled = false,
  isFirst = false,
  description,
}: PickProps & {
  readonly find: Call<
    [input: { filter?: string | undefined }],
    readonly { readonly id: string; readonly code: string; readonly name: string }[]
  >
  readonly get: Call<[id: string], T>
  /** The words for the row that is chosen already. */
  readonly labelOf: (row: T) => string
}) {
  const [typed, setTyped] = useState('')
  const [filter] = useDebouncedValue(typed, 250)
  const found = useQuery(find, { filter: filter || undefined })
  const chosen = useQueryWhen(Boolean(value), get, value ?? '')
  const options = new Map<string, Option>(
    found.data?.map(({ id, code, name }) => [id, { value: id, label: `${code} · ${name}` }]),
  )
  if (chosen.data) options.set(chosen.data.id, { value: chosen.data.id, label: labelOf(chosen.data) })
  return (
    <Select
      label={label}
      description={description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      required={isRequired}
      disabled={isDisabled}
      searchable
      clearable={!isRequired}
      data={[...options.values()]}
      value={value}
      onChange={onChange}
      onSearchChange={(text) => setTyped(text.split(' · ')[0] ?? '')}
      filter={({ options: all }) => all}
      error={error}
      {...(isFirst && { 'data-autofocus': true })}
    />
  )
}
