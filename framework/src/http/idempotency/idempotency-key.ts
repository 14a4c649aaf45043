import { Column, DataType, Entity, OptionalColumn } from '../../data/entities/entity.js'
import { BaseEntity, Timestamp } from '../../data/entities/entity-bases.js'

/**
 * A creation that a caller named by an idempotency key, and its answer. The id is made of the caller and the key: the key
 * itself is stored nowhere.
 */
@Entity('KeelIdempotencyKeys', {
  indexes: [{ attributes: ['creationTime'] }, { attributes: ['callerId', 'creationTime'] }],
})
export class IdempotencyKey extends BaseEntity {
  /** Made of the person or client whose keys are counted together. */
  @Column(DataType.UUID) declare callerId: string
  /** Of the operation and its input without secrets, made with the key. */
  @Column(DataType.CHAR(64)) declare fingerprint: string
  @Column(Timestamp) declare creationTime: Date
  /** False while the creation runs, and for ever when its process ended before it could tell the result. */
  @Column(DataType.BOOLEAN) declare isCompleted: boolean
  /** JSON; null for answers that hold a secret or are too long. */
  @OptionalColumn(DataType.TEXT) declare answer: string | null
}
