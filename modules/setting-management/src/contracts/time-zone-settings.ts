import { AppService, NameValue, op, param, z } from '@keel/framework/contracts'
import { SettingManagement } from './setting-management.js'

const route = '/api/setting-management/timezone'

/** The time zone of everybody who has not set one, as ABP's setting page asks for it. */
export abstract class TimeZoneSettingsAppService extends AppService(
  SettingManagement,
  'TimeZoneSettingsAppService',
  {
    /** The IANA name, as plain text. */
    get: op().returns(z.string()).at('GET', route),
    /** Every zone there is, with its offset of today. */
    getTimezones: op().returns(z.array(NameValue.schema)).at('GET', `${route}/timezones`),
    /** Sets the zone; `Unspecified` takes back what was set. */
    update: op(param('timezone', z.string().min(1).max(64))).at('POST', route),
  },
) {}
