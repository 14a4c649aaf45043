import 'reflect-metadata'
import type { AnyAppService, ImplementationOf } from '../contracts/index.js'
import type { Class, Constructor } from './class.js'
import { callingFile, rememberFile } from './source-place.js'
import { StartupError } from './startup-error.js'

const contracts = new WeakMap<object, AnyAppService>()
const provided = new WeakMap<object, Class>()

/** Makes a class something the container can build, with its constructor's parameters found by their classes. */
export function Injectable() {
  // Any decorator makes the compiler write down the classes of the parameters; this one says why it stands there.
  const file = callingFile()
  return (target: Constructor, context?: unknown): void => {
    refuseStandardDecorator('Injectable', target, context)
    rememberFile(target, file)
  }
}

/** Says that a class is what others mean when they ask for `token`, an abstract class: the way an extension point is filled. */
export function Provides(token: Class) {
  const file = callingFile()
  return (target: Constructor, context?: unknown): void => {
    refuseStandardDecorator('Provides', target, context)
    rememberFile(target, file)
    provided.set(target, token)
  }
}

/**
 * Says that a class implements a contract: it is bound to it in the container and reached by its routes.
 * @example @AutoApiController(PortAppService) export class PortService implements PortAppService { … }
 */
export function AutoApiController<C extends AnyAppService>(contract: C) {
  const file = callingFile()
  return (target: Constructor<ImplementationOf<C>>, context?: unknown): void => {
    refuseStandardDecorator('AutoApiController', target, context)
    rememberFile(target, file)
    contracts.set(target, contract)
  }
}

/** The contract a class implements; undefined for other classes. */
export function contractOf(target: object): AnyAppService | undefined {
  return contracts.get(target)
}

/** The abstract class that a class was said to provide; undefined for other classes. */
export function providedBy(target: object): Class | undefined {
  return provided.get(target)
}

/** The decorators of ECMAScript come with a context, and without the classes of a constructor's parameters. */
export function refuseStandardDecorator(decorator: string, { name }: Class, context: unknown): void {
  if (context !== undefined)
    throw new StartupError(
      `@${decorator} on ${name} is compiled as a decorator of ECMAScript, which injection can't work with: set "experimentalDecorators" and "emitDecoratorMetadata" to true in tsconfig.json.`,
    )
}
