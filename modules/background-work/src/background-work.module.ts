import { KeelModule, Module } from '@keel/framework'
import { EventDeliveryModule } from '@keel/framework/events'
import { JobWorkerModule } from '@keel/framework/jobs'
import { BackgroundJobService } from './application/background-job-service.js'
import { InboxEventService } from './application/inbox-event-service.js'
import { BackgroundWorkPermissions } from './contracts/index.js'
import { EventBoxes } from './persistence/event-boxes.js'
import { FinishedWorkDeleter } from './persistence/finished-work-deleter.js'
import { JobList } from './persistence/job-list.js'

/** Works on jobs and delivers events in its host, and lets them be looked after. */
@Module({
  name: 'BackgroundWork',
  dependsOn: [EventDeliveryModule, JobWorkerModule],
  services: [JobList, EventBoxes, FinishedWorkDeleter, BackgroundJobService, InboxEventService],
  permissions: [BackgroundWorkPermissions],
  localization: new URL('../localization/', import.meta.url),
})
export class BackgroundWorkModule extends KeelModule {}
