import {
  AppService,
  Dto,
  EntityDto,
  enumeration,
  guid,
  id,
  instant,
  op,
  PagedInput,
  pageOf,
  z,
} from '@keel/framework/contracts'
import { BackgroundWork } from './background-work.js'

/** The state of a job. */
export enum BackgroundJobState {
  /** Also one that failed and is tried again at `nextTryTime`. */
  Waiting = 0,
  Running = 1,
  Completed = 2,
  /** Given up after its last attempt. */
  Abandoned = 3,
  Cancelled = 4,
}

/** A job, without its arguments: they may hold what nobody else should read. */
export class BackgroundJobDto extends EntityDto({
  /** The kind of job. */
  jobName: z.string(),
  state: enumeration('BackgroundJobState', BackgroundJobState),

  /** True when it is an occurrence of a job that runs at set times. */
  isRecurring: z.boolean(),
  /** 5 low, 15 normal, 25 high. */
  priority: z.int(),

  /** How often it was tried. */
  tryCount: z.int(),
  creationTime: instant(),

  /** When it is tried next, at the earliest. */
  nextTryTime: instant(),

  /** When it was tried last; null when it never was. */
  lastTryTime: instant().nullable(),

  /** When it was completed, given up or cancelled; null before. */
  completionTime: instant().nullable(),
  /** Percent; null when it tells nothing. */
  progress: z.int().nullable(),

  /** The progress that the job reported; null when it reported none. */
  progressText: z.string().nullable(),
  /** Why the last attempt failed. */
  lastError: z.string().nullable(),
  /** The user in whose name it runs; null when it runs as the program itself. */
  userId: guid().nullable(),
  /** Of the request that caused it. */
  correlationId: z.string().nullable(),
}) {}

/** Which jobs; newest first when not sorted. */
export class BackgroundJobListInput extends Dto({
  ...PagedInput.shape,
  jobName: z.string().max(128).nullish(),
  state: enumeration('BackgroundJobState', BackgroundJobState).nullish(),
}) {}

/** How many jobs there are. */
export class BackgroundJobCountsDto extends Dto({
  waiting: z.int(),
  running: z.int(),
  /** Jobs that were given up after their last attempt. */
  abandoned: z.int(),
}) {}

/** Jobs of all hosts. */
export abstract class BackgroundJobAppService extends AppService(BackgroundWork, 'BackgroundJobAppService', {
  /** Gets a background job. */
  get: op(id).returns(BackgroundJobDto),
  /** Lists background jobs, in pages. */
  getList: op(BackgroundJobListInput).returns(pageOf(BackgroundJobDto)),
  /** Counts background jobs by state. */
  getCounts: op().returns(BackgroundJobCountsDto),
  /** Cancels a background job. A waiting job is removed, a running one gets an abort signal. */
  cancel: op(id),
  /**
   * Runs a background job at once that waits, was given up or was cancelled. Of a recurring job it is
   * the occurrence that waits.
   */
  retry: op(id),
}) {}
