import { AccessScope, OrganizationAppService, OrganizationMemberAppService } from '@keel/hub-proxy'
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { openProxy } from '../clients.js'
import { useQuery, useQueryWhen } from '../keel-react.js'
import type { Option } from './fields.js'

/** The clients of organizations and their members. */
export const { organizations, organizationMembers } = openProxy({
  organizations: { service: OrganizationAppService },
  organizationMembers: { service: OrganizationMemberAppService },
})

/** Organization only, or with everything below it. */
export { AccessScope }

/** Picks an organization by code or name, from those that the caller sees. */
export function OrganizationSelect({
  label,
  value,
  onChange,
  error,
  isRequired = false,
  description,
}: {
  readonly label: string
  readonly value: string | null
  readonly onChange: (id: string | null) => void
  readonly error?: string | undefined
  readonly isRequired?: boolean
  readonly description?: string
}) {
  const [typed, setTyped] = useState('')
  const [filter] = useDebouncedValue(typed, 250)
  const found = useQuery(organizations.getLookup, { filter: filter || undefined })
  const chosen = useQueryWhen(value !== null, organizations.get, value ?? '')
  const options = new Map<string, Option>(
    found.data?.map(({ id, code, name }) => [id, { value: id, label: `${code} · ${name}` }]),
  )
  if (chosen.data)
    options.set(chosen.data.id, {
      value: chosen.data.id,
      label: `${chosen.data.code} · ${chosen.data.fullName}`,
    })
  return (
    <Select
      label={label}
      description={description}
      required={isRequired}
      searchable
      clearable={!isRequired}
      data={[...options.values()]}
      value={value}
      onChange={onChange}
      onSearchChange={(text) => setTyped(text.split(' · ')[0] ?? '')}
      filter={({ options: all }) => all}
      error={error}
    />
  )
}
