import {
  Core,
  ExportRunAppService,
  ExportRunDto,
  ExportScheduleAppService,
  NotificationAppService,
  NotificationDto,
  NotificationPreferencesAppService,
  OwnPersonalDataAppService,
  PersonalDataRequestAppService,
  SavedViewAppService,
  ShipmentAppService,
} from '@keel/core/contracts'
import { createProxy, type ProxyOf, type ProxyOptions } from '@keel/framework/client'
import { ExportScheduleRow, SavedViewRow } from './rows.js'

export * from '@keel/core/contracts'
export * from '@keel/framework/client'
export { ShipmentDto, ShipmentListInput, ShipmentPage, ShipmentStatus } from '@keel/hub/contracts'
export * from './rows.js'

/** The members of the core application's proxy. */
export const coreMembers = {
  savedViews: { service: SavedViewAppService, rows: SavedViewRow },
  notifications: { service: NotificationAppService, rows: NotificationDto },
  notificationPreferences: { service: NotificationPreferencesAppService },
  exportSchedules: { service: ExportScheduleAppService, rows: ExportScheduleRow },
  exportRuns: { service: ExportRunAppService, rows: ExportRunDto },
  personalDataRequests: { service: PersonalDataRequestAppService },
  ownPersonalData: { service: OwnPersonalDataAppService },
  shipments: { service: ShipmentAppService },
} as const

/** The services of the core application as clients. */
export type DefaultProxy = ProxyOf<typeof coreMembers>

/**
 * Clients of the core application, the remote service `Default`. Throws when `options` give no address.
 * @example
 * const core = createDefaultProxy({ baseUrl: 'http://localhost:4000', accessToken: () => token })
 * const page = await core.shipments.getList({ maxResultCount: 10 })
 */
export function createDefaultProxy(options: ProxyOptions): DefaultProxy {
  return createProxy(Core, coreMembers, options)
}
