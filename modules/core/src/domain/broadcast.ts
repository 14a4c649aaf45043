import {
  Column,
  CreationAuditedEntity,
  DataType,
  Entity,
  OptionalColumn,
  Timestamp,
} from '@keel/framework/data'
import { NotificationSeverity } from '../contracts/index.js'

/** A message to many users. Each of them has a notification of it. */
@Entity('AppBroadcasts', {
  indexes: [{ attributes: ['creatorId', 'creationTime'] }],
  checks: {
    Severity: '"Severity" between 0 and 2',
    Audience: '"RoleName" is null or "OrganizationId" is null',
  },
})
export class Broadcast extends CreationAuditedEntity {
  @Column(DataType.STRING(200)) declare title: string
  @Column(DataType.SMALLINT, { enumeration: { NotificationSeverity }, defaultValue: 0 })
  declare severity: NotificationSeverity
  /** Its audience are those who hold the role; null for none. */
  @OptionalColumn(DataType.STRING(256)) declare roleName: string | null
  /** Its audience are the members of the organization; null for none. */
  @OptionalColumn(DataType.UUID) declare organizationId: string | null
  /** When all have it; null until then. */
  @OptionalColumn(Timestamp) declare endTime: Date | null
  @OptionalColumn(DataType.INTEGER) declare recipientCount: number | null
}
