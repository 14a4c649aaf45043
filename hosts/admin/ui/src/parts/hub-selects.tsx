import { useQuery, useQueryWhen } from '@keel/react'
import { useEffect, useRef, useState } from 'react'
import { useTexts } from '../application.js'
import type { Option, PickProps } from './fields.js'
import { carriers, codeEntities, containers, containerTypes, ports, terminals, vessels } from './hub.js'
import { LookupSelect } from './lookup-select.js'
import { SearchSelect } from './search-select.js'

/** Picks a port by UN/LOCODE or name. */
export function PortSelect(props: PickProps) {
  return (
    <LookupSelect
      {...props}
      find={ports.getLookup}
      get={ports.get}
      labelOf={({ unLocode, name }) => `${unLocode} · ${name}`}
    />
  )
}

/** Picks a carrier by code or name. */
export function CarrierSelect(props: PickProps) {
  return (
    <LookupSelect
      {...props}
      find={carriers.getLookup}
      get={carriers.get}
      labelOf={({ code, name }) => `${code} · ${name}`}
    />
  )
}

/** Picks a ship by its name or IMO number. */
export function VesselSelect(props: PickProps) {
  return <LookupSelect {...props} find={vessels.getLookup} get={vessels.get} labelOf={({ name }) => name} />
}

/** Picks a container type by its ISO code or name. */
export function ContainerTypeSelect(props: PickProps) {
  return (
    <LookupSelect
      {...props}
      find={containerTypes.getLookup}
      get={containerTypes.get}
      labelOf={({ isoCode, name }) => `${isoCode} · ${name}`}
    />
  )
}

/** Picks a terminal of the port `within` by code or name; none before a port is chosen. A terminal of another port goes when the port changes. */
export function TerminalSelect({ within = null, ...props }: PickProps) {
  const { value, onChange, isDisabled = false } = props
  const [filter, search] = useState<string>()
  const input = { portId: within, filter, sorting: 'code', maxResultCount: 50 }
  const found = useQueryWhen(within !== null, terminals.getList, input)
  const chosen = useQueryWhen(Boolean(value), terminals.get, value ?? '')
  const port = useRef(within)
  const isElsewhere = chosen.data !== undefined && chosen.data.portId !== within
  useEffect(() => {
    if (port.current === within) return
    if (value && !chosen.data) return
    port.current = within
    if (value && isElsewhere) onChange(null)
  })
  const optionOf = ({ id, code, name }: { id: string; code: string; name: string }): Option => ({
    value: id,
    label: `${code} · ${name}`,
  })
  return (
    <SearchSelect
      {...props}
      isDisabled={isDisabled || within === null}
      options={found.data?.items.map(optionOf)}
      chosen={chosen.data && optionOf(chosen.data)}
      onSearch={search}
    />
  )
}

/** The rows of one of the small coded lists, to choose from. */
export function useCodes(type: string): readonly Option[] {
  return useCodeRows(type).map(({ id, code, name, isRetired }) => ({
    value: id,
    // Of `Air` in English its name says it all.
    label: code === name ? name : `${code} · ${name}`,
    isRetired,
  }))
}

/** The name of a row of a coded list in the language of the page; the name that it came with where the list does not have it. */
export function useCodeName(
  type: string,
): (row: { readonly code: string; readonly name?: string } | null | undefined) => string | undefined {
  const rows = useCodeRows(type)
  return (row) => (row ? (rows.find(({ code }) => code === row.code)?.name ?? row.name) : undefined)
}

/** The names of the rows of a coded list, by their codes. */
export function useCodeNames(type: string): (code: string) => string {
  const nameOf = useCodeName(type)
  return (code) => nameOf({ code }) ?? code
}

const allOfCodes = { includeInactive: true, sorting: 'isActive desc, name', maxResultCount: 1000 } as const

/** The rows of a coded list, those last that were deactivated. Lists tell the names as they are stored, lookups those of delivered rows in the language of the page. */
function useCodeRows(type: string) {
  const { data } = useQuery(codeEntities.getList, { type, ...allOfCodes })
  const { data: named = [] } = useQuery(codeEntities.getLookup, { type })
  const names = new Map(named.map(({ id, name }) => [id, name]))
  return (data?.items ?? []).map(({ id, code, name, isActive }) => ({
    ...{ id, code, name: names.get(id) ?? name },
    isRetired: !isActive,
  }))
}

/** The containers of a consol, to choose from; without one, the latest containers. */
export function useContainers(consolId?: string): readonly Option[] {
  const t = useTexts()
  const { data } = useQuery(containers.getList, { consolId, maxResultCount: 200 })
  return (
    data?.items.map(({ id, containerNumber, containerType }) => ({
      value: id,
      label: [containerNumber ?? t('Ops:ContainerUnknown'), containerType?.isoCode]
        .filter(Boolean)
        .join(' · '),
    })) ?? []
  )
}
