import { Injectable } from '@keel/framework'
import { DisableAuditing } from '@keel/framework/auditing'
import {
  AuditedPlatformEntity,
  BaseEntity,
  Column,
  DataType,
  Entity,
  OptionalColumn,
  rowRule,
  sql,
  Timestamp,
} from '@keel/framework/data'
import {
  ExportDelivery,
  ExportDeliveryStatus,
  ExportErrors,
  ExportFormat,
  ExportFrequency,
  ExportRunStatus,
  ExportSchedulePermissions,
  ExportScheduleStatus,
} from '../contracts/index.js'
import { OwnRowsUnless } from './own-rows.js'

/** Schedules of the caller, or of everybody. */
@Injectable()
export class ExportOwners extends OwnRowsUnless(ExportSchedulePermissions.ManageAll) {}

const exportsOfCaller = rowRule(ExportOwners, ({ userId, all }, t) =>
  all ? sql`true` : sql`${t}."UserId" = ${userId}::uuid`,
)

/** An entity set that is exported as a file again and again. */
@Entity('AppExportSchedules', {
  rules: [exportsOfCaller],
  conflicts: { IX_AppExportSchedules_UserId_Name: ExportErrors.NameAlreadyExists },
  indexes: [
    { attributes: ['userId', 'name'], unique: true, where: '"IsDeleted" = false' },
    { attributes: ['nextRunTime'], name: 'Due', where: '"Status" = 0 and "IsDeleted" = false' },
  ],
  checks: {
    Format: '"Format" between 0 and 1',
    Delivery: '"Delivery" between 0 and 2',
    Status: '"Status" between 0 and 3',
    Days: `case "Frequency" when 'Weekly' then "DayOfWeek" between 1 and 7 when 'Monthly' then "DayOfMonth" between 1 and 31 else "Frequency" = 'Daily' end`,
  },
})
export class ExportSchedule extends AuditedPlatformEntity {
  @Column(DataType.UUID) declare userId: string
  /** The API key that the schedule was made or changed with last: runs have its limits, and end with it. */
  @OptionalColumn(DataType.UUID) declare apiKeyId: string | null
  /** The impersonator who made or changed it last: runs end when they may not sign in any more. */
  @OptionalColumn(DataType.UUID) declare impersonatorId: string | null
  @Column(DataType.STRING(100)) declare name: string
  @Column(DataType.STRING(64)) declare entitySet: string
  @OptionalColumn(DataType.STRING(4000)) declare query: string | null
  @OptionalColumn(DataType.JSONB) declare columns: { path: string; header?: string | null }[] | null
  @Column(DataType.SMALLINT, { enumeration: { ExportFormat } }) declare format: ExportFormat
  @Column(DataType.STRING(1)) declare csvDelimiter: ',' | ';' | '\t' | '|'
  @Column(DataType.STRING(10), { enumeration: { ExportFrequency } })
  declare frequency: keyof typeof ExportFrequency
  @Column(DataType.STRING(5)) declare timeOfDay: string
  @Column(DataType.STRING(50)) declare timeZone: string
  @OptionalColumn(DataType.SMALLINT) declare dayOfWeek: number | null
  @OptionalColumn(DataType.SMALLINT) declare dayOfMonth: number | null
  @Column(DataType.DATEONLY) declare startDate: string
  @OptionalColumn(DataType.DATEONLY) declare endDate: string | null
  @Column(DataType.SMALLINT, { enumeration: { ExportDelivery } }) declare delivery: ExportDelivery
  @OptionalColumn(DataType.JSONB) declare emailRecipients: string[] | null
  @OptionalColumn(DataType.STRING(500)) declare webhookUrl: string | null
  /** Encrypted. */
  @DisableAuditing()
  @OptionalColumn(DataType.TEXT)
  declare webhookSecret: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare skipEmpty: boolean
  @Column(DataType.INTEGER) declare maxRows: number
  @Column(DataType.STRING(10)) declare culture: string
  @Column(DataType.SMALLINT, { enumeration: { ExportScheduleStatus }, defaultValue: 0 })
  declare status: ExportScheduleStatus
  @OptionalColumn(Timestamp) declare nextRunTime: Date | null
  @OptionalColumn(Timestamp) declare lastRunTime: Date | null
  @OptionalColumn(DataType.SMALLINT, { enumeration: { ExportRunStatus } })
  declare lastRunStatus: ExportRunStatus | null
  @Column(DataType.INTEGER, { defaultValue: 0 }) declare consecutiveFailures: number
}

/** A run of a schedule. */
@Entity('AppExportRuns', {
  rules: [exportsOfCaller],
  indexes: [
    // One run for each time, whatever the number of processes that look for due schedules.
    { attributes: ['exportScheduleId', 'scheduledTime'], unique: true },
    { attributes: ['userId', 'scheduledTime'] },
    { attributes: ['expirationTime'], where: '"BlobName" is not null' },
    { attributes: ['scheduledTime'] },
  ],
  checks: { Status: '"Status" between 0 and 4', DeliveryStatus: '"DeliveryStatus" between 0 and 3' },
})
export class ExportRun extends BaseEntity {
  @Column(DataType.UUID) declare exportScheduleId: string
  @Column(DataType.UUID) declare userId: string
  @Column(DataType.STRING(64)) declare entitySet: string
  /** What the file was read by beside the set: it is for those alone who may read that. Null until there is one. */
  @OptionalColumn(DataType.TEXT) declare query: string | null
  @OptionalColumn(DataType.JSONB) declare columns: readonly { path: string }[] | null
  /** A digest of what row rules made of the owner then. */
  @OptionalColumn(DataType.STRING(43)) declare scope: string | null
  @Column(Timestamp) declare scheduledTime: Date
  @OptionalColumn(Timestamp) declare startTime: Date | null
  @OptionalColumn(Timestamp) declare endTime: Date | null
  @Column(DataType.SMALLINT, { enumeration: { ExportRunStatus }, defaultValue: 0 })
  declare status: ExportRunStatus
  @OptionalColumn(DataType.INTEGER) declare rowCount: number | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isTruncated: boolean
  @OptionalColumn(DataType.STRING(255)) declare fileName: string | null
  @OptionalColumn(DataType.STRING(255)) declare blobName: string | null
  @OptionalColumn(DataType.BIGINT) declare fileSize: string | null
  @OptionalColumn(DataType.STRING(2000)) declare error: string | null
  @Column(DataType.SMALLINT, { enumeration: { ExportDeliveryStatus }, defaultValue: 0 })
  declare deliveryStatus: ExportDeliveryStatus
  @Column(DataType.SMALLINT, { defaultValue: 0 }) declare attempt: number
  @Column(DataType.SMALLINT, { defaultValue: 0 }) declare deliveryAttempt: number
  @Column(Timestamp) declare expirationTime: Date
}
