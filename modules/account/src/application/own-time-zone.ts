import { Application, Injectable, Settings } from '@keel/framework'
import { faultOf, ValidationError } from '@keel/framework/contracts'
import { PlatformSettings } from '@keel/framework/http'
import { TimeZoneChoices } from '../contracts/index.js'

const { name: setting, read } = PlatformSettings.TimeZone

/** The time zone that a user sees times in. */
@Injectable()
export class OwnTimeZone {
  private readonly choices: TimeZoneChoices | undefined

  constructor(
    private readonly settings: Settings,
    application: Application,
  ) {
    this.choices = application.find(TimeZoneChoices)
  }

  /** True when users may have a time zone of their own. */
  get isOwn(): boolean {
    return this.choices !== undefined
  }

  async of(userId: string): Promise<string> {
    return (await this.settings.valueOf(setting, userId)) || 'UTC'
  }

  /**
   * Keeps a zone as the user's own; what counts for them anyway is not kept, so that a profile may be sent
   * back as it was read.
   */
  async choose(userId: string, zone: string | null | undefined): Promise<void> {
    if (!zone || !this.choices || zone === (await this.of(userId))) return
    const isTakenBack = zone.toLowerCase() === 'unspecified'
    if (!isTakenBack && read(zone) === undefined)
      throw new ValidationError([faultOf('timezone', 'Account:Validation:TimeZone', { zone })])
    await this.choices.choose(userId, isTakenBack ? null : zone)
  }
}
