import { TimeZoneChoices } from '@keel/account/contracts'
import { Provides } from '@keel/framework'
import { PlatformSettings } from '@keel/framework/http'
import { StoredSettings } from '../contracts/index.js'

/** Keeps the time zone that users choose as a setting of theirs. */
@Provides(TimeZoneChoices)
export class StoredTimeZoneChoices implements TimeZoneChoices {
  constructor(private readonly settings: StoredSettings) {}

  async choose(userId: string, zone: string | null): Promise<void> {
    await this.settings.setForUser(userId, { [PlatformSettings.TimeZone.name]: zone })
  }
}
