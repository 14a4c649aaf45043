import { BusinessError, faultOf, ValidationError, type ValidationFault } from '@keel/framework/contracts'
import { type ReferenceSet, type ReferenceSets, type ReferenceTexts, refusalOf } from '@keel/framework/data'
import { HubErrors } from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'
import { Port } from '../domain/port.js'

export const portFaults: ReferenceTexts = {
  unknown: 'Hub:Validation:NoSuchPort',
  inactive: 'Hub:Validation:InactivePort',
}
export const codeFaults: ReferenceTexts = {
  unknown: 'Hub:Validation:NoSuchCodeEntity',
  inactive: 'Hub:Validation:InactiveCodeEntity',
}

/** The members of an input that refer to ports, and those that refer to code entities, with the type that each demands. */
export interface ReferenceMembers {
  readonly ports?: readonly string[]
  readonly codes?: Readonly<Record<string, string>>
}

/** The ports and code entities that inputs refer to. */
export interface KnownReferences {
  readonly ports: ReferenceSet
  readonly codes: ReferenceSet
}

/** Reads the ports and code entities of some inputs at once. */
export async function readReferences(
  references: ReferenceSets,
  { ports = [], codes = {} }: ReferenceMembers,
  inputs: readonly object[],
): Promise<KnownReferences> {
  const idsOf = (members: readonly string[]) =>
    new Set(inputs.flatMap((input) => members.map((member) => idIn(input, member))))
  const [knownPorts, knownCodes] = await Promise.all([
    references.rows(Port, idsOf(ports)),
    references.rows(CodeEntity, idsOf(Object.keys(codes))),
  ])
  return { ports: knownPorts, codes: knownCodes }
}

/** The faults of members that refer to no row, or to a deactivated one that `before` does not refer to. Existing rows keep theirs. */
export function referenceFaults(
  known: KnownReferences,
  { ports = [], codes = {} }: ReferenceMembers,
  input: object,
  before: object = {},
): ValidationFault[] {
  const faultIn = (set: ReferenceSet, texts: ReferenceTexts) => (member: string) => {
    const id = idIn(input, member)
    const refusal = id ? refusalOf(set, id, texts, id === idIn(before, member)) : undefined
    return refusal === undefined ? [] : [faultOf(member, refusal)]
  }
  return [
    ...ports.flatMap(faultIn(known.ports, portFaults)),
    ...Object.keys(codes).flatMap(faultIn(known.codes, codeFaults)),
  ]
}

/** Refuses a code entity of another type than its member demands. */
export function demandCodeTypes(
  known: KnownReferences,
  { codes = {} }: ReferenceMembers,
  input: object,
): void {
  for (const [member, expected] of Object.entries(codes)) {
    const id = idIn(input, member)
    const actual = id ? known.codes.value(id, 'type') : expected
    if (actual !== expected)
      throw new BusinessError(HubErrors.WrongCodeEntityType, { member, expected, actual })
  }
}

/** Refuses unknown ports and code entities, deactivated ones that `before` does not refer to, and code entities of another type. */
export async function demandPortsAndCodes(
  references: ReferenceSets,
  members: ReferenceMembers,
  input: object,
  before?: object,
): Promise<void> {
  const known = await readReferences(references, members, [input])
  const faults = referenceFaults(known, members, input, before)
  if (faults.length) throw new ValidationError(faults)
  demandCodeTypes(known, members, input)
}

function idIn(input: object, member: string): string | null | undefined {
  return (input as Readonly<Record<string, string | null | undefined>>)[member]
}
