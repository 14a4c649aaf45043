import { writeFacets } from '../../data/lists/facet-json.js'
import type { Totals } from '../../data/lists/kept-totals.js'
import type { ReferenceSets } from '../../data/lists/reference-sets.js'
import type { BoundFacets } from '../binding/facet-binder.js'

const names = { field: 'Field', values: 'Values', value: 'Value', count: 'Count' } as const

/** The annotation `@core.facets`. */
export function writeCoreFacets(
  { fields, mostValues }: BoundFacets,
  totals: Totals,
  references: ReferenceSets,
): string | Promise<string> {
  return writeFacets({ fields, mostValues, names }, totals, references)
}
