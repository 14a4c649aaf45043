import { KeelModule, Module, type ModuleContext } from '../modularity/module.js'
import { Redis, RedisSettings } from './redis.js'

/** Connects a host with the Redis that its copies share, where `Redis:IsEnabled` says so. */
@Module({ name: 'Redis', services: [Redis], configuration: [RedisSettings] })
export class RedisModule extends KeelModule {
  override preConfigureServices({ application }: ModuleContext): void {
    if (!application.configuration.read(RedisSettings).isEnabled) return
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
