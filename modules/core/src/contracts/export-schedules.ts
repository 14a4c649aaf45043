import {
  AppService,
  calendarDate,
  crud,
  Dto,
  EntityDto,
  enumeration,
  enumerationName,
  FilteredPagedInput,
  file,
  guid,
  id,
  instant,
  op,
  PagedInput,
  pageOf,
  secret,
  z,
} from '@keel/framework/contracts'
import { clockTime } from './clock-time.js'
import { Core } from './core.js'

/** Error codes of export schedules and their runs. */
export const ExportErrors = {
  /** The time zone is no IANA name. */
  InvalidTimeZone: 'App:ExportSchedule:InvalidTimeZone',
  /** A weekly schedule has no day of the week, a monthly one no day of the month, or a schedule ends before it begins. */
  InvalidDay: 'App:ExportSchedule:InvalidDay',
  /** There is no such entity set. */
  EntitySetUnknown: 'App:ExportSchedule:EntitySetUnknown',
  /** The query or a column is none of the set; `reason` says why. */
  QueryInvalid: 'App:ExportSchedule:QueryInvalid',
  /** The user has as many schedules as {@link mostExportSchedules} allows. */
  TooMany: 'App:ExportSchedule:TooMany',
  NameAlreadyExists: 'App:ExportSchedule:NameAlreadyExists',
  /** Only the owner of a schedule changes it and gets its files. */
  NotOwner: 'App:ExportSchedule:NotOwner',
  /** The delivery lacks its address or its secret, or an address is none. */
  DeliveryInvalid: 'App:ExportSchedule:DeliveryInvalid',
  /** A run of the schedule waits or runs already. */
  AlreadyRunning: 'App:ExportRun:AlreadyRunning',
  /** The user has had as many runs within a day as {@link mostExportRunsPerDay} allows. */
  TooManyRuns: 'App:ExportRun:TooManyRuns',
  /** The run is over, or has no file. */
  IsOver: 'App:ExportRun:IsOver',
  FileExpired: 'App:ExportRun:FileExpired',
  /** The owner sees other rows than when the file was made, e.g. because a membership has begun or ended. */
  ScopeChanged: 'App:ExportRun:ScopeChanged',
  /** The owner may not sign in, or lacks a permission that the run needs. */
  OwnerNotPermitted: 'App:ExportRun:OwnerNotPermitted',
  /** Whatever else let the run fail after all attempts. */
  Failed: 'App:ExportRun:Failed',
  /** The receiver of the file did not take it. */
  DeliveryFailed: 'App:ExportRun:DeliveryFailed',
} as const

/** The most schedules of a user. */
export const mostExportSchedules = 25
/** The most runs of a user within a day: each may send mails to others, and keeps a file. */
export const mostExportRunsPerDay = 100
/** Days for which the file of a run is kept, and then its record. */
export const exportDays = { file: 14, record: 180 } as const

/** How often an export runs. Names on the wire. */
export enum ExportFrequency {
  Daily = 0,
  Weekly = 1,
  Monthly = 2,
}

/** The format of an exported file. */
export enum ExportFormat {
  Csv = 0,
  Xlsx = 1,
}

/** Where an exported file goes. */
export enum ExportDelivery {
  /** The owner is notified, and downloads the file. */
  Download = 0,
  /** Attached to a mail; one that is too large waits to be downloaded. */
  Email = 1,
  /** Posted to an address, signed by the headers of Standard Webhooks. */
  Webhook = 2,
}

/** The state of a schedule. */
export enum ExportScheduleStatus {
  Active = 0,
  Paused = 1,
  /** Stopped after five failed runs in a row. */
  Faulted = 2,
  /** No run is left before its last day. */
  Ended = 3,
}

/** The state of a run. */
export enum ExportRunStatus {
  Queued = 0,
  Running = 1,
  Succeeded = 2,
  Failed = 3,
  Cancelled = 4,
}

/** The state of the delivery of a run's file. */
export enum ExportDeliveryStatus {
  /** There is nothing to deliver. */
  NotNeeded = 0,
  Pending = 1,
  Delivered = 2,
  Failed = 3,
}

/** A column of an export. */
export class ExportColumnDto extends Dto({
  /** A property of the set, or of one entity that it leads to. @example "Carrier/Name" */
  path: z.string().trim().min(1).max(200),

  /** The text above the column; the label of the property when absent. */
  header: z.string().trim().max(100).nullish(),
}) {}

const name = z.string().trim().min(1).max(100)
const entitySet = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9]*$/)

/** Members that inputs and the DTO share. */
const shared = {
  /** OData options that choose and order the rows: `$filter`, `$orderby`, `$search`, and `$select` where no columns are named. */
  query: z.string().max(4000).nullish(),

  /** The columns in their order; when absent those of `$select`, else all plain properties. */
  columns: z.array(ExportColumnDto.schema).min(1).max(100).nullish(),

  /** The day on which a weekly export runs, 1 for Monday to 7. */
  dayOfWeek: z.int().min(1).max(7).nullish(),

  /** The day on which a monthly export runs; the last day of shorter months. */
  dayOfMonth: z.int().min(1).max(31).nullish(),
  /** The last day, by the clock of the time zone; null for none. */
  endDate: calendarDate().nullish(),

  /** Recipients of the mail; the owner's confirmed address when absent. Others need `ExportSchedule.SendOutside`. */
  emailRecipients: z.array(z.string().trim().max(254)).min(1).max(10).nullish(),

  /** An https address. Needs `ExportSchedule.SendOutside`. */
  webhookUrl: z.url().max(500).nullish(),
} as const

const format = enumeration('ExportFormat', ExportFormat)
const csvDelimiter = z.enum([',', ';', '\t', '|'])
const frequency = enumerationName('ExportFrequency', ExportFrequency)
/** An IANA name, such as `Europe/Berlin`. */
const timeZone = z.string().trim().min(1).max(50)
const delivery = enumeration('ExportDelivery', ExportDelivery)
const maxRows = z.int().min(1).max(1_000_000)
const culture = z.string().trim().min(2).max(10)
/** `whsec_` and the base64 of 24 to 64 bytes, as Standard Webhooks has it. */
const webhookSecret = secret(
  z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/)
    .meta({ examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] }),
)

/** An entity set as a file, again and again. */
export class ExportScheduleDto extends EntityDto({
  /** The owner, in whose name and with whose rights of the moment it runs. */
  userId: guid(),
  name,
  entitySet,
  ...shared,
  format,
  csvDelimiter,
  frequency,
  /** The time of the clock in the time zone. */
  timeOfDay: clockTime,
  timeZone,
  startDate: calendarDate(),
  delivery,

  /** True when an export without rows is not delivered. */
  skipEmpty: z.boolean(),
  maxRows,

  /** The language of headers, enumerations and mails. */
  culture,
  status: enumeration('ExportScheduleStatus', ExportScheduleStatus),

  /** When it runs next; null when it does not. */
  nextRunTime: instant().nullable(),
  lastRunTime: instant().nullable(),
  lastRunStatus: enumeration('ExportRunStatus', ExportRunStatus).nullable(),

  /** Failed runs since the last one that succeeded. */
  consecutiveFailures: z.int(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** The input for a new schedule, which the caller owns. */
export class CreateExportScheduleDto extends Dto({
  name,
  entitySet,
  ...shared,
  format: format.default(ExportFormat.Csv),
  csvDelimiter: csvDelimiter.default(','),
  frequency,
  timeOfDay: clockTime,
  timeZone,

  /** The first day; today when absent. */
  startDate: calendarDate().nullish(),
  delivery: delivery.default(ExportDelivery.Download),
  webhookSecret: webhookSecret.nullish(),
  skipEmpty: z.boolean().default(false),
  maxRows: maxRows.default(100_000),
  culture: culture.default('en'),
}) {}

/** The input for changing a schedule; absent members stay. A given stamp must be the one last seen. */
export class UpdateExportScheduleDto extends Dto({
  ...Dto({
    name,
    entitySet,
    ...shared,
    format,
    csvDelimiter,
    frequency,
    timeOfDay: clockTime,
    timeZone,
    startDate: calendarDate(),
    delivery,
    skipEmpty: z.boolean(),
    maxRows,
    culture,
  }).schema.partial().shape,

  /** The present one stays when absent. */
  webhookSecret: webhookSecret.nullish(),
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** The input of the list of schedules. */
export class ExportScheduleListInput extends Dto({
  ...FilteredPagedInput.shape,
  entitySet: entitySet.nullish(),
  status: enumeration('ExportScheduleStatus', ExportScheduleStatus).nullish(),
}) {}

/** How many of the next runs to tell. */
export class ExportPreviewInput extends Dto({ count: z.int().min(1).max(20).default(5) }) {}

/** The next runs of a schedule. */
export class ExportPreviewDto extends Dto({
  /** In order; fewer than asked for when the schedule ends before. */
  runTimes: z.array(instant()),
}) {}

/** A run of a schedule. */
export class ExportRunDto extends EntityDto({
  exportScheduleId: guid(),
  userId: guid(),
  entitySet: z.string(),

  /** The time for which it was planned. */
  scheduledTime: instant(),
  startTime: instant().nullable(),
  endTime: instant().nullable(),
  status: enumeration('ExportRunStatus', ExportRunStatus),
  rowCount: z.int().nullable(),

  /** True when the set has more rows than the schedule wants. */
  isTruncated: z.boolean(),
  fileName: z.string().nullable(),

  /** Bytes. */
  fileSize: z.int().nullable(),

  /** The code of what went wrong; null when nothing did. */
  error: z.string().nullable(),
  deliveryStatus: enumeration('ExportDeliveryStatus', ExportDeliveryStatus),

  /** The attempts at the file so far. */
  attempt: z.int(),

  /** The attempts at its delivery to a webhook so far. */
  deliveryAttempt: z.int(),

  /** Until when the file can be downloaded. */
  expirationTime: instant(),
}) {}

/** The input of the list of runs. */
export class ExportRunListInput extends Dto({
  ...PagedInput.shape,
  exportScheduleId: guid().nullish(),
  status: enumeration('ExportRunStatus', ExportRunStatus).nullish(),
}) {}

/** Exports of entity sets that run again and again. Holders of `ExportSchedule.ManageAll` see those of everybody, and can stop them. */
export abstract class ExportScheduleAppService extends AppService(Core, 'ExportScheduleAppService', {
  ...crud(ExportScheduleDto, CreateExportScheduleDto, UpdateExportScheduleDto, ExportScheduleListInput),
  /** Stops a schedule until it is resumed. */
  pause: op(id).returns(ExportScheduleDto),
  /** Lets a schedule run again from now on; missed runs are not made up for. */
  resume: op(id).returns(ExportScheduleDto),
  /** Starts a run now, beside the planned ones. */
  runNow: op(id).returns(ExportRunDto),
  /** Tells when a schedule runs next. */
  getPreview: op(id, ExportPreviewInput).returns(ExportPreviewDto),
}) {}

/** The runs of export schedules. */
export abstract class ExportRunAppService extends AppService(Core, 'ExportRunAppService', {
  /** Gets a run. */
  get: op(id).returns(ExportRunDto),
  /** Lists runs, in pages, newest first. */
  getList: op(ExportRunListInput).returns(pageOf(ExportRunDto)),
  /** Cancels a run that waits or runs. */
  cancel: op(id),
  /** Downloads the file of an own run, for 14 days. */
  getFile: op(id).returns(
    file('text/csv', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
  ),
}) {}
