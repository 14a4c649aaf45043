import { DataModule } from '../data/data.module.js'
import type { ModuleContext } from '../modularity/application.js'
import { KeelModule, Module } from '../modularity/module.js'
import { DistributedEventBus } from './distributed-event-bus.js'
import { EntityEventPublisher } from './entity-event-publisher.js'
import { EventSubscription, IncomingEvent, OutgoingEvent } from './event-boxes.js'
import { LocalEventBus } from './local-event-bus.js'

/** Lets modules publish events. What was published is sent and handled by hosts that have the `EventDeliveryModule`. */
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
