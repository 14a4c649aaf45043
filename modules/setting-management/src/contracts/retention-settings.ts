import { AppService, Dto, listOf, op, z } from '@keel/framework/contracts'
import { SettingManagement } from './setting-management.js'

/** How long records of a kind are kept. */
export class RetentionOfKindDto extends Dto({
  /** The kind of data: a text `PersonalData:<name>` names it. @example "notifications" */
  name: z.string().min(1).max(100),

  /** Days; 0 keeps them for ever. */
  days: z.int().min(0).max(36_500),
}) {}

/** How long records are kept, by kind. */
export class RetentionDto extends Dto({
  /** The kinds that a setting decides about. In a change, absent kinds stay as they are. */
  kinds: listOf(RetentionOfKindDto).max(100),
}) {}

const route = '/api/setting-management/retention'

/** How long records about persons are kept. A job deletes older ones every night. */
export abstract class RetentionSettingsAppService extends AppService(
  SettingManagement,
  'RetentionSettingsAppService',
  {
    /** Gets the days for every kind that a setting decides about. */
    get: op().returns(RetentionDto).at('GET', route),
    /** Sets the days of some kinds. */
    update: op(RetentionDto).at('POST', route),
  },
) {}
