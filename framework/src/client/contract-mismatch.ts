import { type ErrorOptions, KeelError } from '../contracts/index.js'
import type { ContractDifference } from './shape-differences.js'

/**
 * A host has another version of an operation, or of an entity set, than this program, and the two differ in something that the call uses.
 * One of both has to be brought up to date.
 */
export class ContractMismatchError extends KeelError {
  override readonly name: string = 'ContractMismatchError'
  /** The remote service, e.g. `Hub`. */
  readonly remote: string
  /** E.g. `ShipmentAppService.create`, or the name of an entity set. */
  readonly operation: string
  /** The first place where they differ, e.g. `input.shipmentReference`. */
  readonly field: string
  /** All such places. */
  readonly differences: readonly ContractDifference[]
  /** True when the host had the call already: a write may have been carried out. */
  readonly wasSent: boolean

  constructor(
    {
      remote,
      operation,
      differences,
      wasSent,
    }: Pick<ContractMismatchError, 'remote' | 'operation' | 'differences' | 'wasSent'>,
    options: ErrorOptions = {},
  ) {
    const [first] = differences
    const told = differences.map(({ field, what }) => `${field} ${what}`).join('; ')
    super(`${remote} has another contract of ${operation} than this program: ${told}.`, {
      text: { key: 'RemoteServiceMismatch', data: { remote, operation, field: first?.field ?? '' } },
      ...options,
    })
    this.remote = remote
    this.operation = operation
    this.field = first?.field ?? ''
    this.differences = differences
    this.wasSent = wasSent
  }
}
