import type { OperationShape, ValueShape } from '../contracts/operation-shape.js'

/** A place where a client and a host do not agree, so that a value would get lost or be taken for another. */
export interface ContractDifference {
  /** E.g. `input.shipmentReference`, `result.items[].status`. */
  readonly field: string
  /** In English. */
  readonly what: string
  /** `always`: for each call; `sent`: for calls that send the field; `absent`: for calls that do not send it. */
  readonly when: 'always' | 'sent' | 'absent'
}

/** What breaks when a client of one shape calls a host of another one; additions do not. */
export function breakingDifferences(client: OperationShape, host: OperationShape): ContractDifference[] {
  const found: ContractDifference[] = []
  for (const { name, value } of client.parameters) {
    const other = host.parameters.find((parameter) => parameter.name === name)
    if (other) sentDifferences(value, other.value, name, found)
    else found.push({ field: name, what: 'is not known to the host', when: 'sent' })
  }
  for (const { name, value } of host.parameters)
    if (!value.optional && !client.parameters.some((parameter) => parameter.name === name))
      found.push({ field: name, what: 'must be sent now', when: 'always' })
  if (client.result && !host.result)
    found.push({ field: 'result', what: 'is no longer answered', when: 'always' })
  else if (client.result && host.result) receivedDifferences(client.result, host.result, 'result', found)
  return found
}

function sentDifferences(
  client: ValueShape,
  host: ValueShape,
  field: string,
  found: ContractDifference[],
): void {
  const changed = kindChange(client, host)
  if (changed) found.push({ field, what: changed, when: 'sent' })
  else {
    for (const [name, member] of Object.entries(client.members ?? {})) {
      const other = host.members?.[name]
      if (other) sentDifferences(member, other, `${field}.${name}`, found)
      else if (host.members)
        found.push({ field: `${field}.${name}`, what: 'is not known to the host', when: 'sent' })
    }
    for (const [name, member] of Object.entries(host.members ?? {}))
      if (!member.optional && client.members && !client.members[name])
        found.push({ field: `${field}.${name}`, what: 'must be sent now', when: 'absent' })
    if (client.element && host.element) sentDifferences(client.element, host.element, `${field}[]`, found)
  }
}

function receivedDifferences(
  client: ValueShape,
  host: ValueShape,
  field: string,
  found: ContractDifference[],
): void {
  const changed = kindChange(client, host)
  if (changed) found.push({ field, what: changed, when: 'always' })
  else if (host.nullable && !client.nullable && client.kind !== 'any')
    found.push({ field, what: 'may be null now', when: 'always' })
  else {
    for (const [name, member] of Object.entries(client.members ?? {})) {
      const other = host.members?.[name]
      if (other) receivedDifferences(member, other, `${field}.${name}`, found)
      else if (host.members) found.push({ field: `${field}.${name}`, what: 'is gone', when: 'always' })
    }
    if (client.element && host.element) receivedDifferences(client.element, host.element, `${field}[]`, found)
  }
}

/** Enumerations may get members: their values are visible to the client as unknown. */
function kindChange(client: ValueShape, host: ValueShape): string | undefined {
  if (client.kind === 'any' || host.kind === 'any') return undefined
  if (client.kind !== host.kind) return `${client.kind} → ${host.kind}`
  const moved = Object.entries(client.values ?? {}).find(
    ([name, value]) => host.values?.[name] !== undefined && host.values[name] !== value,
  )
  return moved && `${moved[0]} = ${moved[1]} → ${host.values?.[moved[0]]}`
}

/** True when a call with these arguments meets a difference. @param isAnswered false when only what was sent counts */
export function concerns(
  { field, when }: ContractDifference,
  args: Readonly<Record<string, unknown>>,
  isAnswered: boolean,
): boolean {
  if (field.startsWith('result') && when === 'always') return isAnswered
  if (when === 'always') return true
  const path = field.split(/(?=\[\])|\./).filter(Boolean)
  return when === 'sent' ? isAt(args, path) : lacks(args, path)
}

function isAt(value: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return value !== undefined
  if (first === '[]') return membersOf(value).some((item) => isAt(item, rest))
  return typeof value === 'object' && value !== null && first in value
    ? isAt((value as Record<string, unknown>)[first], rest)
    : false
}

/** True where the object around the last member is there, and the member is not. */
function lacks(value: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === '[]') return membersOf(value).some((item) => lacks(item, rest))
  if (typeof value !== 'object' || value === null || first === undefined) return false
  const member = (value as Record<string, unknown>)[first]
  return rest.length ? lacks(member, rest) : member === undefined
}

const membersOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : []
