import { KeelModule, Module } from '@keel/framework'
import { entitySet } from '@keel/framework/data'
import { EventDeliveryModule, EventSubscription } from '@keel/framework/events'
import { ExportsModule } from '@keel/framework/exports'
import { LiveEventsModule } from '@keel/framework/http'
import { BackgroundJob, JobWorkerModule } from '@keel/framework/jobs'
import { BackgroundJobService } from './application/background-job-service.js'
import { InboxEventService } from './application/inbox-event-service.js'
import { ListMailService } from './application/list-mail-service.js'
import { LiveEventService } from './application/live-event-service.js'
import { BackgroundJobDto, BackgroundWorkPermissions } from './contracts/index.js'
import { EventBoxes } from './persistence/event-boxes.js'
import { FinishedWorkDeleter } from './persistence/finished-work-deleter.js'
import { JobList } from './persistence/job-list.js'

/** Works on jobs and delivers events in its host, lets them be looked after, mails lists as files, and tells browsers of changes. */
@Module({
  name: 'BackgroundWork',
  dependsOn: [EventDeliveryModule, ExportsModule, JobWorkerModule, LiveEventsModule],
  services: [
    JobList,
    EventBoxes,
    FinishedWorkDeleter,
    BackgroundJobService,
    InboxEventService,
    ListMailService,
    LiveEventService,
  ],
  permissions: [BackgroundWorkPermissions],
  odata: [
    entitySet('BackgroundJobs', BackgroundJob, BackgroundWorkPermissions.Jobs, {
      dto: BackgroundJobDto,
      also: ['recurringName', 'isAbandoned', 'isCancelled', 'lockedUntil'],
      searchable: ['jobName', 'recurringName'],
    }),
    entitySet('EventSubscriptions', EventSubscription, BackgroundWorkPermissions.Events, {
      also: ['eventName', 'consumer', 'database', 'host', 'seenTime'],
      searchable: ['eventName', 'consumer'],
    }),
  ],
  localization: new URL('../localization/', import.meta.url),
})
export class BackgroundWorkModule extends KeelModule {}
