import { BlobsModule } from '../blobs/blobs.module.js'
import { DataModule } from '../data/data.module.js'
import type { ImportingService } from '../data/stores/imports.js'
import { JobsModule } from '../jobs/jobs.module.js'
import type { ModuleContext } from '../modularity/application.js'
import { KeelModule, Module } from '../modularity/module.js'
import { StartupError } from '../modularity/startup-error.js'
import { FileImports } from './file-imports.js'
import { ImportColumns } from './import-columns.js'
import { ImportSettings } from './import-settings.js'
import { ImportSweep } from './import-sweep.js'

/** Imports files into the lists of contracts with `importable()`. Modules with such contracts depend on it. */
@Module({
  dependsOn: [DataModule, BlobsModule, JobsModule],
  services: [FileImports, ImportSweep],
  configuration: [ImportSettings],
})
export class ImportsModule extends KeelModule {
  override onApplicationInitialization({ application }: ModuleContext): void {
    if (!application.checksDeclarations) return
    for (const { contract, service, module } of application.localServices) {
      if (!contract.contract.operations.has('import')) continue
      const { importTarget } = application.get(service) as ImportingService
      new ImportColumns(importTarget, module.name, application.ownFields)
      if (!importTarget.store.database.schemas.length)
        throw new StartupError(
          `${contract.contract.name} (${module.name}) is importable(), but no schema scripts make the tables of its database: the migrator does not make KeelImports`,
        )
    }
  }
}
