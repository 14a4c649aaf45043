import type {
  AnyAppService,
  AnyEvent,
  FeatureDefinition,
  OwnField,
  PermissionClass,
  Role,
  SettingDefinition,
} from '../contracts/index.js'
import type { Class, Constructor } from './class.js'
import type { ConfigurationSection } from './configuration.js'
import type { Diagnosis } from './diagnosis.js'
import type { Policy } from './policy.js'

/** The lists of a module's `@Module`. */
export interface ModuleListing {
  /** Name in messages; the class' name without `Module` when not given. */
  readonly name?: string
  readonly dependsOn?: readonly Constructor[]
  /** Name of the connection its entities live on (`ConnectionStrings:<name>`); Default when not given. */
  readonly database?: string
  readonly entities?: readonly Class[]
  /**
   * The classes that the container can make: services of contracts, stores, providers of abstract classes.
   */
  readonly services?: readonly Constructor[]
  /**
   * Controllers of inversify-express-utils that are written by hand, with `@controller`; contracts need none.
   */
  readonly controllers?: readonly Constructor[]
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
  /** The sets that the OData layer publishes of the entities, made by `entitySet`. */
  readonly odata?: readonly PublishedSet[]
  /** Fields that it adds to entities, also to those of other modules, made by `ownField`. */
  readonly ownFields?: readonly OwnField[]
  /** What it keeps about persons, made by `personalRows` and `personalFile`. */
  readonly personalData?: readonly ListedPersonalData[]
  readonly seeds?: readonly Constructor[]
  /** The diagnoses of the module's surroundings for `keel doctor`. */
  readonly diagnoses?: readonly Constructor<Diagnosis>[]
  /** Numbered schema scripts (`0001-….sql`) of a database that the migrator does not own. */
  readonly schema?: URL
  /**
   * For the module of a host: the migrations of the Default database that it was released with, by name.
   * Health and `keel doctor` tell which of them are not applied.
   */
  readonly migrations?: readonly string[]
  /** Mails and text messages of the module, made by `mailTemplate` and `smsTemplate`. */
  readonly templates?: readonly ListedTemplate[]
  /** Folder of `<culture>.json` files with the module's texts. */
  readonly localization?: URL
  /** Parts of the configuration that must be valid before anything starts. */
  readonly configuration?: readonly ConfigurationSection[]
  /**
   * Contracts of the modules below that this host uses in its own process alone: it answers none of their
   * routes.
   */
  readonly unserved?: readonly AnyAppService[]
  /** Contracts that this host calls over HTTP because their module runs elsewhere. */
  readonly remotes?: readonly AnyAppService[]
}

/** An entity set as far as modules have to know of it. */
export interface PublishedSet {
  readonly name: string
  readonly entity: Class
}

/** A mail or text message as far as modules have to know of it. */
export interface ListedTemplate {
  readonly name: string
  /** The template of the same name that this one takes the place of. */
  readonly replaces?: ListedTemplate
}

/** Data about persons as far as modules have to know of it. */
export interface ListedPersonalData {
  /** Kebab case, unique in a host. */
  readonly name: string
}

/** A module of an application, with what it lists. */
export interface LoadedModule {
  readonly name: string
  readonly type: Constructor
  readonly options: ModuleListing
}

const listings = new WeakMap<object, ModuleListing>()

/** Keeps what a module class lists. */
export function keepModuleListing(target: object, options: ModuleListing): void {
  listings.set(target, options)
}

/** The lists of a module class; undefined when it has no `@Module`. */
export function moduleListingOf(target: object): ModuleListing | undefined {
  return listings.get(target)
}
