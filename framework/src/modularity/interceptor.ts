import type { AnyAppService, ContractOperation } from '../contracts/index.js'
import type { Class, Constructor } from './class.js'

/** Goes on with the next step of a call. */
export type Next = (args: unknown[]) => Promise<unknown>

/** A step around an operation. It may throw instead of rejecting. */
export type Step = (args: unknown[], next: Next) => Promise<unknown>

/** An operation as an interceptor sees it, once, when the service is bound. */
export interface InterceptedOperation {
  readonly contract: AnyAppService
  readonly operation: ContractOperation
  readonly service: Constructor
}

/** Something that happens around every operation, called in this process or over HTTP. Lower `order` is further outside. */
export interface Interceptor {
  readonly order: number
  /** The step for an operation, or undefined where there is nothing to do: then it costs nothing. */
  intercept(target: InterceptedOperation): Step | undefined
}

/** Where the framework's own interceptors stand. */
export const interceptorOrder = {
  authorization: 100,
  auditing: 130,
  features: 150,
  validation: 200,
  unitOfWork: 300,
  answers: 400,
} as const

/**
 * What implements a contract, with the interceptors around each operation, composed once.
 * @param callsOf makes the innermost call of an operation by its name
 */
export function interceptService(
  { contract, service }: Omit<InterceptedOperation, 'operation'>,
  callsOf: (operation: string) => Next,
  interceptors: readonly Interceptor[],
): object {
  const ordered = [...interceptors].sort((a, b) => b.order - a.order)
  const intercepted: Record<string, unknown> = {}
  for (const operation of contract.contract.operations.values()) {
    const chain = ordered.reduce<Next>((next, interceptor) => {
      const step = interceptor.intercept({ contract, service, operation })
      return step ? (args) => step(args, next) : next
    }, callsOf(operation.name))
    intercepted[operation.name] = (...args: unknown[]) => {
      // Steps may throw; what callers get is always a promise, and no further one is put around it.
      try {
        return Promise.resolve(chain(args))
      } catch (error) {
        return Promise.reject(error)
      }
    }
  }
  return intercepted
}

/** The operations of a contract that a class does not implement. */
export function missingOperations(service: Class, contract: AnyAppService): string[] {
  return [...contract.contract.operations.keys()].filter(
    (name) => typeof (service.prototype as Record<string, unknown>)[name] !== 'function',
  )
}
