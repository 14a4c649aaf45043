import type { RequestHandler } from 'express'
import { ValidationError, z } from '../../contracts/index.js'
import type { Application, ModuleContext } from '../../modularity/application.js'
import { KeelModule, Module } from '../../modularity/module.js'
import { compileInputCheck } from '../../modularity/validation.js'
import { HttpModule } from '../host/http.module.js'
import { App, HttpHost } from '../host/http-host.js'
import { queryOf } from '../operations/controllers.js'
import { PreparedBody } from '../server/prepared-body.js'
import { demandSignedIn } from '../server/public-address.js'
import { apiDefinition } from './api-definition.js'

/**
 * Gives a host ABP's API definition at `/api/abp/api-definition`, for everybody unless
 * `App:IsApiDefinitionPublic` is false: what ABP's generators of clients read.
 */
@Module({ dependsOn: [HttpModule] })
export class AbpApiDefinitionModule extends KeelModule {
  override onApplicationInitialization({ application }: ModuleContext): void {
    const { isApiDefinitionPublic } = application.configuration.read(App)
    const serve = serveDefinition(application, isApiDefinitionPublic)
    application.get(HttpHost).mount('/api/abp/api-definition', serve)
  }
}

const checkQuery = compileInputCheck({ schema: z.object({ includeTypes: z.boolean().default(false) }) })

function serveDefinition(application: Application, isPublic: boolean): RequestHandler {
  const whole = new PreparedBody(() => apiDefinition(application))
  const withoutTypes = new PreparedBody(() => ({ ...apiDefinition(application), types: {} }))
  return (request, response, next) => {
    if (request.path !== '/' || !['GET', 'HEAD'].includes(request.method)) return next()
    if (!isPublic) demandSignedIn()
    const wanted = includesTypes(request.originalUrl) ? whole : withoutTypes
    wanted.send(request, response)
  }
}

function includesTypes(url: string): boolean {
  const { value, faults } = checkQuery(queryOf(url))
  if (faults.length) throw new ValidationError(faults)
  return (value as { includeTypes: boolean }).includeTypes
}
