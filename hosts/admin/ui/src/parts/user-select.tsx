import { useQuery, useQueryWhen } from '@keel/react'
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { platform } from '../clients.js'
import type { PickProps } from './fields.js'

/** Picks a user by name or address. Needs the permission to see users. */
export function UserSelect({
  label,
  value,
  onChange,
  error,
  isRequired = false,
  isDisabled = false,
  isFirst = false,
  description,
}: PickProps) {
  const { users } = platform.identity
  const [typed, setTyped] = useState('')
  const [filter] = useDebouncedValue(typed, 250)
  const found = useQuery(users.getList, { filter: filter || undefined, maxResultCount: 30 })
  const chosen = useQueryWhen(Boolean(value), users.findById, value ?? '')
  const options = new Map(found.data?.items.map(({ id, userName }) => [id, userName]))
  if (chosen.data) options.set(chosen.data.id, chosen.data.userName)
  return (
    <Select
      label={label}
      description={description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      required={isRequired}
      disabled={isDisabled}
      searchable
      clearable={!isRequired}
      data={[...options].map(([id, userName]) => ({ value: id, label: userName }))}
      value={value}
      onChange={onChange}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      error={error}
      {...(isFirst && { 'data-autofocus': true })}
    />
  )
}
