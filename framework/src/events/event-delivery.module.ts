import { type Class, KeelModule, Module, type ModuleContext } from '../modularity/module.js'
import { EventConsumers } from './event-consumers.js'
import { EventDelivery } from './event-delivery.js'
import { EventSettings } from './event-settings.js'
import { EventTransport } from './event-transport.js'
import { EventsModule } from './events.module.js'
import { PostgresTransport } from './postgres-transport.js'
import { RabbitMqSettings, RabbitMqTransport, usesRabbitMq } from './rabbitmq-transport.js'

/** Sends what modules publish and calls the handlers of this host: through PostgreSQL, or RabbitMQ where that is configured. */
@Module({
  name: 'EventDelivery',
  dependsOn: [EventsModule],
  services: [EventConsumers, PostgresTransport, RabbitMqTransport, EventDelivery],
  configuration: [EventSettings, RabbitMqSettings],
})
export class EventDeliveryModule extends KeelModule {
  override preConfigureServices({ application }: ModuleContext): void {
    const transport: Class<EventTransport> = usesRabbitMq(application.configuration)
      ? RabbitMqTransport
      : PostgresTransport
    application.container.bind(EventTransport as never).toDynamicValue(() => application.get(transport))
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
