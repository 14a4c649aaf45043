import { BaseEntity, Column, DataType, Entity, OptionalColumn, Timestamp } from '@keel/framework/data'
import { User } from './user.js'

/** A pending invitation of an e-mail address. Deleted when it is accepted, revoked or expired. */
@Entity('AppUserInvitations', {
  indexes: [
    { attributes: ['normalizedEmail'], unique: true },
    { attributes: ['tokenHash'], unique: true },
    { attributes: ['expirationTime'] },
  ],
})
export class UserInvitation extends BaseEntity {
  @Column(DataType.STRING(256)) declare inviteeEmail: string
  @Column(DataType.STRING(256)) declare normalizedEmail: string
  @Column(Timestamp) declare invitationDate: Date
  /** A JSON array of role names; null for the default roles. */
  @OptionalColumn(DataType.TEXT) declare assignedRoles: string | null
  /** SHA-256 of what stands in the link, which is nowhere else. */
  @Column(DataType.STRING(64)) declare tokenHash: string
  @Column(Timestamp) declare expirationTime: Date
  /** The inviter. Rights that the inviter may no longer give are left out when the invitation is accepted. */
  @Column(DataType.UUID, { references: () => User }) declare inviterId: string
}
