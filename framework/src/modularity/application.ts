import 'reflect-metadata'
import type { Container } from 'inversify'
import {
  type AnyAppService,
  type PermissionDefinition,
  permissionsOf,
  type ResourcePermissionDefinition,
  type Role,
  resourcePermissionsOf,
} from '../contracts/index.js'
import { answerCheck } from './answer-check.js'
import { isBundled } from './bundled-places.js'
import type { Class, Constructor } from './class.js'
import { Clock } from './clock.js'
import { Configuration } from './configuration.js'
import { checkDependencies, missingContracts } from './dependency-check.js'
import { FeatureSource, Features } from './features.js'
import { fieldRights } from './field-rights.js'
import type { HealthCheck } from './health-check.js'
import { providedBy } from './injectable.js'
import type { Interceptor } from './interceptor.js'
import { type ListedService, type ListedServices, listServices } from './listed-services.js'
import { type LoadedModule, moduleListingOf } from './loaded-module.js'
import { Localization } from './localization.js'
import { createLogger, Logger } from './logging.js'
import { OwnFields, ownFieldCheck } from './own-fields.js'
import type { Policy } from './policy.js'
import type { RequestScope } from './request-scope.js'
import { featureGate, refuseUnknownFeatures } from './required-feature.js'
import { type LocalService, ServiceBindings } from './service-bindings.js'
import { SettingSource, Settings } from './settings.js'
import { atPlaceOf } from './source-place.js'
import { StartTimes } from './start-times.js'
import { StartupError } from './startup-error.js'
import { listedBy, uniqueByName } from './unique-names.js'
import { unreachableServices } from './unlisted-services.js'
import { validation } from './validation.js'

/** The argument of a module's life-cycle methods. */
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

export type { LocalService } from './service-bindings.js'

/**
 * A composed set of modules: its container, its configuration and its life. Made by {@link
 * createApplication}.
 */
export class Application {
  readonly modules: readonly RunningModule[]
  /** The services that modules list, without those that another module of the host replaces. */
  readonly services: readonly ListedService[]
  /** Around every operation; modules add theirs while configuring. */
  readonly interceptors: Interceptor[]
  /** The health checks of all modules; modules add theirs while configuring. */
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
  /** The fields that modules and the configuration add to entities. */
  readonly ownFields: OwnFields
  readonly localization: Localization
  readonly logger: Logger
  private readonly context: ModuleContext = { application: this }
  private readonly bindings: ServiceBindings
  private readonly replacements: ListedServices['replacements']
  private readonly readyHooks: { readonly module: string; readonly work: () => Promise<void> }[] = []
  private readonly times = new StartTimes()
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
    const { active, replacements } = listServices(this.modules)
    this.services = active
    this.replacements = replacements
    this.bindings = new ServiceBindings(this.modules, configuration, () => this.interceptors)
    this.permissions = collectPermissions(this.modules)
    this.resourcePermissions = collectResourcePermissions(this.modules, this.permissions)
    this.roles = new Map(
      this.modules.flatMap(({ options }) => options.roles ?? []).map((role) => [role.name, role]),
    )
    this.policies = new Map(
      this.modules.flatMap(({ options }) => options.policies ?? []).map((policy) => [policy.name, policy]),
    )
    this.settings = new Settings(this.modules, configuration, this.finderOf(SettingSource))
    this.features = new Features(this.modules, configuration, this.finderOf(FeatureSource))
    this.ownFields = new OwnFields(this.modules, configuration)
    const checkAnswers = answerCheck(configuration)
    this.interceptors = [
      validation,
      fieldRights,
      ownFieldCheck(this.ownFields),
      featureGate(this.features),
      ...(checkAnswers ? [checkAnswers] : []),
    ]
    this.localization = new Localization(
      this.modules,
      configuration.get('App:DefaultCulture') ??
        configuration.get('Settings:Abp.Localization.DefaultLanguage'),
      configuration.isDevelopment,
    )
    this.logger = createLogger(name, configuration)
  }

  /** The clock that the code of this host asks for the time. */
  get clock(): Clock {
    this.knownClock ??= this.get(Clock)
    return this.knownClock
  }

  /**
   * Inversify's container. A host may rebind in it while configuring; a contract is replaced with
   * `@Replaces`.
   */
  get container(): Container {
    return this.bindings.container
  }

  /** The services that the container makes once for each request. */
  get requestScope(): RequestScope {
    return this.bindings.requestScope
  }

  /** The contracts that this host serves; a contract that a module lists as `unserved` is only bound. */
  get localServices(): readonly LocalService[] {
    return this.bindings.localServices
  }

  /** The instance that the container has for a token. Throws when nothing is bound to the token. */
  get<T>(token: Class<T>): T {
    return this.container.get(token)
  }

  /** The instance that the container has for a token; undefined when nothing is bound to the token. */
  find<T>(token: Class<T>): T | undefined {
    return this.container.isBound(token) ? this.container.get(token) : undefined
  }

  /** Asks the container once: every request reads versions of settings and features, and a look-up takes tens of microseconds. */
  private finderOf<T>(token: Class<T>): () => T | undefined {
    let found: T | undefined
    return () => (found ??= this.find(token))
  }

  /**
   * The contracts that services or seeders ask for, and that nothing provides: what implements them is no part of this application. Bound before the
   * configuring ends, they do not stop the start.
   */
  get missingContracts(): readonly AnyAppService[] {
    return missingContracts(this)
  }

  /** Binds a value that exists already. */
  provide<T>(token: Class<T>, value: T): void {
    this.container.bind(token).toConstantValue(value)
  }

  /** Binds a value that is made when it is first asked for. */
  provideLazily<T>(token: Class<T>, make: () => T): void {
    this.container.bind(token).toDynamicValue(make).inSingletonScope()
  }

  /**
   * True when the start checks what modules declare. It does in Development, and where the configuration adds to what they declare. Elsewhere the same
   * files have started before, and the checks would take a tenth of the start.
   */
  get checksDeclarations(): boolean {
    return this.configuration.isDevelopment || this.ownFields.all.length > 0
  }

  /** Has the container make a controller of inversify-express-utils. */
  registerController(controller: Constructor, module: LoadedModule): void {
    this.bindings.registerController(controller, module)
  }

  /** Adds work that runs once every module is initialized, e.g. to listen. */
  onReady(work: () => Promise<void>): void {
    this.readyHooks.push({ module: this.times.module, work })
  }

  /** Adds work that runs before any module shuts down, e.g. to refuse further requests. */
  onStopping(work: () => Promise<void>): void {
    this.stoppingHooks.push(work)
  }

  /**
   * Runs the life cycle up to a ready application. Throws the first failure after shutting down what had
   * started.
   */
  async start(): Promise<this> {
    // Of the process, which loaded the program before.
    const loadedMs = Math.round(process.uptime() * 1000)
    const { times } = this
    try {
      await times.phase('compose', () => this.compose())
      await times.phase('initialize', async () => {
        await this.each('onPreApplicationInitialization')
        await this.each('onApplicationInitialization')
        await this.each('onPostApplicationInitialization')
      })
      await times.phase('ready', async () => {
        for (const { module, work } of this.readyHooks) await times.step('onReady', module, work)
      })
      this.logger.debug({ loadedMs, ...times.summary() }, 'started')
      return this
    } catch (error) {
      await this.stop().catch(() => undefined)
      throw error
    }
  }

  /**
   * Checks the configuration and fills the container; nothing is opened or started yet. The first part of
   * {@link start}.
   */
  async compose(): Promise<void> {
    for (const { options } of this.modules)
      for (const section of options.configuration ?? []) this.configuration.read(section)
    this.provide(Application, this)
    this.provide(Configuration, this.configuration)
    this.provide(Logger as Class<Logger>, this.logger)
    this.provide(Localization, this.localization)
    this.provide(Settings, this.settings)
    this.provide(Features, this.features)
    if (!this.container.isBound(Clock) && !this.services.some(({ service }) => providedBy(service) === Clock))
      this.provide(Clock, new Clock())
    await this.each('preConfigureServices')
    for (const { service, module } of this.services) this.bindings.register(service, module)
    for (const [original, replacement] of this.replacements) this.bindings.replace(original, replacement)
    for (const module of this.modules) {
      const { seeds = [], diagnoses = [], remotes = [] } = module.options
      for (const service of [...seeds, ...diagnoses]) this.bindings.register(service, module)
      for (const contract of remotes) this.bindings.bindRemote(contract)
    }
    await this.each('configureServices')
    await this.each('postConfigureServices')
    checkDependencies(this)
    refuseUnknownFeatures(this.features, this.localServices)
    // It reads the sources. Bundles of programs that are developed are made behind a start that has read them.
    const isDeveloped = this.configuration.isDevelopment && !isBundled
    const unreachable = isDeveloped ? unreachableServices(this.modules) : []
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
    // All at once: a job that takes its time must not keep the host from saying that it is not ready any
    // more.
    await Promise.all(this.stoppingHooks.map((work) => work()))
    for (const { instance } of [...this.modules].reverse()) await instance.onApplicationShutdown(this.context)
  }

  private async each(method: keyof ModuleLifecycle): Promise<void> {
    for (const { name, instance } of this.modules)
      await this.times.step(method, name, () => instance[method](this.context))
  }
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
function collectPermissions(modules: readonly LoadedModule[]): ReadonlyMap<string, PermissionDefinition> {
  const classes = new Map(
    listedBy(modules, ({ permissions }) => permissions).map(({ thing, module }) => [thing, module]),
  )
  const named = [...classes].flatMap(([listed, module]) =>
    permissionsOf(listed).map((thing) => ({ name: thing.name, thing, module })),
  )
  return uniqueByName(
    'permission',
    named,
    'Names begin with what they are about, and grants are kept by them: rename one.',
  )
}

/**
 * Resource permissions of all modules by name. Throws when a managing permission is not listed by any module:
 * then no caller could ever manage them.
 */
function collectResourcePermissions(
  modules: readonly LoadedModule[],
  permissions: ReadonlyMap<string, PermissionDefinition>,
): Map<string, ResourcePermissionDefinition> {
  const found = new Map<string, ResourcePermissionDefinition>()
  for (const listed of new Set(modules.flatMap(({ options }) => options.resourcePermissions ?? []))) {
    for (const definition of resourcePermissionsOf(listed)) {
      const { name, managementPermission } = definition
      if (found.has(name) || permissions.has(name))
        throw new StartupError(
          `The permission ${name} is defined twice, the second time in ${listed.name}: rename one`,
        )
      if (!permissions.has(managementPermission))
        throw new StartupError(
          `${listed.name} is managed by ${managementPermission}, which no module of this host lists under permissions`,
        )
      found.set(name, definition)
    }
  }
  return found
}
