import { NotificationAppService, NotificationPreferencesAppService } from '@keel/default-proxy'
import { openProxy } from '../clients.js'

/** The clients of the inbox. */
export const { notifications, notificationPreferences } = openProxy({
  notifications: { service: NotificationAppService },
  notificationPreferences: { service: NotificationPreferencesAppService },
})
