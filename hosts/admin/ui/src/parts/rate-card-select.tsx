import type { RateCardDto } from '@keel/pricing-proxy'
import { useQuery, useQueryWhen } from '@keel/react'
import { useState } from 'react'
import type { PickProps } from './fields.js'
import { rateCards } from './pricing.js'
import { SearchSelect } from './search-select.js'

const optionOf = ({ id, reference, version, name }: InstanceType<typeof RateCardDto>) => ({
  value: id,
  label: `${reference} · ${version} · ${name}`,
})

/** Picks a rate card by its reference or name, from those that the caller sees. */
export function RateCardSelect(props: PickProps) {
  const { value } = props
  const [filter, search] = useState<string>()
  const found = useQuery(rateCards.getList, { filter, maxResultCount: 30, sorting: 'reference' })
  const chosen = useQueryWhen(Boolean(value), rateCards.get, value ?? '')
  return (
    <SearchSelect
      {...props}
      options={found.data?.items.map(optionOf)}
      chosen={chosen.data && optionOf(chosen.data)}
      onSearch={search}
    />
  )
}
