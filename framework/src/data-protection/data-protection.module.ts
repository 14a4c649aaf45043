import { DataModule } from '../data/data.module.js'
import type { ModuleContext } from '../modularity/application.js'
import { KeelModule, Module } from '../modularity/module.js'
import { DataProtection } from './data-protection.js'
import { DataProtectionKey } from './data-protection-key.js'
import { DataProtectionKeys, DataProtectionSettings } from './data-protection-keys.js'

/** Gives a host its {@link DataProtection}. */
@Module({
  name: 'DataProtection',
  dependsOn: [DataModule],
  entities: [DataProtectionKey],
  services: [DataProtectionKeys, DataProtection],
  configuration: [DataProtectionSettings],
})
export class DataProtectionModule extends KeelModule {
  override onApplicationShutdown({ application }: ModuleContext): void {
    application.get(DataProtectionKeys).stop()
  }
}
