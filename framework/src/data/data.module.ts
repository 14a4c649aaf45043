import { ExportsFeature } from '../contracts/index.js'
import type { ModuleContext } from '../modularity/application.js'
import { KeelModule, Module } from '../modularity/module.js'
import { OwnFieldSettings } from '../modularity/own-fields.js'
import { Telemetry } from '../telemetry/telemetry.js'
import { Databases } from './connections/databases.js'
import { Locks } from './connections/locks.js'
import { observeStatements } from './connections/statement-telemetry.js'
import { unitOfWork } from './connections/unit-of-work.js'
import { refuseUnusable } from './connections/unusable-database.js'
import { checkOwnFields } from './entities/own-columns.js'
import { RowRules } from './entities/row-rules.js'
import { PageReader } from './lists/page-reader.js'
import { ReferenceSets } from './lists/reference-sets.js'
import { DatabaseDiagnosis } from './schema/database-diagnosis.js'
import { Models } from './stores/models.js'
import { Stores } from './stores/stores.js'

/** Gives a host its databases: connections, stores, unit of work, change feeds. Every module with entities depends on it. */
@Module({
  services: [Locks, RowRules, ReferenceSets, PageReader, Models, Stores],
  diagnoses: [DatabaseDiagnosis],
  configuration: [OwnFieldSettings],
  features: [ExportsFeature],
})
export class DataModule extends KeelModule {
  override preConfigureServices({ application }: ModuleContext): void {
    checkOwnFields(application.modules, application.ownFields)
    const modules = application.modules.map(({ options }) => options)
    const { configuration, logger } = application
    const now = (): Date => application.clock.now
    application.provide(Databases, new Databases(configuration, logger, modules, now))
    application.interceptors.push(unitOfWork)
  }

  override async onPreApplicationInitialization({ application }: ModuleContext): Promise<void> {
    const telemetry = application.find(Telemetry)
    if (telemetry)
      for (const database of application.get(Databases).all) observeStatements(database, telemetry)
    const { configuration } = application
    await Promise.all(
      application.get(Databases).all.map(async (database) => {
        await refuseUnusable(database, configuration.sourceOf(`ConnectionStrings:${database.name}`))
        await database.feed.start()
      }),
    )
  }

  override async onApplicationShutdown({ application }: ModuleContext): Promise<void> {
    await Promise.all(application.get(Databases).all.map((database) => database.stop()))
  }
}
