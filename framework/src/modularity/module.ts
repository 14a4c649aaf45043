import 'reflect-metadata'
import type { ModuleContext, ModuleLifecycle } from './application.js'
import type { Constructor } from './class.js'
import { refuseStandardDecorator } from './injectable.js'
import { keepModuleListing, type ModuleListing } from './loaded-module.js'
import { callingPlace, rememberPlace } from './source-place.js'

/** Everything a module brings: its table of contents. */
export interface ModuleOptions extends ModuleListing {
  readonly dependsOn?: readonly Constructor<KeelModule>[]
}

/**
 * The base of a module. Its life cycle is ABP's: dependencies first on the way up, last on the way down. Override what is needed.
 * @example
 * @Module({ dependsOn: [DataModule], database: 'Hub', entities: [Port], services: [PortService] })
 * export class HubModule extends KeelModule {}
 */
export abstract class KeelModule implements ModuleLifecycle {
  preConfigureServices(_context: ModuleContext): void | Promise<void> {}
  configureServices(_context: ModuleContext): void | Promise<void> {}
  postConfigureServices(_context: ModuleContext): void | Promise<void> {}
  onPreApplicationInitialization(_context: ModuleContext): void | Promise<void> {}
  onApplicationInitialization(_context: ModuleContext): void | Promise<void> {}
  onPostApplicationInitialization(_context: ModuleContext): void | Promise<void> {}
  onApplicationShutdown(_context: ModuleContext): void | Promise<void> {}
}

/** Makes a class a module and lists what it brings. */
export function Module(options: ModuleOptions) {
  const place = callingPlace()
  return (target: Constructor<KeelModule>, context?: unknown): void => {
    refuseStandardDecorator('Module', target, context)
    rememberPlace(target, place)
    keepModuleListing(target, options)
  }
}
