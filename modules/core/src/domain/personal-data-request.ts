import { Injectable } from '@keel/framework'
import {
  Column,
  CreationAuditedEntity,
  DataType,
  Entity,
  OptionalColumn,
  rowRule,
  sql,
  Timestamp,
} from '@keel/framework/data'
import {
  PersonalDataPermissions,
  PersonalDataRequestKind,
  PersonalDataRequestStatus,
  type PersonalDataResultDto,
} from '../contracts/index.js'
import { OwnRowsUnless } from './own-rows.js'

/** Requests about everybody, or those of the caller and the exports of the caller's own data. */
@Injectable()
export class PersonalDataReaders extends OwnRowsUnless(PersonalDataPermissions.View) {}

const requestsOfCaller = rowRule(PersonalDataReaders, ({ userId, all }, t) =>
  all
    ? undefined
    : sql`(${t}."CreatorId" = ${userId}::uuid
        or ${t}."UserId" = ${userId}::uuid and ${t}."Kind" = ${PersonalDataRequestKind.Export})`,
)

/** A request about the data of a person. It names nobody: of an erased person only the id is left. */
@Entity('AppPersonalDataRequests', {
  rules: [requestsOfCaller],
  indexes: [
    // One request of a kind about a person waits or runs, whoever asks at once.
    { attributes: ['userId', 'kind'], name: 'Open', unique: true, where: '"Status" < 2' },
    { attributes: ['userId', 'creationTime'] },
    { attributes: ['creatorId', 'creationTime'] },
    { attributes: ['creationTime'] },
    { attributes: ['expirationTime'], where: '"BlobName" is not null' },
  ],
  checks: { Kind: '"Kind" between 0 and 2', Status: '"Status" between 0 and 3' },
})
export class PersonalDataRequest extends CreationAuditedEntity {
  @Column(DataType.UUID) declare userId: string
  @Column(DataType.SMALLINT, { enumeration: { PersonalDataRequestKind } })
  declare kind: PersonalDataRequestKind
  @Column(DataType.SMALLINT, { enumeration: { PersonalDataRequestStatus }, defaultValue: 0 })
  declare status: PersonalDataRequestStatus
  @OptionalColumn(Timestamp) declare startTime: Date | null
  @OptionalColumn(Timestamp) declare endTime: Date | null
  @OptionalColumn(DataType.JSONB) declare result: InstanceType<typeof PersonalDataResultDto>[] | null
  /** The kinds of data, and own fields, that the user who asked may not see. */
  @Column(DataType.JSONB, { defaultValue: [] }) declare omitted: string[]
  @OptionalColumn(DataType.STRING(255)) declare blobName: string | null
  @OptionalColumn(DataType.BIGINT) declare fileSize: string | null
  @OptionalColumn(Timestamp) declare expirationTime: Date | null
  @OptionalColumn(DataType.STRING(200)) declare error: string | null
}
