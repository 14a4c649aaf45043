import type { ModelSnapshot } from '@keel/framework/data'
import type { Migration } from '../migration.js'
import { accountMigration } from './20261121-account.js'
import { apiKeysMigration } from './20261121-api-keys.js'
import { auditLoggingMigration } from './20261121-audit-logging.js'
import { featureManagementMigration } from './20261121-feature-management.js'
import { identityMigration } from './20261121-identity.js'
import { initialMigration } from './20261121-initial.js'
import { openidMigration } from './20261121-openid.js'
import { permissionManagementMigration } from './20261121-permission-management.js'
import { saasMigration } from './20261121-saas.js'
import { sessionsTellTheirEndMigration } from './20261121-sessions-tell-their-end.js'
import { settingManagementMigration } from './20261121-setting-management.js'
import { tableVersionsMigration } from './20261121-table-versions.js'
import { accountDelegationsMigration } from './20261122-account-delegations.js'
import { auditLogsWithoutForeignKeysMigration } from './20261122-audit-logs-without-foreign-keys.js'
import { authServerLoadMigration } from './20261122-auth-server-load.js'
import { backgroundJobsMigration } from './20261122-background-jobs.js'
import { dataProtectionMigration } from './20261122-data-protection.js'
import { eventBoxesMigration } from './20261122-event-boxes.js'
import { openJobsMigration } from './20261122-open-jobs.js'
import { browserSessionsTellTheirUseMigration } from './20261123-browser-sessions-tell-their-use.js'
import { resourcePermissionsMigration } from './20261123-resource-permissions.js'
import { triggersFireAlwaysMigration } from './20261123-triggers-fire-always.js'
import { userInvitationsMigration } from './20261123-user-invitations.js'
import { userPasskeysMigration } from './20261123-user-passkeys.js'
import { readersOfOrdersMigration } from './20261124-readers-of-orders.js'
import { notificationsMigration } from './20261125-notifications.js'
import { savedViewsMigration } from './20261125-saved-views.js'
import { exportSchedulesMigration } from './20261126-export-schedules.js'
import { idempotencyKeysMigration } from './20261126-idempotency-keys.js'
import { liveTicketsMigration } from './20261126-live-tickets.js'
import { membershipInvitationsMigration } from './20261126-membership-invitations.js'
import { personalDataAndBroadcastsMigration } from './20261126-personal-data-and-broadcasts.js'
import { exportRunsTellTheirColumnsMigration } from './20261127-export-runs-tell-their-columns.js'
import { exportRunsTellTheirScopeMigration } from './20261127-export-runs-tell-their-scope.js'
import { changesAnnouncedByHostsMigration } from './20261128-changes-announced-by-hosts.js'
import model from './snapshot.json' with { type: 'json' }

// Written by `migrator add`, like snapshot.json: the migrations in their order, and the model after the last of them.
export const migrations: readonly Migration[] = [
  initialMigration,
  tableVersionsMigration,
  identityMigration,
  permissionManagementMigration,
  sessionsTellTheirEndMigration,
  apiKeysMigration,
  accountMigration,
  settingManagementMigration,
  featureManagementMigration,
  saasMigration,
  auditLoggingMigration,
  openidMigration,
  eventBoxesMigration,
  backgroundJobsMigration,
  authServerLoadMigration,
  accountDelegationsMigration,
  dataProtectionMigration,
  auditLogsWithoutForeignKeysMigration,
  openJobsMigration,
  triggersFireAlwaysMigration,
  resourcePermissionsMigration,
  browserSessionsTellTheirUseMigration,
  userInvitationsMigration,
  userPasskeysMigration,
  readersOfOrdersMigration,
  savedViewsMigration,
  notificationsMigration,
  idempotencyKeysMigration,
  liveTicketsMigration,
  exportSchedulesMigration,
  personalDataAndBroadcastsMigration,
  membershipInvitationsMigration,
  exportRunsTellTheirColumnsMigration,
  exportRunsTellTheirScopeMigration,
  changesAnnouncedByHostsMigration,
]
export const snapshot = model as ModelSnapshot
