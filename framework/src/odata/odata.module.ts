import { DataModule } from '../data/data.module.js'
import { HttpModule } from '../http/host/http.module.js'
import { HttpHost } from '../http/host/http-host.js'
import type { ModuleContext } from '../modularity/application.js'
import { lazily } from '../modularity/lazily.js'
import { KeelModule, Module } from '../modularity/module.js'
import { AvailablePermissionsModule } from '../security/available-permissions.js'
import { EntitySetRows } from './entity-set-rows.js'
import { EntityModel } from './model/entity-model.js'
import { ODataEndpoint, odataRoot } from './odata-endpoint.js'
import { ODataService } from './odata-service.js'
import { ODataQueries } from './plans/odata-queries.js'
import { OData } from './plans/odata-settings.js'
import { ServedModel } from './plans/served-model.js'

/** Gives a host the OData layer at `/odata`: the entity sets that its modules list in `odata`, to read. */
@Module({
  name: 'OData',
  dependsOn: [HttpModule, DataModule, AvailablePermissionsModule],
  services: [ODataEndpoint, ODataService, ODataQueries, ServedModel, EntitySetRows],
  configuration: [OData],
})
export class ODataModule extends KeelModule {
  override preConfigureServices({ application }: ModuleContext): void {
    const { unservedSets } = application.configuration.read(OData)
    const make = () => new EntityModel(application.modules, unservedSets, application.ownFields)
    if (application.checksDeclarations || unservedSets.length) application.provide(EntityModel, make())
    else application.provideLazily(EntityModel, make)
  }

  override onApplicationInitialization({ application }: ModuleContext): void {
    const endpoint = lazily(() => application.get(ODataEndpoint))
    application.get(HttpHost).serve(odataRoot, {
      handle: async (...given) => endpoint().handle(...given),
      writeError: (...given) => endpoint().writeError(...given),
    })
  }
}
