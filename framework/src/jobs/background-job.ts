import { Column, DataType, Entity, OptionalColumn } from '../data/entities/entity.js'
import { BaseEntity, PlatformTimestamp } from '../data/entities/entity-bases.js'

/** How urgent a job is: ABP's numbers. */
export enum JobPriority {
  Low = 5,
  BelowNormal = 10,
  Normal = 15,
  AboveNormal = 20,
  High = 25,
}

/** A job that waits, runs or ran: ABP's table, with columns of ours for who works on it and how far it is. */
@Entity('AbpBackgroundJobs', {
  indexes: [
    { attributes: ['isAbandoned', 'nextTryTime'] },
    // The next one is found beside whatever number of finished ones.
    {
      attributes: ['isAbandoned', { sql: '- "Priority"' }, 'nextTryTime'],
      name: 'Open',
      where: '"CompletionTime" is null',
    },
    // A recurring job waits or runs once at a time.
    {
      attributes: ['recurringName'],
      unique: true,
      where: '"RecurringName" is not null and "CompletionTime" is null and "IsAbandoned" = false',
    },
  ],
})
export class BackgroundJob extends BaseEntity {
  /** The host that added it. */
  @OptionalColumn(DataType.STRING(96)) declare applicationName: string | null
  @Column(DataType.STRING(128)) declare jobName: string
  /** JSON; `{}` once the job is done. */
  @Column(DataType.STRING(1048576)) declare jobArgs: string
  @Column(DataType.SMALLINT, { defaultValue: 0 }) declare tryCount: number
  @Column(PlatformTimestamp) declare creationTime: Date
  @Column(PlatformTimestamp) declare nextTryTime: Date
  @OptionalColumn(PlatformTimestamp) declare lastTryTime: Date | null
  @OptionalColumn(PlatformTimestamp) declare completionTime: Date | null
  /** Given up, or cancelled. */
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isAbandoned: boolean
  @Column(DataType.SMALLINT, { defaultValue: JobPriority.Normal }) declare priority: JobPriority
  /** A JSON object with `X-Correlation-Id`. */
  @Column(DataType.TEXT, { defaultValue: '{}' }) declare extraProperties: string
  @Column(DataType.STRING(40), { defaultValue: '' }) declare concurrencyStamp: string
  /** Of whoever works on it now; another one each time. */
  @OptionalColumn(DataType.UUID) declare lockId: string | null
  /** Until when nobody else may work on it. */
  @OptionalColumn(PlatformTimestamp) declare lockedUntil: Date | null
  /** Percent. */
  @OptionalColumn(DataType.SMALLINT) declare progress: number | null
  @OptionalColumn(DataType.STRING(256)) declare progressText: string | null
  /** Somebody does not want it any more. */
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isCancelled: boolean
  @OptionalColumn(DataType.STRING(1000)) declare lastError: string | null
  /** Name of the recurring job that it is an occurrence of. */
  @OptionalColumn(DataType.STRING(128)) declare recurringName: string | null
}

/** The table's name, for notices of changes. */
export const jobTable = 'AbpBackgroundJobs'
