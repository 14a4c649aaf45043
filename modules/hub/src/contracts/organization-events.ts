import { EventDto, guid, z } from '@keel/framework/contracts'
import { occurrence } from './occurrence.js'

/** Another organization was merged into an organization, and is deleted. What was stored of it now belongs to the one that stayed. */
export class OrganizationMergedEto extends EventDto('Hub.Organization.Merged', {
  ...occurrence,

  /** The full name of the organization that stays; absent in events of Keel before it told names. */
  name: z.string().nullish(),

  /** The id and the code of the organization that went. */
  sourceId: guid(),
  sourceCode: z.string(),
}) {}

/** An organization has another code. What was stored of it beside its id, such as the code on quotes, is to follow. Its reference is the new code. */
export class OrganizationCodeChangedEto extends EventDto('Hub.Organization.CodeChanged', {
  ...occurrence,

  /** The code before. */
  oldCode: z.string(),
}) {}

/** The events of organizations, for `events` of the module. */
export const organizationEvents = [OrganizationMergedEto, OrganizationCodeChangedEto] as const
