import 'reflect-metadata'
import { multiInject, optional } from 'inversify'
import type { AnyAppService, ImplementationOf } from '../contracts/index.js'
import type { Class, Constructor } from './class.js'
import { withBases } from './dependencies.js'
import { callingPlace, rememberPlace } from './source-place.js'
import { StartupError } from './startup-error.js'

const contracts = new WeakMap<object, AnyAppService>()
const provided = new WeakMap<object, Class>()
const replaced = new WeakMap<object, Class>()
const scopes = new WeakMap<object, Scope>()
/** The token of a list of services. The class itself is the token of a single service. */
const lists = new Map<Class, symbol>()

/** How often the container makes a class: once, once for each that asks for it, or once for every request. */
export type Scope = 'singleton' | 'transient' | 'request'

/**
 * Makes a class something the container can build, with its constructor's parameters found by their classes; Inversify's own `@injectable()`
 * does the same. Only a class of scope `request` may ask for another one; others reach it through its contract.
 * @example @Injectable({ scope: 'request' }) export class Basket { constructor(private readonly prices: Prices) {} }
 */
export function Injectable({ scope }: { readonly scope?: Scope } = {}) {
  // Any decorator makes the compiler write down the classes of the parameters; this one says why it stands
  // there.
  const place = callingPlace()
  return (target: Constructor, context?: unknown): void => {
    refuseStandardDecorator('Injectable', target, context)
    rememberPlace(target, place)
    if (scope) scopes.set(target, scope)
  }
}

/**
 * Puts a class in the place of a class of another module, of what provides an abstract class, or of what implements a contract: all who ask
 * for that one get this one. A host lists it in `services`. It needs guards of its own: those of a replaced class do not count.
 * Features that a replaced class requires are required on, unless this one names another.
 * @example @Replaces(PortService) export class ForeignPortService extends PortService { … }
 */
export function Replaces(original: Class) {
  const place = callingPlace()
  return (target: Constructor, context?: unknown): void => {
    refuseStandardDecorator('Replaces', target, context)
    rememberPlace(target, place)
    replaced.set(target, original)
    const contract = isContract(original) ? original : contracts.get(original)
    if (contract) contracts.set(target, contract)
    const token = provided.get(original)
    if (token) provided.set(target, token)
  }
}

/**
 * Injects a list: everything in `services` of the host's modules that extends a class, in the order of the modules. Empty when nothing does.
 * @example constructor(@InjectAll(DataScope) private readonly scopes: readonly DataScope[]) {}
 */
export function InjectAll(base: Class) {
  const list = lists.get(base) ?? Symbol(`every ${base.name}`)
  lists.set(base, list)
  return (target: object, member: string | undefined, index: number): void => {
    multiInject(list)(target, member, index)
    optional()(target, member, index)
  }
}

/**
 * Says that a class is what others mean when they ask for `token`, an abstract class: the way an extension
 * point is filled.
 */
export function Provides(token: Class) {
  const place = callingPlace()
  return (target: Constructor, context?: unknown): void => {
    refuseStandardDecorator('Provides', target, context)
    rememberPlace(target, place)
    provided.set(target, token)
  }
}

/**
 * Says that a class implements a contract: it is bound to it in the container and reached by its routes.
 * @example @AutoApiController(PortAppService) export class PortService implements PortAppService { … }
 */
export function AutoApiController<C extends AnyAppService>(contract: C) {
  const place = callingPlace()
  return (target: Constructor<ImplementationOf<C>>, context?: unknown): void => {
    refuseStandardDecorator('AutoApiController', target, context)
    rememberPlace(target, place)
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

/** The class, contract or token whose place a class takes; undefined for other classes. */
export function replacedBy(target: object): Class | undefined {
  return replaced.get(target)
}

/** How often the container makes a class: what it says itself, else what the class says that it extends. */
export function scopeOf(target: Class): Scope {
  for (const cls of withBases(target)) {
    const scope = scopes.get(cls)
    if (scope) return scope
  }
  return 'singleton'
}

/** The lists that a class is in: those of the classes that it extends which are injected as one. */
export function listsOf(target: Class): symbol[] {
  return [...withBases(target)].flatMap((base) => (base === target ? [] : (lists.get(base) ?? [])))
}

const isContract = (token: Class): token is AnyAppService => 'contract' in token

/**
 * The decorators of ECMAScript come with a context, and without the classes of a constructor's parameters.
 */
export function refuseStandardDecorator(decorator: string, { name }: Class, context: unknown): void {
  if (context !== undefined)
    throw new StartupError(
      `@${decorator} on ${name} is compiled as a decorator of ECMAScript, which injection can't work with: set "experimentalDecorators" and "emitDecoratorMetadata" to true in tsconfig.json.`,
    )
}
