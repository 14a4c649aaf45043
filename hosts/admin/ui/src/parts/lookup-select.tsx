import { type Call, useQuery, useQueryWhen } from '@keel/react'
import { useState } from 'react'
import type { PickProps } from './fields.js'
import { SearchSelect } from './search-select.js'

/** Picks one of many rows by code or name, from those that the caller sees. */
export function LookupSelect<T extends { readonly id: string }>({
  find,
  get,
  labelOf,
  ...props
}: PickProps & {
  readonly find: Call<
    [input: { filter?: string | undefined }],
    readonly { readonly id: string; readonly code: string; readonly name: string }[]
  >
  readonly get: Call<[id: string], T>
  /** The words for the row that is chosen already. */
  readonly labelOf: (row: T) => string
}) {
  const { value } = props
  const [filter, search] = useState<string>()
  const found = useQuery(find, { filter })
  const chosen = useQueryWhen(Boolean(value), get, value ?? '')
  return (
    <SearchSelect
      {...props}
      options={found.data?.map(({ id, code, name }) => ({
        value: id,
        // Rows that have no code, such as ships, are known by their name alone.
        label: code === name ? name : `${code} · ${name}`,
      }))}
      chosen={chosen.data && { value: chosen.data.id, label: labelOf(chosen.data) }}
      onSearch={search}
    />
  )
}
