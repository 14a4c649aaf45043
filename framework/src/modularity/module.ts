import 'reflect-metadata'
import type {
  AnyAppService,
  AnyEvent,
  FeatureDefinition,
  ImplementationOf,
  PermissionClass,
  Role,
  SettingDefinition,
} from '../contracts/index.js'
import type { Application } from './application.js'
import type { ConfigurationSection } from './configuration.js'
import type { Diagnosis } from './diagnosis.js'
import type { Policy } from './policy.js'
import { callingFile, rememberFile } from './source-place.js'
import { StartupError } from './startup-error.js'

/** Any class, also an abstract one. */
// biome-ignore lint/suspicious/noExplicitAny: constructors of all parameters
export type Class<T = object> = abstract new (...args: any[]) => T
/** A class that can be made. */
// biome-ignore lint/suspicious/noExplicitAny: constructors of all parameters
export type Constructor<T = object> = new (...args: any[]) => T

/** Everything a module brings: its table of contents. */
export interface ModuleOptions {
  /** Name in messages; the class' name without `Module` when not given. */
  readonly name?: string
  readonly dependsOn?: readonly Constructor<KeelModule>[]
  /** Name of the connection its entities live on (`ConnectionStrings:<name>`); Default when not given. */
  readonly database?: string
  readonly entities?: readonly Class[]
  /** What the container can make: services of contracts, stores, providers of abstract classes. */
  readonly services?: readonly Constructor[]
  readonly permissions?: readonly PermissionClass[]
  /** Permissions on single things, by classes with `@ResourcePermissionGroup`. */
  readonly resourcePermissions?: readonly PermissionClass[]
  readonly roles?: readonly Role[]
  readonly policies?: readonly Policy[]
  readonly settings?: readonly SettingDefinition[]
  readonly features?: readonly FeatureDefinition[]
  /** Names of what is switched on for the whole system while it is built, for clients to see. */
  readonly globalFeatures?: readonly string[]
  /** Distributed events that it publishes; they are written to its database, beside what they tell of. */
  readonly events?: readonly AnyEvent[]
  /** What the OData layer publishes of the entities, made by `entitySet`. */
  readonly odata?: readonly PublishedSet[]
  readonly seeds?: readonly Constructor[]
  /** What looks at the module's surroundings for `keel doctor`. */
  readonly diagnoses?: readonly Constructor<Diagnosis>[]
  /** Numbered schema scripts (`0001-….sql`) of a database that the migrator does not own. */
  readonly schema?: URL
  /** Folder of `<culture>.json` files with the module's texts. */
  readonly localization?: URL
  /** Parts of the configuration that must be valid before anything starts. */
  readonly configuration?: readonly ConfigurationSection[]
  /** Contracts of the modules below that this host uses in its own process alone: it answers none of their routes. */
  readonly unserved?: readonly AnyAppService[]
  /** Contracts that this host calls over HTTP because their module runs elsewhere. */
  readonly remotes?: readonly AnyAppService[]
}

/** An entity set as far as modules have to know of it. */
export interface PublishedSet {
  readonly name: string
  readonly entity: Class
}

/** What a module's life-cycle methods work with. */
export interface ModuleContext {
  readonly application: Application
}

/**
 * The base of a module. Its life cycle is ABP's: dependencies first on the way up, last on the way down. Override what is needed.
 * @example
 * @Module({ dependsOn: [DataModule], database: 'Hub', entities: [Port], services: [PortService] })
 * export class HubModule extends KeelModule {}
 */
export abstract class KeelModule {
  preConfigureServices(_context: ModuleContext): void | Promise<void> {}
  configureServices(_context: ModuleContext): void | Promise<void> {}
  postConfigureServices(_context: ModuleContext): void | Promise<void> {}
  onPreApplicationInitialization(_context: ModuleContext): void | Promise<void> {}
  onApplicationInitialization(_context: ModuleContext): void | Promise<void> {}
  onPostApplicationInitialization(_context: ModuleContext): void | Promise<void> {}
  onApplicationShutdown(_context: ModuleContext): void | Promise<void> {}
}

/** The decorators of ECMAScript come with a context, and without the classes of a constructor's parameters. */
function refuseStandardDecorator(decorator: string, { name }: Class, context: unknown): void {
  if (context !== undefined)
    throw new StartupError(
      `@${decorator} on ${name} is compiled as a decorator of ECMAScript, which injection can't work with: set "experimentalDecorators" and "emitDecoratorMetadata" to true in tsconfig.json.`,
    )
}

const moduleOptions = new WeakMap<object, ModuleOptions>()
const contracts = new WeakMap<object, AnyAppService>()
const provided = new WeakMap<object, Class>()

/** Makes a class a module and lists what it brings. */
export function Module(options: ModuleOptions) {
  const file = callingFile()
  return (target: Constructor<KeelModule>, context?: unknown): void => {
    refuseStandardDecorator('Module', target, context)
    rememberFile(target, file)
    moduleOptions.set(target, options)
  }
}

/** What a module class lists, or undefined when it has no {@link Module}. */
export function moduleOptionsOf(target: object): ModuleOptions | undefined {
  return moduleOptions.get(target)
}

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
