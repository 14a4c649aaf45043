import { Container, METADATA_KEY } from 'inversify'
import { createClient } from '../client/index.js'
import { baseUrlOf } from '../client/remote-services.js'
import type { AnyAppService } from '../contracts/index.js'
import { ambient } from './ambient.js'
import type { Class, Constructor } from './class.js'
import type { Configuration } from './configuration.js'
import { dependenciesOf, type Token } from './dependencies.js'
import { refuseUnknownParameters } from './dependency-check.js'
import { divergingRoutes } from './http-verbs.js'
import { contractOf, listsOf, providedBy, scopeOf } from './injectable.js'
import { type Interceptor, interceptService, missingOperations, type Next } from './interceptor.js'
import { resultFrom } from './json-text.js'
import type { LoadedModule } from './loaded-module.js'
import { RequestScope } from './request-scope.js'
import { atPlaceOf } from './source-place.js'
import { StartupError } from './startup-error.js'
import { traceHeaders } from './trace-header.js'

/** Of an answer of another host: several times the largest page, and bearable in memory. */
const mostAnswerBytes = 64 * 1024 * 1024

/** A contract and the class that implements it in this process. */
export interface LocalService {
  readonly contract: AnyAppService
  readonly service: Constructor
  readonly module: LoadedModule
}

/**
 * The container of an application and what modules bind in it. Inversify makes every class: constructors,
 * `@inject`, `@postConstruct` and scopes are its own. A contract is bound to its service with the
 * interceptors around each operation.
 */
export class ServiceBindings {
  // Our check of dependencies knows classes whose constructor asks for less than the one they extend.
  readonly container = new Container({ defaultScope: 'Singleton', skipBaseClassChecks: true })
  readonly requestScope = new RequestScope(this.container)
  /** The contracts that this host serves; a contract that a module lists as `unserved` is only bound. */
  readonly localServices: LocalService[] = []
  private readonly providers = new Map<Class, Pick<LocalService, 'service' | 'module'>>()
  private readonly implemented = new Map<AnyAppService, LocalService>()

  constructor(
    private readonly modules: readonly LoadedModule[],
    private readonly configuration: Configuration,
    private readonly interceptors: () => readonly Interceptor[],
  ) {}

  /** Binds a class to itself, and to all that it stands for. */
  register(service: Constructor, module: LoadedModule): void {
    refuseUnknownParameters(service, module)
    if (Reflect.hasMetadata(METADATA_KEY.PRE_DESTROY, service))
      throw new StartupError(
        `${service.name} (${module.name}) has @preDestroy, which nothing calls here: end it in onApplicationShutdown of its module.${atPlaceOf(service)}`,
      )
    this.bindClass(service)
    for (const base of listsOf(service)) this.alias(base, service)
    const token = providedBy(service)
    if (token) this.bindProvider(token, service, module)
    const contract = contractOf(service)
    if (contract) this.bindContract({ contract, service, module })
  }

  /**
   * Binds a controller of inversify-express-utils: once for every request when it asks for something that
   * each request has of its own.
   */
  registerController(controller: Constructor, module: LoadedModule): void {
    refuseUnknownParameters(controller, module)
    if (dependenciesOf(controller).some(({ token }) => token !== undefined && this.requestScope.has(token)))
      this.requestScope.add(controller)
    else this.bindClass(controller)
  }

  /** Has all who ask for one class get another one. */
  replace(original: Constructor, replacement: Constructor): void {
    this.alias(original, replacement)
  }

  /** A contract whose module runs elsewhere: called over HTTP, in the name of whoever called us. */
  bindRemote(contract: AnyAppService): void {
    const misnamed = namingFault(contract)
    if (misnamed) throw new StartupError(misnamed)
    const { service } = contract.contract
    const baseUrl = baseUrlOf(service.name, (key) => this.configuration.get(key))
    const client = createClient(contract, {
      baseUrl,
      // The caller repeats the whole call.
      retry: false,
      mostAnswerBytes,
      headers: () => {
        const { authorization, apiKey, correlationId, culture } = ambient()
        return {
          'accept-language': culture,
          'x-correlation-id': correlationId,
          ...traceHeaders(),
          ...(authorization && { authorization }),
          ...(apiKey && { 'x-api-key': apiKey }),
        }
      },
      // Most answers are passed on.
      read: resultFrom,
    })
    this.container.bind(contract).toConstantValue(client)
  }

  private bindClass(service: Constructor): void {
    const scope = scopeOf(service)
    if (scope === 'request') this.requestScope.add(service)
    else if (scope === 'transient') this.container.bind(service).toSelf().inTransientScope()
    else this.container.bind(service).toSelf()
  }

  /** Not `toService`, which would keep the first instance of a class that is made more than once. */
  private alias(token: Token, service: Constructor): void {
    this.container
      .bind(token)
      .toDynamicValue(({ container }) => container.get(service))
      .inTransientScope()
  }

  private bindProvider(token: Class, service: Constructor, module: LoadedModule): void {
    const other = this.providers.get(token)
    if (other) {
      throw new StartupError(
        `${token.name} is provided twice: by ${other.service.name} (${other.module.name}) and ${service.name} (${module.name}). Keep one.${atPlaceOf(other.service)}${atPlaceOf(service)}`,
      )
    }
    this.providers.set(token, { service, module })
    this.alias(token, service)
  }

  private bindContract(local: LocalService): void {
    const { contract, service, module } = local
    const other = this.implemented.get(contract)
    if (other) {
      throw new StartupError(
        `${contract.name} is implemented twice: by ${other.service.name} (${other.module.name}) and ${service.name} (${module.name}). Keep one.${atPlaceOf(other.service)}${atPlaceOf(service)}`,
      )
    }
    const misnamed = namingFault(contract)
    if (misnamed) throw new StartupError(misnamed)
    const missing = missingOperations(service, contract)
    if (missing.length)
      throw new StartupError(
        `${service.name} (${module.name}) does not implement ${missing.map((m) => `${contract.name}.${m}`).join(', ')}${atPlaceOf(service)}`,
      )
    const diverging = divergingRoutes(service, contract)
    if (diverging.length) throw new StartupError(diverging.join('\n'))
    this.implemented.set(contract, local)
    const isServed = this.modules.every(({ options }) => !options.unserved?.includes(contract))
    if (isServed) this.localServices.push(local)
    this.container
      .bind(contract)
      .toDynamicValue(() => interceptService(local, this.callsOf(service), this.interceptors()))
  }

  /**
   * Makes calls of the operations of a service by their names: on its one instance, which the first of them makes, or on that of the
   * request.
   */
  private callsOf(service: Constructor): (operation: string) => Next {
    type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>
    const call = (instance: object, name: string, args: unknown[]) => (instance as Methods)[name]?.(...args)
    if (scopeOf(service) !== 'singleton')
      return (name) => async (args) => call(this.container.get(service), name, args)
    return (name) => {
      const instance = this.container.get(service) as Methods
      const method = instance[name] as Methods[string]
      return (args) => method.apply(instance, args)
    }
  }
}

/**
 * Why a contract's text name cannot be right. A class that a bundler renamed (`ku`) has no name to compare
 * with.
 */
function namingFault({ name, contract }: AnyAppService): string | undefined {
  if (name === contract.name || !name.endsWith('AppService')) return undefined
  return `The contract ${name} is called '${contract.name}': write AppService(…, '${name}', …). Routes and clients derive from that text.`
}
