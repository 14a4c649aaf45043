import { type Class, KeelModule, Module } from '@keel/framework'
import { permissionsIn } from '@keel/framework/contracts'
import { DataModule, entitySet } from '@keel/framework/data'
import { EventsModule } from '@keel/framework/events'
import { JobsModule } from '@keel/framework/jobs'
import { MailQueueModule } from '@keel/framework/mail'
import { ODataModule } from '@keel/framework/odata'
import { DataProtectionModule } from '@keel/framework/security'
import { TextsModule } from '@keel/framework/texts'
import { ShipmentPermissions } from '@keel/hub/contracts'
import { AdministrationPermissions } from '@keel/identity/contracts'
import { Broadcaster } from './application/broadcaster.js'
import { ExportDeliveries } from './application/export-deliveries.js'
import { ExportFileRights } from './application/export-file-rights.js'
import { ExportRunService } from './application/export-run-service.js'
import { ExportRunner } from './application/export-runner.js'
import { ExportScheduleService } from './application/export-schedule-service.js'
import { ExportSecrets } from './application/export-secrets.js'
import { NotificationLiveEvents } from './application/notification-live-events.js'
import { NotificationMails } from './application/notification-mails.js'
import { NotificationPreferencesService } from './application/notification-preferences-service.js'
import { NotificationService } from './application/notification-service.js'
import { Notifier } from './application/notifier.js'
import { OwnPersonalDataService } from './application/own-personal-data-service.js'
import { PersonalDataArchives } from './application/personal-data-archive.js'
import { PersonalDataNotices } from './application/personal-data-notices.js'
import { PersonalDataRequestService } from './application/personal-data-request-service.js'
import { PersonalDataRequests } from './application/personal-data-requests.js'
import { PersonalDataRunner } from './application/personal-data-runner.js'
import { SavedViewReadersByMembership } from './application/saved-view-readers.js'
import { SavedViewService } from './application/saved-view-service.js'
import { ShipmentService } from './application/shipment-service.js'
import { WebhookNotices } from './application/webhook-notices.js'
import * as contracts from './contracts/index.js'
import {
  ExportRunDto,
  ExportScheduleDto,
  ExportSchedulePermissions,
  NotificationDto,
  NotificationPermissions,
  NotificationSettings,
  SavedViewDto,
  SavedViewPermissions,
} from './contracts/index.js'
import { Broadcast } from './domain/broadcast.js'
import { ExportOwners, ExportRun, ExportSchedule } from './domain/export-schedule.js'
import { ExportMailTemplates } from './domain/export-texts.js'
import {
  CallingUser,
  Notification,
  NotificationPreferences,
  NotificationSubscription,
} from './domain/notification.js'
import { NotificationMailTemplates } from './domain/notification-texts.js'
import { corePersonalData } from './domain/personal-data.js'
import { PersonalDataReaders, PersonalDataRequest } from './domain/personal-data-request.js'
import { SavedView } from './domain/saved-view.js'
import { BroadcastStore } from './persistence/broadcasts.js'
import { ExportRunStore, ExportScheduleStore } from './persistence/export-schedules.js'
import {
  NotificationPreferencesStore,
  NotificationStore,
  NotificationSubscriptionStore,
} from './persistence/notifications.js'
import { PersonalDataRequestStore } from './persistence/personal-data-requests.js'
import { PersonalRecords } from './persistence/personal-records.js'
import { SavedViewStore } from './persistence/saved-views.js'

/** The entities of the Default database. The migrator creates the tables and runs none of the services. */
export const coreEntities: readonly Class[] = [
  SavedView,
  Notification,
  NotificationPreferences,
  NotificationSubscription,
  Broadcast,
  ExportSchedule,
  ExportRun,
  PersonalDataRequest,
]

/** The permissions of the core application, for the migrator too, which grants them to roles. */
export const corePermissions = [AdministrationPermissions, ShipmentPermissions, ...permissionsIn(contracts)]

/** The core application. It needs Hub's contracts: in the same host HubModule, or the contracts among the host's `remotes`. */
@Module({
  dependsOn: [
    DataModule,
    DataProtectionModule,
    EventsModule,
    JobsModule,
    MailQueueModule,
    ODataModule,
    TextsModule,
  ],
  entities: coreEntities,
  services: [
    SavedViewReadersByMembership,
    SavedViewStore,
    SavedViewService,
    CallingUser,
    NotificationStore,
    NotificationPreferencesStore,
    NotificationSubscriptionStore,
    NotificationService,
    NotificationPreferencesService,
    BroadcastStore,
    Broadcaster,
    Notifier,
    NotificationMails,
    NotificationLiveEvents,
    ExportOwners,
    ExportScheduleStore,
    ExportRunStore,
    ExportSecrets,
    ExportDeliveries,
    ExportFileRights,
    ExportRunner,
    ExportScheduleService,
    ExportRunService,
    ShipmentService,
    WebhookNotices,
    PersonalRecords,
    PersonalDataReaders,
    PersonalDataRequestStore,
    PersonalDataArchives,
    PersonalDataNotices,
    PersonalDataRunner,
    PersonalDataRequests,
    PersonalDataRequestService,
    OwnPersonalDataService,
  ],
  personalData: corePersonalData,
  settings: Object.values(NotificationSettings),
  templates: [...Object.values(NotificationMailTemplates), ...Object.values(ExportMailTemplates)],
  permissions: corePermissions,
  odata: [
    entitySet('SavedViews', SavedView, SavedViewPermissions.View, {
      dto: SavedViewDto,
      searchable: ['name'],
    }),
    entitySet('Notifications', Notification, NotificationPermissions.View, { dto: NotificationDto }),
    entitySet('ExportSchedules', ExportSchedule, ExportSchedulePermissions.View, {
      dto: ExportScheduleDto,
      searchable: ['name'],
    }),
    entitySet('ExportRuns', ExportRun, ExportSchedulePermissions.View, { dto: ExportRunDto }),
  ],
  localization: new URL('../localization/', import.meta.url),
})
export class CoreModule extends KeelModule {}
