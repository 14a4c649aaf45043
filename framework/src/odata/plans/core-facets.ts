import { membersOf } from '../../contracts/scalars.js'
import type { ReferenceSet, ReferenceSets } from '../../data/lists/reference-sets.js'
import { compareTexts } from '../../data/lists/text-order.js'
import type { FacetValues } from '../../data/query/facet-counts.js'
import type { BoundFacets } from '../binding/facet-binder.js'
import type { Totals } from './totals-cache.js'

type Names = readonly (ReferenceSet | undefined)[]

const rendered = new WeakMap<
  Totals,
  { readonly fields: BoundFacets['fields']; readonly names: Names; readonly json: string }
>()

/**
 * The annotation `@core.facets`: counts by value, as PostgreSQL gave them, with names for ids and numbers.
 * The JSON is rendered once, and kept while the totals and the sets that name the values stay the same.
 */
export function writeCoreFacets(
  { fields, mostValues }: BoundFacets,
  totals: Totals,
  references: ReferenceSets,
): string | Promise<string> {
  const sets = fields.map(({ field, column }) => {
    const entity = column.references?.()
    return entity && !field.values ? references.of(entity) : undefined
  })
  return sets.every(isKnown) ? write(sets) : Promise.all(sets).then(write)

  function write(names: Names): string {
    const kept = rendered.get(totals)
    const isSame =
      kept?.names.every((set, index) => set === names[index]) &&
      kept.fields.every(({ field }, index) => field === fields[index]?.field)
    if (kept && isSame) return kept.json
    const json = facetsJson({ fields, mostValues }, names, JSON.parse(totals.facets ?? '[]') as FacetValues)
    rendered.set(totals, { fields, names, json })
    return json
  }
}

function facetsJson(
  { fields, mostValues }: Pick<BoundFacets, 'fields' | 'mostValues'>,
  sets: Names,
  found: FacetValues,
): string {
  const facets = fields.map(({ field }, index) => {
    const names = new Map(
      Object.entries(membersOf(field.values ?? {})).map(([name, value]) => [String(value), name]),
    )
    const nameOf = (value: string) =>
      names.get(value) ?? sets[index]?.value(value, field.code ?? 'code') ?? value
    const values = found
      .filter(([position]) => position === index)
      .map(([, value, count]) => ({ Value: nameOf(String(value)), Count: count }))
      .sort((a, b) => b.Count - a.Count || compareTexts(a.Value, b.Value))
    return { Field: field.name, Values: values.slice(0, mostValues) }
  })
  return JSON.stringify(facets)
}

function isKnown(set: ReferenceSet | undefined | Promise<ReferenceSet>): set is ReferenceSet | undefined {
  return !(set instanceof Promise)
}
