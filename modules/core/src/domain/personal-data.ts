import { personalRows } from '@keel/framework/data'
import { NotificationSettings } from '../contracts/index.js'
import { ExportRun, ExportSchedule } from './export-schedule.js'
import { Notification, NotificationPreferences, NotificationSubscription } from './notification.js'
import { PersonalDataRequest } from './personal-data-request.js'
import { SavedView } from './saved-view.js'

/** What the core application keeps about persons. */
export const corePersonalData = [
  personalRows(Notification, {
    name: 'notifications',
    of: ['userId'],
    exported: [
      'creationTime',
      'kind',
      'severity',
      'title',
      'entityType',
      'entityId',
      'isRead',
      'readTime',
      'mailTime',
    ],
    withheld: ['eventId', 'mailDueTime'],
    retention: { time: 'creationTime', days: NotificationSettings.RetentionDays },
    erasure: 'delete',
  }),
  personalRows(NotificationPreferences, {
    name: 'notification-preferences',
    of: ['userId'],
    exported: ['quietFrom', 'quietUntil', 'digestTime'],
    erasure: 'delete',
  }),
  personalRows(NotificationSubscription, {
    name: 'notification-subscriptions',
    of: ['userId'],
    exported: ['kind', 'mail'],
    erasure: 'delete',
  }),
  personalRows(SavedView, {
    name: 'saved-views',
    of: ['userId'],
    exported: ['name', 'entitySet', 'filter', 'query', 'columns', 'sorting', 'isDefault', 'creationTime'],
    withheld: ['sharedRoleName', 'sharedOrganizationId'],
    erasure: 'delete',
  }),
  // Files of runs are deleted when their time is over: the record of a run tells their names until then.
  personalRows(ExportRun, {
    name: 'export-runs',
    of: ['userId'],
    exported: [
      'entitySet',
      'scheduledTime',
      'startTime',
      'endTime',
      'status',
      'rowCount',
      'fileName',
      'fileSize',
    ],
    withheld: [
      ...(['exportScheduleId', 'isTruncated', 'blobName', 'error', 'deliveryStatus'] as const),
      ...(['attempt', 'deliveryAttempt', 'expirationTime'] as const),
    ],
    erasure: 'ShortLived',
  }),
  personalRows(ExportSchedule, {
    name: 'export-schedules',
    of: ['userId'],
    exported: [
      ...(['name', 'entitySet', 'query', 'columns', 'format', 'csvDelimiter', 'frequency'] as const),
      ...(['timeOfDay', 'timeZone', 'dayOfWeek', 'dayOfMonth', 'startDate', 'endDate', 'delivery'] as const),
      ...(['emailRecipients', 'webhookUrl', 'culture', 'status', 'creationTime'] as const),
    ],
    withheld: [
      ...(['apiKeyId', 'impersonatorId', 'webhookSecret', 'skipEmpty', 'maxRows', 'nextRunTime'] as const),
      ...(['lastRunTime', 'lastRunStatus', 'consecutiveFailures'] as const),
    ],
    erasure: 'delete',
  }),
  personalRows(PersonalDataRequest, {
    name: 'personal-data-requests',
    of: ['userId'],
    exported: ['creationTime', 'kind', 'status', 'startTime', 'endTime'],
    withheld: ['result', 'omitted', 'blobName', 'fileSize', 'expirationTime', 'error'],
    erasure: 'Accountability',
  }),
]
