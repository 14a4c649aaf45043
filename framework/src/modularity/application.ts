import 'reflect-metadata'
import { Container } from 'inversify'
import { createClient } from '../client/index.js'
import { baseUrlOf } from '../client/remote-services.js'
import {
  type AnyAppService,
  compileReader,
  isDto,
  type PermissionDefinition,
  permissionsOf,
  type ResourcePermissionDefinition,
  type Role,
  resourcePermissionsOf,
} from '../contracts/index.js'
import { ambient } from './ambient.js'
import { answerCheck } from './answer-check.js'
import type { Class, Constructor } from './class.js'
import { Clock } from './clock.js'
import { Configuration } from './configuration.js'
import { checkDependencies, parametersOf, refuseUnknownParameters } from './dependency-check.js'
import { FeatureSource, Features } from './features.js'
import type { HealthCheck } from './health-check.js'
import { divergingRoutes } from './http-verbs.js'
import { contractOf, providedBy } from './injectable.js'
import { type Interceptor, interceptService, missingOperations } from './interceptor.js'
import { jsonResult } from './json-text.js'
import { type LoadedModule, moduleListingOf } from './loaded-module.js'
import { Localization } from './localization.js'
import { createLogger, Logger } from './logging.js'
import type { Policy } from './policy.js'
import { featureGate } from './required-feature.js'
import { SettingSource, Settings } from './settings.js'
import { atPlaceOf } from './source-place.js'
import { StartupError } from './startup-error.js'
import { traceHeaders } from './trace-header.js'
import { unreachableServices } from './unlisted-services.js'
import { validation } from './validation.js'

/** What a module's life-cycle methods work with. */
export interface ModuleContext {
  readonly application: Application
}

/** The life cycle of a module: ABP's. */
export interface ModuleLifecycle {
  preConfigureServices(context: ModuleContext): void | Promise<void>
  configureServices(context: ModuleContext): void | Promise<void>
  postConfigureServices(context: ModuleContext): void | Promise<void>
  onPreApplicationInitialization(context: ModuleContext): void | Promise<void>
  onApplicationInitialization(context: ModuleContext): void | Promise<void>
  onPostApplicationInitialization(context: ModuleContext): void | Promise<void>
  onApplicationShutdown(context: ModuleContext): void | Promise<void>
}

/** A module of a running application. */
export interface RunningModule extends LoadedModule {
  readonly instance: ModuleLifecycle
}

/** A contract and the class that implements it in this process. */
export interface LocalService {
  readonly contract: AnyAppService
  readonly service: Constructor
  readonly module: LoadedModule
}

/** A composed set of modules: its container, its configuration and its life. Made by {@link createApplication}. */
export class Application {
  readonly container = new Container({ defaultScope: 'Singleton' })
  readonly modules: readonly RunningModule[]
  /** What is served; a contract that a module lists as `unserved` is only bound. */
  readonly localServices: LocalService[] = []
  /** Around every operation; modules add theirs while configuring. */
  readonly interceptors: Interceptor[]
  /** What modules look after for the health checks; they add theirs while configuring. */
  readonly healthChecks: HealthCheck[] = []
  /** The permissions of all modules by name. */
  readonly permissions: ReadonlyMap<string, PermissionDefinition>
  /** The permissions on single things of all modules by name. */
  readonly resourcePermissions: ReadonlyMap<string, ResourcePermissionDefinition>
  readonly roles: ReadonlyMap<string, Role>
  /** The policies of all modules by name. */
  readonly policies: ReadonlyMap<string, Policy>
  readonly settings: Settings
  readonly features: Features
  readonly localization: Localization
  readonly logger: Logger
  private readonly context: ModuleContext = { application: this }
  private readonly providers = new Map<Class, Pick<LocalService, 'service' | 'module'>>()
  private readonly implemented = new Map<AnyAppService, LocalService>()
  private readonly readyHooks: (() => Promise<void>)[] = []
  private readonly stoppingHooks: (() => Promise<void>)[] = []
  private knownClock: Clock | undefined
  private composed = false
  private stopping: Promise<void> | undefined

  constructor(
    readonly name: string,
    root: Constructor<ModuleLifecycle>,
    readonly configuration: Configuration,
  ) {
    this.modules = sortModules(root)
    this.permissions = collectPermissions(this.modules)
    this.resourcePermissions = collectResourcePermissions(this.modules, this.permissions)
    this.roles = new Map(
      this.modules.flatMap(({ options }) => options.roles ?? []).map((role) => [role.name, role]),
    )
    this.policies = new Map(
      this.modules.flatMap(({ options }) => options.policies ?? []).map((policy) => [policy.name, policy]),
    )
    this.settings = new Settings(this.modules, configuration, () =>
      this.container.isBound(SettingSource) ? this.get(SettingSource) : undefined,
    )
    this.features = new Features(this.modules, configuration, () =>
      this.container.isBound(FeatureSource) ? this.get(FeatureSource) : undefined,
    )
    const checkAnswers = answerCheck(configuration)
    this.interceptors = [validation, featureGate(this.features), ...(checkAnswers ? [checkAnswers] : [])]
    this.localization = new Localization(
      this.modules,
      configuration.get('App:DefaultCulture') ??
        configuration.get('Settings:Abp.Localization.DefaultLanguage'),
    )
    this.logger = createLogger(name, configuration)
  }

  /** What time it is here. */
  get clock(): Clock {
    this.knownClock ??= this.get(Clock)
    return this.knownClock
  }

  /** What the container has for a token. Throws when nothing is bound to it. */
  get<T>(token: Class<T>): T {
    return this.container.get<T>(token as Constructor<T>)
  }

  /** Binds a value that exists already. */
  provide<T>(token: Class<T>, value: T): void {
    this.container.bind<T>(token as Constructor<T>).toConstantValue(value)
  }

  /** Classes that the container is to make: of modules, and of framework modules while configuring. */
  register(service: Constructor, module: LoadedModule): void {
    refuseUnknownParameters(service, module)
    // The parameters are looked up here rather than by inversify, which can't see those of a constructor that is inherited.
    const make = () => new service(...parametersOf(service).map((token) => this.get(token as Class)))
    this.container.bind(service).toDynamicValue(make).inSingletonScope()
    const token = providedBy(service)
    if (token) this.bindProvider(token, service, module)
    const contract = contractOf(service)
    if (contract) this.bindContract({ contract, service, module })
  }

  /** What to do once every module is initialized: open the doors. */
  onReady(work: () => Promise<void>): void {
    this.readyHooks.push(work)
  }

  /** What to do before any module shuts down: close the doors. */
  onStopping(work: () => Promise<void>): void {
    this.stoppingHooks.push(work)
  }

  /** Runs the life cycle up to a ready application. Throws the first failure after shutting down what had started. */
  async start(): Promise<this> {
    try {
      await this.compose()
      await this.each('onPreApplicationInitialization')
      await this.each('onApplicationInitialization')
      await this.each('onPostApplicationInitialization')
      for (const work of this.readyHooks) await work()
      return this
    } catch (error) {
      await this.stop().catch(() => undefined)
      throw error
    }
  }

  /** Checks the configuration and fills the container; nothing is opened or started yet. The first part of {@link start}. */
  async compose(): Promise<void> {
    for (const { options } of this.modules)
      for (const section of options.configuration ?? []) this.configuration.read(section)
    this.provide(Application, this)
    this.provide(Configuration, this.configuration)
    this.provide(Logger as Class<Logger>, this.logger)
    this.provide(Localization, this.localization)
    this.provide(Settings, this.settings)
    this.provide(Features, this.features)
    const services = this.modules.flatMap(({ options }) => options.services ?? [])
    if (!this.container.isBound(Clock) && !services.some((service) => providedBy(service) === Clock))
      this.provide(Clock, new Clock())
    await this.each('preConfigureServices')
    for (const module of this.modules) {
      for (const service of [
        ...(module.options.services ?? []),
        ...(module.options.seeds ?? []),
        ...(module.options.diagnoses ?? []),
      ])
        this.register(service, module)
      for (const contract of module.options.remotes ?? []) this.bindRemote(contract)
    }
    await this.each('configureServices')
    await this.each('postConfigureServices')
    checkDependencies(this.modules, this.container)
    const unreachable = this.configuration.isDevelopment ? unreachableServices(this.modules) : []
    if (unreachable.length) throw new StartupError(unreachable.join('\n'))
    this.composed = true
  }

  /** Shuts the modules down, last first. Safe to call twice. */
  stop(): Promise<void> {
    this.stopping ??= this.shutDown()
    return this.stopping
  }

  private async shutDown(): Promise<void> {
    if (!this.composed) return
    // All at once: a job that takes its time must not keep the host from saying that it is not ready any more.
    await Promise.all(this.stoppingHooks.map((work) => work()))
    for (const { instance } of [...this.modules].reverse()) await instance.onApplicationShutdown(this.context)
  }

  private async each(method: keyof ModuleLifecycle): Promise<void> {
    for (const { instance } of this.modules) await instance[method](this.context)
  }

  private bindProvider(token: Class, service: Constructor, module: LoadedModule): void {
    const other = this.providers.get(token)
    if (other) {
      throw new StartupError(
        `${token.name} is provided twice: by ${other.service.name} (${other.module.name}) and ${service.name} (${module.name}). Keep one.${atPlaceOf(other.service)}${atPlaceOf(service)}`,
      )
    }
    this.providers.set(token, { service, module })
    this.container.bind(token as Constructor).toService(service)
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
      .bind(contract as unknown as Constructor)
      .toDynamicValue(() => interceptService(this.get(service), contract, this.interceptors))
      .inSingletonScope()
  }

  /** A contract whose module runs elsewhere: called over HTTP, in the name of whoever called us. */
  private bindRemote(contract: AnyAppService): void {
    const misnamed = namingFault(contract)
    if (misnamed) throw new StartupError(misnamed)
    const { service } = contract.contract
    const baseUrl = baseUrlOf(service.name, (key) => this.configuration.get(key))
    const client = createClient(contract, {
      baseUrl,
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
      // Most answers are passed on: as they are, no digit of a decimal is lost.
      read: (result, json) =>
        isDto(result) ? jsonResult(result, json) : compileReader(result)(JSON.parse(json)),
    })
    this.provide(contract as Class, client)
  }
}

/** Why a contract's text name cannot be right. A class that a bundler renamed (`ku`) has no name to compare with. */
function namingFault({ name, contract }: AnyAppService): string | undefined {
  if (name === contract.name || !name.endsWith('AppService')) return undefined
  return `The contract ${name} is called '${contract.name}': write AppService(…, '${name}', …). Routes and clients derive from that text.`
}

/** Composes an application of a root module and everything it depends on. Nothing runs before `start`. */
export function createApplication(
  root: Constructor<ModuleLifecycle>,
  configuration: Configuration,
): Application {
  return new Application(root.name, root, configuration)
}

function sortModules(root: Constructor<ModuleLifecycle>): RunningModule[] {
  const sorted: RunningModule[] = []
  const done = new Set<Constructor<ModuleLifecycle>>()
  visit(root, [])
  return sorted

  function visit(type: Constructor<ModuleLifecycle>, path: readonly Constructor<ModuleLifecycle>[]): void {
    if (done.has(type)) return
    if (path.includes(type)) {
      const cycle = [...path.slice(path.indexOf(type)), type]
      throw new StartupError(
        `Modules depend on each other in a circle: ${cycle.map((module) => module.name).join(' → ')}. Let one side use the other's contracts only.` +
          cycle
            .slice(0, -1)
            .map((module) => atPlaceOf(module))
            .join(''),
      )
    }
    const parent = path.at(-1)
    if (type === undefined)
      throw new StartupError(
        `dependsOn of ${parent?.name} holds undefined: the files of two modules import each other in a circle. Let one side use the other's contracts only.${parent ? atPlaceOf(parent) : ''}`,
      )
    const options = moduleListingOf(type)
    if (!options)
      throw new StartupError(
        `${type.name} is named in dependsOn${parent ? ` of ${parent.name}` : ''} but has no @Module({ … })${atPlaceOf(type, undefined, parent)}`,
      )
    for (const dependency of options.dependsOn ?? [])
      visit(dependency as Constructor<ModuleLifecycle>, [...path, type])
    done.add(type)
    sorted.push({
      name: options.name ?? type.name.replace(/Module$/, ''),
      type,
      options,
      instance: new type(),
    })
  }
}

/** Modules may list a class that another one lists too, e.g. when that one runs in another host. */
function collectPermissions(modules: readonly LoadedModule[]): Map<string, PermissionDefinition> {
  const permissions = new Map<string, PermissionDefinition>()
  for (const listed of new Set(modules.flatMap(({ options }) => options.permissions ?? []))) {
    for (const permission of permissionsOf(listed)) {
      if (permissions.has(permission.name)) {
        throw new StartupError(
          `The permission ${permission.name} is defined twice, the second time in ${listed.name}`,
        )
      }
      permissions.set(permission.name, permission)
    }
  }
  return permissions
}

/** What may be done to one thing is managed by those who hold a permission: one that no module defines would let nobody in, ever. */
function collectResourcePermissions(
  modules: readonly LoadedModule[],
  permissions: ReadonlyMap<string, PermissionDefinition>,
): Map<string, ResourcePermissionDefinition> {
  const found = new Map<string, ResourcePermissionDefinition>()
  for (const listed of new Set(modules.flatMap(({ options }) => options.resourcePermissions ?? []))) {
    for (const definition of resourcePermissionsOf(listed)) {
      const { name, managementPermission } = definition
      if (found.has(name) || permissions.has(name))
        throw new StartupError(`The permission ${name} is defined twice, the second time in ${listed.name}`)
      if (!permissions.has(managementPermission))
        throw new StartupError(
          `${listed.name} is managed by ${managementPermission}, which no module of this host lists under permissions`,
        )
      found.set(name, definition)
    }
  }
  return found
}
