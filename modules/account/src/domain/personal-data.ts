import { personalFile, personalRows } from '@keel/framework/data'
import { AccountSecret } from './account-rows.js'
import { imageTypeOf } from './image-type.js'
import { LinkUser } from './link-user.js'
import { profilePictureOf } from './profile-picture.js'
import { UserDelegation } from './user-delegation.js'

/** What the tables of the account module keep about persons. */
export const accountPersonalData = [
  // Digests of codes, and the times of proofs of identity.
  personalRows(AccountSecret, {
    name: 'account-proofs',
    of: ['userId'],
    exported: ['purpose', 'expirationTime'],
    withheld: ['value'],
    erasure: 'delete',
  }),
  personalRows(LinkUser, {
    name: 'linked-accounts',
    of: ['sourceUserId', 'targetUserId'],
    exported: ['sourceUserId', 'targetUserId'],
    withheld: ['sourceTenantId', 'targetTenantId'],
    erasure: 'delete',
  }),
  personalRows(UserDelegation, {
    name: 'delegations',
    of: ['sourceUserId', 'targetUserId'],
    exported: ['sourceUserId', 'targetUserId', 'startTime', 'endTime'],
    erasure: 'delete',
  }),
]

/** The profile picture, which the blob store has. */
export const accountFiles = [
  personalFile({
    name: 'profile-picture',
    blobOf: ({ id }) => profilePictureOf(id),
    extensionOf: (head) => imageTypeOf(Buffer.from(head))?.split('/')[1] ?? 'bin',
  }),
]
