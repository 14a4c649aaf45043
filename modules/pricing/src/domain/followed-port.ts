import { BaseEntity, Column, DataType, Entity, Timestamp } from '@keel/framework/data'

/** A port of Hub whose code changed, with the code that Hub's events told last. Has the id that the port has in Hub. */
@Entity('PricingFollowedPorts')
export class FollowedPort extends BaseEntity {
  @Column(DataType.CHAR(5)) declare unLocode: string
  /** When Hub had this code. */
  @Column(Timestamp) declare codeTime: Date
}
