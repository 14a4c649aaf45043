import { contractHeader, contractPath } from '../contracts/contract-header.js'
import type { AnyAppService, ContractOperation } from '../contracts/index.js'
import {
  contractNameOf,
  type OperationShape,
  operationHash,
  operationShape,
} from '../contracts/operation-shape.js'
import { ContractMismatchError } from './contract-mismatch.js'
import { baseOf, bodyOf, type ConnectionOptions, exchange } from './exchange.js'
import { breakingDifferences, type ContractDifference, concerns } from './shape-differences.js'

/** A contract as a host describes it. */
export interface Description {
  readonly at: number
  readonly operations: Readonly<Record<string, OperationShape & { readonly hash: string }>>
}

/** A call whose contract is compared. */
export interface CheckedCall {
  readonly service: AnyAppService
  readonly operation: ContractOperation
  readonly args: readonly unknown[]
  readonly options: ConnectionOptions
}

/** The most entries of each of the maps below; the oldest are forgotten first. */
const mostEntries = 2000
/** How long a description is not asked for again. */
const freshMs = 10_000

/** By address and contract. */
const descriptions = new Map<string, Promise<Description>>()
/** What breaks between this program and an operation with a hash, by address, operation and hash. */
const verdicts = new Map<string, readonly ContractDifference[]>()
/** The hash that an operation was last answered with where it is not that of this program, by address and operation. */
const foreign = new Map<string, { readonly hash: string; readonly at: number }>()

/**
 * Refuses a write that is known to meet a host with another contract. The host is asked once more when it was last heard of some time ago, because
 * it may have been brought up to date.
 */
export function checkBeforeSending(call: CheckedCall): Promise<void> | undefined {
  return foreign.size === 0 || call.operation.route.verb === 'GET' ? undefined : checkWrite(call)
}

async function checkWrite(call: CheckedCall): Promise<void> {
  const key = keyOf(call)
  const last = foreign.get(key)
  if (!last || !concerning(call, verdicts.get(`${key} ${last.hash}`), true).length) return
  let { hash } = last
  if (Date.now() - last.at > freshMs) {
    const described = (await describe(call, undefined)).operations[call.operation.name]
    if (!described || described.hash === operationHash(call.operation)) {
      foreign.delete(key)
      return
    }
    hash = described.hash
    judge(call, hash, described)
    remember(foreign, key, { hash, at: Date.now() })
  }
  raise(call, verdicts.get(`${key} ${hash}`), { wasSent: false, isAnswered: true })
}

/**
 * Compares the contract of an answer with that of this program. Throws {@link ContractMismatchError} when they differ in something that the call
 * uses. @param isAnswered false for a refusal of the input
 */
export function checkAnswer(
  call: CheckedCall,
  headers: Headers,
  isAnswered: boolean,
): Promise<void> | undefined {
  const told = headers.get(contractHeader)
  if (told === null) return undefined
  if (told !== operationHash(call.operation)) return checkForeign(call, told, isAnswered)
  if (foreign.size) foreign.delete(keyOf(call))
  return undefined
}

/** Compares the contract of an answer that has another hash than that of this program. */
async function checkForeign(call: CheckedCall, told: string, isAnswered: boolean): Promise<void> {
  const key = keyOf(call)
  remember(foreign, key, { hash: told, at: Date.now() })
  if (!verdicts.has(`${key} ${told}`)) {
    const described = (await describe(call, told)).operations[call.operation.name]
    // Another copy of the host, of another version, may have answered.
    if (described?.hash === told) judge(call, told, described)
  }
  raise(call, verdicts.get(`${key} ${told}`), { wasSent: true, isAnswered })
}

function judge(call: CheckedCall, hash: string, described: OperationShape): void {
  const key = `${keyOf(call)} ${hash}`
  if (!verdicts.has(key))
    remember(verdicts, key, breakingDifferences(operationShape(call.operation), described))
}

/** The differences that a call meets. */
function concerning(
  { operation, args }: CheckedCall,
  verdict: readonly ContractDifference[] = [],
  isAnswered: boolean,
): ContractDifference[] {
  if (!verdict.length) return []
  const named = Object.fromEntries(operation.parameters.map(({ name }, index) => [name, args[index]]))
  return verdict.filter((difference) => concerns(difference, named, isAnswered))
}

function raise(
  call: CheckedCall,
  verdict: readonly ContractDifference[] | undefined,
  { wasSent, isAnswered }: { readonly wasSent: boolean; readonly isAnswered: boolean },
): void {
  const differences = concerning(call, verdict, isAnswered)
  if (!differences.length) return
  const { name, service } = call.service.contract
  throw new ContractMismatchError({
    remote: service.name,
    operation: `${name}.${call.operation.name}`,
    differences,
    wasSent,
  })
}

/** The host's description of the contract: one that is known and has the operation with this hash, or is fresh, else a new one. */
async function describe(call: CheckedCall, hash: string | undefined): Promise<Description> {
  const { service, operation, options } = call
  const key = `${baseOf(options)} ${contractNameOf(service)}`
  const pending = descriptions.get(key)
  if (pending !== undefined) {
    const known = await pending
    if (Date.now() - known.at < freshMs || known.operations[operation.name]?.hash === hash) return known
    // Another call may have asked meanwhile.
    const newer = descriptions.get(key)
    if (newer && newer !== pending) return newer
  }
  const asked = fetchDescription(service, options)
  remember(descriptions, key, asked)
  return asked
}

/** The description of a contract by a host. Empty where the host does not tell: an older one, or one that tells signed-in callers alone. */
export async function fetchDescription(
  service: AnyAppService,
  options: ConnectionOptions,
): Promise<Description> {
  const url = `${baseOf(options)}${contractPath}?name=${encodeURIComponent(contractNameOf(service))}`
  const { onUpload: _, onDownload: __, ...others } = options
  const request = { verb: 'GET', url, headers: { accept: 'application/json' }, isRepeatable: true }
  try {
    const { operations } = await exchange(
      request,
      others,
      async (response): Promise<Description> =>
        JSON.parse(await bodyOf(response, request.verb, url, others.mostAnswerBytes)),
    )
    return { at: Date.now(), operations: operations ?? {} }
  } catch {
    return { at: Date.now(), operations: {} }
  }
}

const keyOf = ({ service, operation, options }: CheckedCall): string =>
  `${baseOf(options)} ${contractNameOf(service)}.${operation.name}`

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > mostEntries && oldest !== undefined) map.delete(oldest)
}
