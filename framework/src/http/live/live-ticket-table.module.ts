import { DataModule } from '../../data/data.module.js'
import { personalRows } from '../../data/entities/personal-data.js'
import { KeelModule, Module } from '../../modularity/module.js'
import { LiveTicket } from './live-ticket.js'

/** The table of tickets for event streams, for the migrator; hosts that serve streams depend on `LiveEventsModule`. */
@Module({
  name: 'LiveTicketTable',
  dependsOn: [DataModule],
  entities: [LiveTicket],
  personalData: [
    personalRows(LiveTicket, {
      name: 'event-stream-tickets',
      of: ['userId'],
      withheld: ['digest', 'claims', 'expirationTime'],
      erasure: 'delete',
    }),
  ],
})
export class LiveTicketTableModule extends KeelModule {}
