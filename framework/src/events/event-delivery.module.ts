import type { ModuleContext } from '../modularity/application.js'
import type { Configuration } from '../modularity/configuration.js'
import { loadDriver } from '../modularity/drivers.js'
import { KeelModule, Module } from '../modularity/module.js'
import { EventConsumers } from './event-consumers.js'
import { EventDelivery } from './event-delivery.js'
import { EventSettings } from './event-settings.js'
import { EventTransport } from './event-transport.js'
import { EventsModule } from './events.module.js'
import { PostgresTransport } from './postgres-transport.js'
import {
  type RabbitMqDriver,
  RabbitMqSettings,
  RabbitMqTransport,
  usesRabbitMq,
} from './rabbitmq-transport.js'

/**
 * Sends what modules publish and calls the handlers of this host: through PostgreSQL, or RabbitMQ where that
 * is configured. Without that RabbitMQ's library is not loaded.
 */
@Module({
  name: 'EventDelivery',
  dependsOn: [EventsModule],
  services: [EventConsumers, PostgresTransport, EventDelivery],
  configuration: [EventSettings, RabbitMqSettings],
})
export class EventDeliveryModule extends KeelModule {
  override async preConfigureServices({ application }: ModuleContext): Promise<void> {
    const { configuration, container } = application
    const driver = usesRabbitMq(configuration) ? await loadRabbitMq(configuration) : undefined
    const make = (): EventTransport =>
      driver
        ? new RabbitMqTransport(application, application.get(EventConsumers), driver)
        : application.get(PostgresTransport)
    container
      .bind(EventTransport as never)
      .toDynamicValue(make)
      .inSingletonScope()
    application.healthChecks.push({
      name: 'Events',
      check: async () => {
        const { problem } = application.get(EventDelivery)
        return problem ? { status: 'Degraded', description: problem } : { status: 'Healthy' }
      },
    })
    application.onReady(() => application.get(EventDelivery).start())
    application.onStopping(() => application.get(EventDelivery).stop())
  }
}

function loadRabbitMq(configuration: Configuration): Promise<RabbitMqDriver> {
  const load = () => import('rabbitmq-client')
  return loadDriver(configuration, 'RabbitMQ:Connections:Default:HostName', ['rabbitmq-client'], load)
}
