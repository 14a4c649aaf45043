import type { FeatureDefinition } from '@keel/framework/contracts'

/** A feature and how many features stand above it. */
export interface PlacedFeature {
  readonly definition: FeatureDefinition
  readonly depth: number
}

/** Features by their group, in the order they were declared; children stand behind their parent, one deeper. */
export function featureTree(
  definitions: Iterable<FeatureDefinition>,
): { readonly name: string; readonly features: readonly PlacedFeature[] }[] {
  const all = [...definitions]
  const names = new Set(all.map(({ name }) => name))
  const roots = all.filter(({ parent }) => parent === undefined || !names.has(parent))
  const groups = [...new Set(roots.map(({ group }) => group))]
  return groups.map((name) => ({
    name,
    features: roots.filter(({ group }) => group === name).flatMap((root) => placed(root, 0)),
  }))

  function placed(definition: FeatureDefinition, depth: number): PlacedFeature[] {
    const children = all.filter(({ parent }) => parent === definition.name)
    return [{ definition, depth }, ...children.flatMap((child) => placed(child, depth + 1))]
  }
}
