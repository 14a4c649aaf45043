import type { ModuleContext } from '../modularity/application.js'
import { loadDriver } from '../modularity/drivers.js'
import { KeelModule, Module } from '../modularity/module.js'
import { Redis, RedisSettings } from './redis.js'

/** Connects a host with Redis if `Redis:IsEnabled`. Otherwise its library is not loaded. */
@Module({ name: 'Redis', configuration: [RedisSettings] })
export class RedisModule extends KeelModule {
  override async preConfigureServices({ application }: ModuleContext): Promise<void> {
    const { configuration } = application
    if (!configuration.read(RedisSettings).isEnabled) {
      application.provide(Redis, new Redis(application, undefined))
      return
    }
    const load = () => import('@redis/client')
    const driver = await loadDriver(configuration, 'Redis:IsEnabled', ['@redis/client'], load)
    application.provide(Redis, new Redis(application, driver))
    application.healthChecks.push({
      name: 'Redis',
      check: async () => {
        const { problem } = application.get(Redis)
        return problem ? { status: 'Degraded', description: problem } : { status: 'Healthy' }
      },
    })
  }

  override async onPreApplicationInitialization({ application }: ModuleContext): Promise<void> {
    await application.get(Redis).start()
  }

  override onApplicationShutdown({ application }: ModuleContext): void {
    application.get(Redis).stop()
  }
}
