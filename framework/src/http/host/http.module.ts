import { TYPE } from 'inversify-express-utils'
import { RedisModule } from '../../caching/redis.module.js'
import { contractPath } from '../../contracts/contract-header.js'
import type { ModuleContext } from '../../modularity/application.js'
import { KeelModule, Module } from '../../modularity/module.js'
import { RateLimits } from '../../security/rate-limits.js'
import { TelemetryModule } from '../../telemetry/telemetry.module.js'
import { createHttpContext } from '../server/inversify-server.js'
import { TelemetrySettings } from '../server/metrics-endpoint.js'
import { SecurityText } from '../server/security-text.js'
import { AddressDiagnosis } from './address-diagnosis.js'
import { contractDescriptions } from './contract-descriptions.js'
import { App, HttpHost } from './http-host.js'

/**
 * Gives a host its HTTP server: one route per operation of every contract implemented here, health, errors in
 * ABP's envelope.
 */
@Module({
  dependsOn: [TelemetryModule, RedisModule],
  services: [HttpHost],
  configuration: [App, RateLimits, SecurityText, TelemetrySettings],
  diagnoses: [AddressDiagnosis],
})
export class HttpModule extends KeelModule {
  override preConfigureServices({ application }: ModuleContext): void {
    application.ownFields.checkPermissions(application.permissions)
    application.requestScope.provide(TYPE.HttpContext, createHttpContext)
  }

  override configureServices({ application }: ModuleContext): void {
    for (const module of application.modules)
      for (const controller of module.options.controllers ?? [])
        application.registerController(controller, module)
  }

  override onPreApplicationInitialization({ application }: ModuleContext): void {
    const host = application.get(HttpHost)
    const { isApiDefinitionPublic } = application.configuration.read(App)
    host.mount(contractPath, contractDescriptions(application, isApiDefinitionPublic))
    application.onReady(() => host.listen())
    application.onStopping(() => host.drain())
  }
}
