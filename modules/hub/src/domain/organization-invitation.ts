import { enumeration, instant, z } from '@keel/framework/contracts'
import type { InvitedGroup } from '@keel/identity/contracts'
import { AccessScope } from '../contracts/index.js'

/** The kind of membership that an invitation gives. */
export const invitedAccess = z.object({
  accessScope: enumeration('AccessScope', AccessScope),
  validUntil: instant().nullable(),
})

/** An organization as people are invited into it. */
export function organizationGroup(groupId: string): InvitedGroup {
  return { kind: organizationKind, groupId }
}

/** The kind of group that organizations are. */
export const organizationKind = 'Hub.Organization'
