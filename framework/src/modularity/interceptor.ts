import type { AnyAppService, ContractOperation } from '../contracts/index.js'
import type { Class, Constructor } from './class.js'
import { type StepName, stepsAt } from './request-steps.js'
import { StartupError } from './startup-error.js'

/** Goes on with the next step of a call. */
export type Next = (args: unknown[]) => Promise<unknown>

/** A step around an operation. It may throw instead of rejecting. */
export type Step = (args: unknown[], next: Next) => Promise<unknown>

/** An operation as an interceptor sees it, once, before its first call. */
export interface InterceptedOperation {
  readonly contract: AnyAppService
  readonly operation: ContractOperation
  readonly service: Constructor
}

/** Something that happens around every operation, called in this process or over HTTP. */
export interface Interceptor {
  /** Where it stands: as this step, or inside of those that were added as it before. */
  readonly step: StepName<'operation'>
  /** A route asks the same before it reads the body: calls over HTTP pass this one by. */
  readonly isAskedByRoute?: boolean
  /** The step for an operation, or undefined where there is nothing to do: then it costs nothing. */
  intercept(target: InterceptedOperation): Step | undefined
}

/**
 * The implementation of a contract with the interceptors around each operation. They are composed once, with the first call: a host has a thousand
 * operations, and its start has no need of them.
 * @param callsOf makes the innermost call of an operation by its name; with the first call too
 */
export function interceptService(
  { contract, service }: Omit<InterceptedOperation, 'operation'>,
  callsOf: (operation: string) => Next,
  interceptors: readonly Interceptor[],
): object {
  const order = stepsAt('operation')
  const ordered = [...interceptors].sort((a, b) => order.indexOf(a.step) - order.indexOf(b.step))
  const intercepted: Record<string, unknown> = {}
  const admitted: Record<string, unknown> = {}
  for (const operation of contract.contract.operations.values()) {
    const compose = (those: readonly Interceptor[]) =>
      composed(() => {
        const steps = those.flatMap((one) => one.intercept({ contract, service, operation }) ?? [])
        return steps.reduceRight<Next>((next, run) => (args) => run(args, next), callsOf(operation.name))
      })
    intercepted[operation.name] = compose(ordered)
    admitted[operation.name] = compose(ordered.filter(({ isAskedByRoute }) => !isAskedByRoute))
  }
  behindGuards.set(intercepted, admitted)
  return intercepted
}

const behindGuards = new WeakMap<object, object>()

/**
 * The implementation of a contract without the guards of its operations, for a route that ran them before it
 * read the body. Throws for objects that {@link interceptService} did not return, because nothing guards
 * them.
 */
export function behindGuard<T extends object>(contract: AnyAppService, intercepted: T): T {
  const admitted = behindGuards.get(intercepted)
  if (!admitted)
    throw new StartupError(
      `${contract.name} is bound to something that nothing guards: leave its binding to the application, and replace its service with @Replaces`,
    )
  return admitted as T
}

/** A method that makes its chain of steps with the first call. */
function composed(make: () => Next): (...args: unknown[]) => Promise<unknown> {
  let chain: Next | undefined
  return (...args) => {
    // Steps may throw; what callers get is always a promise, and no further one is put around it.
    try {
      chain ??= make()
      return Promise.resolve(chain(args))
    } catch (error) {
      return Promise.reject(error)
    }
  }
}

/** The operations of a contract that a class does not implement. */
export function missingOperations(service: Class, contract: AnyAppService): string[] {
  return [...contract.contract.operations.keys()].filter(
    (name) => typeof (service.prototype as Record<string, unknown>)[name] !== 'function',
  )
}
