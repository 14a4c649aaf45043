import { BaseEntity, Column, DataType, Entity, OptionalColumn, Timestamp } from '@keel/framework/data'

/**
 * An organization of Hub whose code changed, or that a merge was about: what Hub's events told last of it. Events may come in another order than
 * they happened; the times say which of two counts. Has the id that the organization has in Hub.
 */
@Entity('PricingFollowedOrganizations', { indexes: [{ attributes: ['mergedIntoId'] }] })
export class FollowedOrganization extends BaseEntity {
  @Column(DataType.STRING(20)) declare code: string
  /** When Hub had this code. */
  @Column(Timestamp) declare codeTime: Date
  /** The full name when it was told with a merge; null when it was not. */
  @OptionalColumn(DataType.STRING(200)) declare name: string | null
  /** The organization that has what was this one's; null for one that is there. */
  @OptionalColumn(DataType.UUID) declare mergedIntoId: string | null
  @OptionalColumn(Timestamp) declare mergeTime: Date | null
}
