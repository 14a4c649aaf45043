import { useQuery } from '@keel/react'
import { useTexts } from '../application.js'
import type { Option, PickProps } from './fields.js'
import { carriers, codeEntities, containers, containerTypes, ports } from './hub.js'
import { LookupSelect } from './lookup-select.js'

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

/** The rows of one of the small coded lists, to choose from. */
export function useCodes(type: string): readonly Option[] {
  const { data } = useQuery(codeEntities.getList, { type, sorting: 'name', maxResultCount: 1000 })
  return data?.items.map(({ id, code, name }) => ({ value: id, label: `${code} · ${name}` })) ?? []
}

/** The names of the rows of a coded list, by their codes. */
export function useCodeNames(type: string): (code: string) => string {
  const options = useCodes(type)
  const names = new Map(options.map(({ label }) => label.split(' · ') as [string, string]))
  return (code) => names.get(code) ?? code
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
