import { BaseEntity, Column, DataType, Entity, Timestamp } from '@keel/framework/data'
import { User } from './user.js'

/** An open invitation of an e-mail address into a group of another module. Deleted when it is accepted, revoked or expired. */
@Entity('AppMembershipInvitations', {
  indexes: [
    { attributes: ['kind', 'groupId', 'normalizedEmail'], unique: true },
    { attributes: ['tokenHash'], unique: true },
    { attributes: ['expirationTime'] },
    { attributes: ['inviterId'] },
  ],
})
export class MembershipInvitation extends BaseEntity {
  @Column(DataType.STRING(64)) declare kind: string
  @Column(DataType.UUID) declare groupId: string
  @Column(DataType.STRING(200)) declare groupName: string
  @Column(DataType.STRING(256)) declare inviteeEmail: string
  @Column(DataType.STRING(256)) declare normalizedEmail: string
  /** A JSON object that the module of the group wrote. */
  @Column(DataType.TEXT) declare terms: string
  /** The permission that the inviter must have when the invitation is accepted. */
  @Column(DataType.STRING(128)) declare permission: string
  @Column(Timestamp) declare invitationDate: Date
  /** SHA-256 of what stands in the link, which is nowhere else. */
  @Column(DataType.STRING(64)) declare tokenHash: string
  @Column(Timestamp) declare expirationTime: Date
  @Column(DataType.UUID, { references: () => User }) declare inviterId: string
}
