import { DataModule } from '../data/data.module.js'
import type { ModuleContext } from '../modularity/application.js'
import { KeelModule, Module } from '../modularity/module.js'
import { DistributedEventBus } from './distributed-event-bus.js'
import { EntityEventPublisher } from './entity-event-publisher.js'
import { EventSubscription, IncomingEvent, OutgoingEvent } from './event-boxes.js'
import { LocalEventBus } from './local-event-bus.js'

/** Lets modules publish events. Hosts with the `EventDeliveryModule` send and handle them. */
@Module({
  name: 'Events',
  dependsOn: [DataModule],
  entities: [OutgoingEvent, IncomingEvent, EventSubscription],
  services: [LocalEventBus, DistributedEventBus, EntityEventPublisher],
})
export class EventsModule extends KeelModule {
  override onPreApplicationInitialization({ application }: ModuleContext): void {
    application.get(EntityEventPublisher)
  }
}
