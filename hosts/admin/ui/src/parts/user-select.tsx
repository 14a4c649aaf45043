import { useQuery, useQueryWhen } from '@keel/react'
import { useState } from 'react'
import { platform } from '../clients.js'
import type { PickProps } from './fields.js'
import { SearchSelect } from './search-select.js'

const optionOf = ({ id, userName }: { readonly id: string; readonly userName: string }) => ({
  value: id,
  label: userName,
})

/** Picks a user by name or address. Needs the permission to see users. */
export function UserSelect(props: PickProps) {
  const { users } = platform.identity
  const { value } = props
  const [filter, search] = useState<string>()
  const found = useQuery(users.getList, { filter, maxResultCount: 30 })
  const chosen = useQueryWhen(Boolean(value), users.findById, value ?? '')
  return (
    <SearchSelect
      {...props}
      options={found.data?.items.map(optionOf)}
      chosen={chosen.data ? optionOf(chosen.data) : undefined}
      onSearch={search}
    />
  )
}
