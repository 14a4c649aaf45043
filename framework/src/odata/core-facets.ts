import { membersOf } from '../contracts/scalars.js'
import type { FacetValues } from '../data/query/facets.js'
import type { ReferenceSets } from '../data/query/reference-sets.js'
import type { BoundFacets } from './facet-binder.js'

/** How many values of one field are told; the most frequent ones. */
const mostValues = 50

/** The annotation `@core.facets`: counts by value, as PostgreSQL gave them, with names for ids and numbers. */
export async function writeCoreFacets(
  { fields }: BoundFacets,
  counts: string,
  references: ReferenceSets,
): Promise<string> {
  const found = JSON.parse(counts) as FacetValues
  const written = await Promise.all(
    fields.map(async ({ field, column }, index) => {
      const entity = column.references?.()
      const set = entity && !field.values ? await references.of(entity) : undefined
      const names = new Map(
        Object.entries(membersOf(field.values ?? {})).map(([name, value]) => [String(value), name]),
      )
      const nameOf = (value: string) => names.get(value) ?? set?.value(value, field.code ?? 'code') ?? value
      const values = found
        .filter(([position]) => position === index)
        .map(([, value, count]) => ({ Value: nameOf(String(value)), Count: count }))
        .sort((a, b) => b.Count - a.Count || (a.Value < b.Value ? -1 : 1))
      return { Field: field.name, Values: values.slice(0, mostValues) }
    }),
  )
  return JSON.stringify(written)
}
