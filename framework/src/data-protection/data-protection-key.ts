import { Column, DataType, Entity } from '../data/entities/entity.js'
import { BaseEntity, Timestamp } from '../data/entities/entity-bases.js'

/**
 * A key of the ring that all processes share. Not ASP.NET's `DataProtectionKeys`: the content is ours, and a .NET application on the same
 * database would stumble over it.
 */
@Entity('KeelDataProtectionKeys', { watched: true })
export class DataProtectionKey extends BaseEntity {
  /** 32 bytes: `plain.<base64url>`, or sealed with `DataProtection:Secret` as `sealed.<secret's id>.<base64url>`. */
  @Column(DataType.STRING(200)) declare content: string
  @Column(Timestamp) declare creationTime: Date
  /** From when on it protects; before, it is only known, so that every process has it by then. */
  @Column(Timestamp) declare activationTime: Date
  /** When the next one takes over. What it protected can be read after that, too. */
  @Column(Timestamp) declare expirationTime: Date
}
