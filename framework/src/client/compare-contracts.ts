import { contractPath } from '../contracts/contract-header.js'
import { type AnyAppService, servicesIn } from '../contracts/index.js'
import { contractNameOf, operationHash, operationShape } from '../contracts/operation-shape.js'
import { fetchDescription } from './contract-check.js'
import { baseOf, type ConnectionOptions, exchange } from './exchange.js'
import { breakingDifferences, type ContractDifference } from './shape-differences.js'

/** An operation of this program that the host has in another version, or not at all. */
export interface DifferentOperation {
  /** E.g. `Hub.ShipmentAppService.create`; the contract alone where none of its operations is served. */
  readonly operation: string
  /** What breaks, with an empty field where all of it is missing; empty where the host has more than this program knows. */
  readonly breaking: readonly ContractDifference[]
}

/** What {@link compareContracts} found. */
export interface ComparedContracts {
  /** The number of operations that were compared. */
  readonly operations: number
  readonly different: readonly DifferentOperation[]
  /** True when the host honours the `Idempotency-Key` of creations. */
  readonly takesIdempotencyKeys: boolean
}

/**
 * Compares all contracts that a door or a package exports with those of a host, which calls do one by one. Throws when the host does not answer or does
 * not tell.
 * @example await compareContracts(hub, { baseUrl }) // all that a proxy exports, as a namespace
 */
export async function compareContracts(
  exported: object,
  options: ConnectionOptions,
): Promise<ComparedContracts> {
  const url = `${baseOf(options)}${contractPath}`
  const request = { verb: 'GET', url, headers: { accept: 'application/json' }, isRepeatable: true }
  const { hashes, takesIdempotencyKeys } = await exchange(
    request,
    options,
    (response) =>
      response.json() as Promise<{ hashes: Record<string, string>; takesIdempotencyKeys?: boolean }>,
  )
  const services = [...new Set(servicesIn(exported))]
  const found = await Promise.all(services.map((service) => differencesOf(service, hashes, options)))
  return {
    operations: services.reduce((sum, { contract }) => sum + contract.operations.size, 0),
    different: found.flat(),
    takesIdempotencyKeys: takesIdempotencyKeys === true,
  }
}

const notServed: ContractDifference = { field: '', what: 'is not served', when: 'always' }

async function differencesOf(
  service: AnyAppService,
  hashes: Readonly<Record<string, string>>,
  options: ConnectionOptions,
): Promise<DifferentOperation[]> {
  const name = contractNameOf(service)
  const different = [...service.contract.operations.values()].filter(
    (operation) => hashes[`${name}.${operation.name}`] !== operationHash(operation),
  )
  if (!different.length) return []
  if (!different.some((operation) => hashes[`${name}.${operation.name}`] !== undefined))
    return [{ operation: name, breaking: [notServed] }]
  const { operations } = await fetchDescription(service, options)
  return different.map((operation) => {
    const described = operations[operation.name]
    const breaking = described ? breakingDifferences(operationShape(operation), described) : [notServed]
    return { operation: `${name}.${operation.name}`, breaking }
  })
}
