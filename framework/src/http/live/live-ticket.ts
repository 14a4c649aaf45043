import { Column, DataType, Entity } from '../../data/entities/entity.js'
import { BaseEntity, Timestamp } from '../../data/entities/entity-bases.js'

/** Permission to open one event stream. Its row goes when the stream is opened. */
@Entity('KeelLiveTickets', {
  indexes: [
    { attributes: ['userId'] },
    { attributes: ['expirationTime'] },
    { attributes: ['digest'], unique: true },
  ],
})
export class LiveTicket extends BaseEntity {
  @Column(DataType.UUID) declare userId: string
  /** SHA-256 of the ticket, which is stored nowhere; hexadecimal. */
  @Column(DataType.CHAR(64)) declare digest: string
  /** JSON: the claims of the token that the ticket was issued for. */
  @Column(DataType.TEXT) declare claims: string
  @Column(Timestamp) declare expirationTime: Date
}
