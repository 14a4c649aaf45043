import { ExportsFeature } from '../contracts/index.js'
import type { ModuleContext } from '../modularity/application.js'
import type { LoadedModule } from '../modularity/loaded-module.js'
import { KeelModule, Module } from '../modularity/module.js'
import { OwnFieldSettings } from '../modularity/own-fields.js'
import { listedBy, uniqueByName } from '../modularity/unique-names.js'
import { Telemetry } from '../telemetry/telemetry.js'
import { Databases } from './connections/databases.js'
import { Locks } from './connections/locks.js'
import { observeStatements } from './connections/statement-telemetry.js'
import { unitOfWork } from './connections/unit-of-work.js'
import { refuseUnusable } from './connections/unusable-database.js'
import { type EntityClass, entityMeta } from './entities/entity.js'
import { checkOwnFields } from './entities/own-columns.js'
import { RowRules } from './entities/row-rules.js'
import { PageReader } from './lists/page-reader.js'
import { ReferenceSets } from './lists/reference-sets.js'
import { RowStorage } from './lists/row-cache.js'
import { DatabaseDiagnosis } from './schema/database-diagnosis.js'
import { Models } from './stores/models.js'
import { Stores } from './stores/stores.js'

/** Gives a host its databases: connections, stores, unit of work, change feeds. Every module with entities depends on it. */
@Module({
  services: [Locks, RowRules, ReferenceSets, RowStorage, PageReader, Models, Stores],
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
    const databases = new Databases(configuration, logger, modules, now)
    refuseSharedTables(application.modules, databases)
    application.provide(Databases, databases)
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

/** Two modules that map the same table would change its rows behind each other's back. */
function refuseSharedTables(modules: readonly LoadedModule[], databases: Databases): void {
  const tables = listedBy(modules, ({ entities }) => entities as readonly EntityClass[] | undefined).map(
    ({ thing, module }) => ({
      name: `${entityMeta(thing).table} of the database ${databases.of(thing).name}`,
      thing,
      module,
    }),
  )
  uniqueByName('table', tables, 'Names of tables begin with that of their module: rename one.')
}
