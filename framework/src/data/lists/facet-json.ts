import { membersOf } from '../../contracts/scalars.js'
import type { ColumnMeta, EntityClass } from '../entities/entity.js'
import type { FacetField } from '../entities/facet-field.js'
import { jsonString } from '../entities/text-columns.js'
import type { FacetValues } from '../query/facet-counts.js'
import type { Totals } from './kept-totals.js'
import { JoinedTable, ReferenceSet, type ReferenceSets, type Referred } from './reference-sets.js'
import { compareTexts } from './text-order.js'

/** The facets of an answer. */
export interface ShownFacets {
  /** In the order of their positions in the counts. */
  readonly fields: readonly { readonly field: FacetField; readonly column: ColumnMeta }[]
  /** The most values of a field, the most frequent ones. */
  readonly mostValues: number
  /** How its members are named. */
  readonly names: FacetNames
}

interface FacetNames {
  readonly field: string
  readonly values: string
  readonly value: string
  readonly count: string
}

type Sets = readonly (Referred | undefined)[]

interface Written {
  readonly shown: ShownFacets
  readonly sets: Sets
  readonly json: string
}

const kept = new WeakMap<Totals, Written>()

/**
 * Facets as JSON: every field, its values by count, then by name, with names for ids and numbers. Written once for as long as the totals and the
 * sets that name the values stay the same.
 */
export function writeFacets(
  shown: ShownFacets,
  totals: Totals,
  references: ReferenceSets,
): string | Promise<string> {
  const entities = shown.fields.map(({ field, column }) => (field.values ? undefined : column.references?.()))
  const sets = entities.map((entity) => entity && references.referred(entity))
  return sets.every(isKnown) ? write(sets) : Promise.all(sets).then(write)

  function write(known: Sets): string | Promise<string> {
    const before = kept.get(totals)
    if (before && isSame(before, shown, known)) return before.json
    const counts = JSON.parse(totals.facets ?? '[]') as FacetValues
    if (!known.some((set) => set instanceof JoinedTable)) return keep(known, known, counts)
    const named = known.map((set, index) =>
      set instanceof JoinedTable
        ? references.rows(entities[index] as EntityClass, valuesOf(counts, index))
        : set,
    )
    return Promise.all(named).then((sets) => keep(known, sets, counts))
  }

  function keep(known: Sets, named: Sets, counts: FacetValues): string {
    const json = facetsJson(shown, named, counts)
    kept.set(totals, { shown, sets: known, json })
    return json
  }
}

/** The counted values of a field. */
function valuesOf(counts: FacetValues, field: number): string[] {
  return counts.filter(([position]) => position === field).map(([, value]) => String(value))
}

function isSame(before: Written, { fields }: ShownFacets, sets: Sets): boolean {
  return (
    before.sets.every((set, index) => set === sets[index]) &&
    before.shown.fields.every(({ field }, index) => field === fields[index]?.field)
  )
}

function facetsJson({ fields, mostValues, names }: ShownFacets, sets: Sets, counts: FacetValues): string {
  const facets = fields.map(({ field }, index) => {
    const nameOf = namer(field, sets[index])
    const values = counts
      .filter(([position]) => position === index)
      .map(([, value, count]) => ({ value: nameOf(String(value)), count }))
      .sort((a, b) => b.count - a.count || compareTexts(a.value, b.value))
      .slice(0, mostValues)
      .map(({ value, count }) => `{"${names.value}":${jsonString(value)},"${names.count}":${count}}`)
    return `{"${names.field}":${jsonString(field.name)},"${names.values}":[${values.join(',')}]}`
  })
  return `[${facets.join(',')}]`
}

function namer(field: FacetField, referred: Referred | undefined): (value: string) => string {
  const set = referred instanceof ReferenceSet ? referred : undefined
  const names = new Map(
    Object.entries(membersOf(field.values ?? {})).map(([name, value]) => [String(value), name]),
  )
  return (value) => names.get(value) ?? set?.value(value, field.code ?? 'code') ?? value
}

function isKnown(set: Referred | undefined | Promise<Referred>): set is Referred | undefined {
  return !(set instanceof Promise)
}
