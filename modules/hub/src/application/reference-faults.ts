import { faultOf, type ValidationFault } from '@keel/framework/contracts'
import type { ReferenceSet } from '@keel/framework/data'

/** The keys of the texts that refuse a reference. */
interface ReferenceFaults {
  readonly unknown: string
  readonly inactive: string
}

export const portFaults: ReferenceFaults = {
  unknown: 'Hub:Validation:NoSuchPort',
  inactive: 'Hub:Validation:InactivePort',
}
export const codeFaults: ReferenceFaults = {
  unknown: 'Hub:Validation:NoSuchCodeEntity',
  inactive: 'Hub:Validation:InactiveCodeEntity',
}

/**
 * The fault of a member that refers to a row of a reference set: there is no such row, or it was deactivated and the thing did
 * not refer to it before. Existing rows keep what they have.
 */
export function referenceFaults(
  set: ReferenceSet,
  { unknown, inactive }: ReferenceFaults,
  member: string,
  id: string | null | undefined,
  before: string | null | undefined,
): ValidationFault[] {
  if (!id) return []
  if (!set.has(id)) return [faultOf(member, unknown)]
  return set.value(id, 'isActive') === 'f' && id !== before ? [faultOf(member, inactive)] : []
}
