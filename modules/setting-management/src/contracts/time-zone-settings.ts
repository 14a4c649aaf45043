import { AppService, NameValue, op, param, z } from '@keel/framework/contracts'
import { SettingManagement } from './setting-management.js'

const route = '/api/setting-management/timezone'

/** The time zone of everybody who has not set one, as ABP's setting page asks for it. */
export abstract class TimeZoneSettingsAppService extends AppService(
  SettingManagement,
  'TimeZoneSettingsAppService',
  {
    /** Gets the IANA name of the time zone for users who have not set one. */
    get: op().returns(z.string()).at('GET', route),
    /** Lists all time zones with their offsets of today. */
    getTimezones: op().returns(z.array(NameValue.schema)).at('GET', `${route}/timezones`),
    /**
     * Sets the time zone for users who have not set one.
     * @param timezone The IANA name; `Unspecified` takes back what was set.
     */
    update: op(param('timezone', z.string().min(1).max(64))).at('POST', route),
  },
) {}
