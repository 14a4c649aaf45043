import type { AnyAppService, ContractOperation } from '../contracts/index.js'
import type { Class, Constructor } from './class.js'
import { type StepName, stepsAt } from './request-steps.js'
import { StartupError } from './startup-error.js'

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
 * The implementation of a contract with the interceptors around each operation, composed once.
 * @param callsOf makes the innermost call of an operation by its name
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
    const steps = ordered.flatMap((interceptor) => {
      const run = interceptor.intercept({ contract, service, operation })
      return run ? [{ isAskedByRoute: interceptor.isAskedByRoute, run }] : []
    })
    const call = callsOf(operation.name)
    intercepted[operation.name] = compose(steps, call)
    const others = steps.filter(({ isAskedByRoute }) => !isAskedByRoute)
    admitted[operation.name] = compose(others, call)
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

function compose(
  steps: readonly { readonly run: Step }[],
  call: Next,
): (...args: unknown[]) => Promise<unknown> {
  const chain = steps.reduceRight<Next>(
    (next, { run }) =>
      (args) =>
        run(args, next),
    call,
  )
  return (...args) => {
    // Steps may throw; what callers get is always a promise, and no further one is put around it.
    try {
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
