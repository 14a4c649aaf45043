/**
 * Extension point: where the time zones are kept that users choose for themselves, in this process only. The
 * setting-management module provides it; without one the zone that counts for everybody counts for each.
 */
export abstract class TimeZoneChoices {
  /** Keeps a user's zone, by its IANA or Windows name; null takes it back. */
  abstract choose(userId: string, zone: string | null): Promise<void>
}
